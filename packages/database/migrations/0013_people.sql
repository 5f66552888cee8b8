-- The role that the sign-in library works as, made as probity_app is: it owns nothing, and knows people and what belongs to them,
-- and of accounts their names. What customers have in their accounts it cannot see.
do $$
begin
  if not exists (select from pg_roles where rolname = 'probity_people') then
    create role probity_people nologin nobypassrls;
  end if;
exception
  when duplicate_object or unique_violation then null; -- another database's migration was quicker
end
$$;

do $$
begin
  set local role probity_people;
  reset role;
exception
  when insufficient_privilege then execute format('grant probity_people to %I', current_user);
end
$$;

-- Whoever may already work as the product may work as this role too, so that an update asks nothing of the operator.
do $$
declare
  v_login text;
begin
  for v_login in
    select m.member::regrole::text from pg_auth_members m
    where m.roleid = 'probity_app'::regrole and m.member <> current_user::regrole
  loop
    begin
      execute format('grant probity_people to %s', v_login);
    exception
      when insufficient_privilege then raise notice 'grant probity_people to % by hand', v_login;
    end;
  end loop;
end
$$;

create table people (
  id uuid primary key default gen_random_uuid(),
  name text not null check (length(name) between 1 and 200),
  email text not null unique check (length(email) <= 254 and email = lower(email)),
  email_verified boolean not null default false,
  -- Verified by an invitation link instead of an email: the address counts in the inviting account only (see join_by_invitation).
  verified_by_link boolean not null default false,
  image text,
  two_factor_enabled boolean not null default false,
  -- Runs the installation. Set by the functions below and never by the sign-in library.
  is_operator boolean not null default false,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);
grant select, delete on people to probity_people;
grant insert (id, name, email, email_verified, image, two_factor_enabled, created_at, updated_at),
  update (name, email, email_verified, image, two_factor_enabled, updated_at) on people to probity_people;

-- How a person proves who they are. The one provider there is is 'credential', a password.
create table credentials (
  id uuid primary key default gen_random_uuid(),
  person_id uuid not null references people (id) on delete cascade,
  provider text not null,
  subject text not null,
  password text,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  unique (provider, subject)
);
create index credentials_by_person on credentials (person_id);
grant select, insert, update, delete on credentials to probity_people;

-- A session is over when its week is, or half a day after it was last used, and from then on nobody finds it: not the sign-in library
-- either, to which the policy shows what lives.
create table sessions (
  id uuid primary key default gen_random_uuid(),
  person_id uuid not null references people (id) on delete cascade,
  token text not null unique,
  expires_at timestamptz not null,
  last_seen_at timestamptz not null default clock_timestamp(),
  ip_address text,
  user_agent text,
  active_account uuid references accounts (id) on delete set null,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);
create index sessions_by_person on sessions (person_id);

create function is_session_live(p_session sessions) returns boolean
  language sql stable
  return p_session.expires_at > clock_timestamp() and p_session.last_seen_at > clock_timestamp() - interval '12 hours';

alter table sessions enable row level security;
create policy live on sessions to probity_people using (is_session_live(sessions)) with check (true);
grant select, insert, update, delete on sessions to probity_people;

-- What somebody was sent, or has been asked for, and has yet to show: resets, second factors.
create table verifications (
  id uuid primary key default gen_random_uuid(),
  identifier text not null,
  value text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);
create index verifications_by_identifier on verifications (identifier);
grant select, insert, update, delete on verifications to probity_people;

create table second_factors (
  id uuid primary key default gen_random_uuid(),
  person_id uuid not null unique references people (id) on delete cascade,
  secret text not null,
  recovery_codes text not null,
  verified boolean not null default true,
  failed_count integer not null default 0,
  locked_until timestamptz
);
grant select, insert, update, delete on second_factors to probity_people;

-- People know an account as their organisation.
alter table accounts
  add column slug text unique check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) <= 60),
  add column logo text,
  add column metadata text;

-- Of accounts the sign-in library sees this much.
create view organisations as select id, name, slug, logo, metadata, created_at from accounts;
grant select on organisations to probity_people;

create table members (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts (id) on delete cascade,
  person_id uuid not null references people (id) on delete cascade,
  role text not null check (role in ('owner', 'admin', 'developer', 'marketer', 'viewer')),
  created_at timestamptz not null default clock_timestamp(),
  unique (account_id, person_id)
);
create index members_by_person on members (person_id);

alter table members enable row level security;
create policy tenant on members to probity_app using (account_id = app_account());
create policy people on members to probity_people using (true);
grant select on members to probity_app;
grant select, insert, update, delete on members to probity_people;

-- The library looks before it lets an owner go, and so do two of them at once. Here they stand in a queue.
create function members_keep_an_owner() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if old.role = 'owner' and (tg_op = 'DELETE' or new.role <> 'owner' or new.account_id <> old.account_id) then
    perform 1 from accounts where id = old.account_id for no key update;
    if found and not exists (select from members where account_id = old.account_id and role = 'owner') then
      raise exception 'an organisation keeps an owner' using errcode = 'PB001';
    end if;
  end if;
  return null;
end
$$;
create trigger keep_an_owner after update or delete on members for each row execute function members_keep_an_owner();

create table invitations (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts (id) on delete cascade,
  email text not null check (length(email) <= 254),
  role text not null check (role in ('owner', 'admin', 'developer', 'marketer', 'viewer')),
  status text not null default 'pending' check (status in ('pending', 'accepted', 'rejected', 'canceled')),
  inviter_id uuid not null references people (id) on delete cascade,
  expires_at timestamptz not null,
  created_at timestamptz not null default clock_timestamp()
);
create index invitations_by_account on invitations (account_id);
create index invitations_by_email on invitations (email);

alter table invitations enable row level security;
create policy tenant on invitations to probity_app using (account_id = app_account());
create policy people on invitations to probity_people using (true);
grant select on invitations to probity_app;
grant select, insert, update, delete on invitations to probity_people;

-- Signs session cookies, where the operator gave no secret of their own.
insert into secrets values
  ('sessions', sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'utf8')));

-- Who is at the door of the web application? Notes now and then that the session is used.
create function find_session(p_token text)
  returns table (
    person_id uuid, name text, email text, email_verified boolean, two_factor boolean, is_operator boolean,
    verified_by_link boolean
  )
  language sql volatile security definer set search_path = public, pg_temp
  begin atomic
    with live as (
      select s.id, s.person_id, s.last_seen_at from sessions s where s.token = p_token and is_session_live(s)
    ), seen as (
      update sessions s set last_seen_at = clock_timestamp()
      from live where s.id = live.id and live.last_seen_at < clock_timestamp() - interval '5 minutes'
    )
    select p.id, p.name, p.email, p.email_verified, p.two_factor_enabled, p.is_operator, p.verified_by_link
    from live join people p on p.id = live.person_id;
  end;

-- What a person may do in an account, and what its plan gives: as find_api_key for keys.
create function find_member(p_person uuid, p_account uuid)
  returns table (
    account_id uuid, role text, retention_days smallint, plan text, requests_per_window integer, window_s integer,
    interactive_in_flight integer, refund_unknown boolean
  )
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select m.account_id, m.role, a.retention_days, p.name, p.requests_per_window, p.window_s, p.interactive_in_flight,
           p.refund_unknown
    from members m join accounts a on a.id = m.account_id join plans p on p.name = a.plan
    where m.person_id = p_person and m.account_id = p_account;
  end;

create function list_memberships(p_person uuid) returns table (account_id uuid, slug text, name text, role text)
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select m.account_id, a.slug, a.name, m.role from members m join accounts a on a.id = m.account_id
    where m.person_id = p_person order by m.created_at, m.account_id;
  end;

-- An invitation that can still be accepted, for whoever has its id.
create function find_invitation(p_id uuid)
  returns table (
    organisation text, role text, inviter text, email text, expires_at timestamptz, has_account boolean, has_verified_user boolean
  )
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select a.name, i.role, p.name, i.email, i.expires_at, exists (select from people o where o.email = lower(i.email)),
           exists (select from people o where o.email = lower(i.email) and (o.email_verified or o.is_operator))
    from invitations i join accounts a on a.id = i.account_id join people p on p.id = i.inviter_id
    where i.id = p_id and i.status = 'pending' and i.expires_at > clock_timestamp();
  end;

-- Whether a member may hand out the link of a pending invitation: with the roles that may invite to the invited role.
create function may_share_invitation(p_invitation uuid, p_person uuid) returns boolean
  language sql stable security definer set search_path = public, pg_temp
  return exists (
    select from invitations i join members m on m.account_id = i.account_id and m.person_id = p_person
    where i.id = p_invitation and i.status = 'pending' and i.expires_at > clock_timestamp()
      and m.role in ('owner', 'admin') and (i.role <> 'owner' or m.role = 'owner')
  );

-- Creates the invited user and the membership in one transaction, for installations without an SMTP relay: the link that the inviter hands
-- over verifies the address, which is the invitation's and never one that a client sends. A user who signed up with the address and never
-- verified it gets the new name and password, since that sign-up proves nothing; an operator is not replaced. Returns the address, or null
-- when the invitation is not pending, its inviter may no longer invite, or a verified user has the address.
create function join_by_invitation(p_invitation uuid, p_name text, p_password text) returns text
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_invitation invitations;
  v_user uuid;
  v_ip text := nullif(current_setting('app.actor', true), '')::jsonb ->> 'ip';
begin
  -- Of two requests with one link the second waits here, and then finds the invitation accepted.
  select * into v_invitation from invitations i
  where i.id = p_invitation and i.status = 'pending' and i.expires_at > clock_timestamp()
  for update;
  if not found or not may_share_invitation(p_invitation, v_invitation.inviter_id) then
    return null;
  end if;
  insert into people as p (name, email, email_verified, verified_by_link) values (p_name, lower(v_invitation.email), true, true)
  on conflict (email) do update
    set name = excluded.name, email_verified = true, verified_by_link = true, updated_at = clock_timestamp()
    where not p.email_verified and not p.is_operator
  returning p.id into v_user;
  if v_user is null then
    return null;
  end if;
  -- From here on the new user acts, for the audit log.
  perform set_config('app.actor', jsonb_build_object('kind', 'member', 'id', v_user, 'name', p_name, 'ip', v_ip)::text, true);
  insert into credentials (person_id, provider, subject, password) values (v_user, 'credential', v_user, p_password)
  on conflict (provider, subject) do update set password = excluded.password, updated_at = clock_timestamp();
  insert into members (account_id, person_id, role) values (v_invitation.account_id, v_user, v_invitation.role);
  update invitations set status = 'accepted' where id = p_invitation;
  return lower(v_invitation.email);
end
$$;

-- A name as it may stand in an address, with a number behind it where it is taken.
create function free_slug(p_name text) returns text
  language plpgsql as $$
declare
  v_base text := coalesce(nullif(trim(both '-' from left(regexp_replace(lower(p_name), '[^a-z0-9]+', '-', 'g'), 50)), ''), 'organisation');
  v_slug text := v_base;
begin
  for n in 2 .. 20 loop
    if not exists (select from accounts where slug = v_slug) then
      return v_slug;
    end if;
    v_slug := v_base || '-' || n;
  end loop;
  return v_base || '-' || left(md5(gen_random_uuid()::text), 8);
end
$$;

-- Opens an account with its owner; with unlimited credits where p_credits is null. What a new account is given is given to a person
-- once: otherwise another organisation would be a way to more. Null when the person has as many organisations as they may.
create function open_organisation(p_person uuid, p_name text, p_plan text, p_credits bigint) returns uuid
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_owned bigint;
  v_account uuid;
  v_tenant text := coalesce(current_setting('app.account_id', true), '');
begin
  perform 1 from people where id = p_person for no key update;
  select count(*) into v_owned from members where person_id = p_person and role = 'owner';
  if v_owned >= 20 then
    return null;
  end if;
  perform pg_advisory_xact_lock(hashtext('free_slug'));
  insert into accounts (name, plan, unlimited, slug) values (p_name, p_plan, p_credits is null, free_slug(p_name))
  returning id into v_account;
  insert into members (account_id, person_id, role) values (v_account, p_person, 'owner');
  if p_credits > 0 and v_owned = 0 then
    perform set_config('app.account_id', v_account::text, true);
    perform ledger_post('grant', p_credits, gen_random_uuid(), 0, null, 'opening balance');
    perform set_config('app.account_id', v_tenant, true);
  end if;
  return v_account;
end
$$;

-- The way in for the first person. Only the hash of the token is kept, and the row goes when it is claimed.
create table setup_tokens (
  only_one boolean primary key default true check (only_one),
  hash bytea not null check (length(hash) = 32),
  made_at timestamptz not null default clock_timestamp()
);

create function is_setup_needed() returns boolean
  language sql stable security definer set search_path = public, pg_temp
  return not exists (select from people);

create function is_setup_token(p_hash bytea) returns boolean
  language sql stable security definer set search_path = public, pg_temp
  return exists (select from setup_tokens where hash = p_hash) and not exists (select from people);

-- Makes the first person, who runs the installation, and their account. Of many who claim at once one deletes the row; the others
-- wait for it and find nothing.
create function claim_setup(p_hash bytea, p_name text, p_email text, p_password text, p_organisation text)
  returns table (person_id uuid, account_id uuid)
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_person uuid;
begin
  delete from setup_tokens t where t.hash = p_hash;
  if not found or exists (select from people) then
    return;
  end if;
  insert into people (name, email, email_verified, is_operator) values (p_name, lower(p_email), true, true)
  returning id into v_person;
  insert into credentials (person_id, provider, subject, password) values (v_person, 'credential', v_person, p_password);
  return query select v_person, open_organisation(v_person, p_organisation, 'payg', null);
end
$$;

-- Sessions and messages whose time is over.
create function remove_ended_sessions() returns bigint
  language sql volatile security definer set search_path = public, pg_temp
  begin atomic
    delete from verifications where expires_at < clock_timestamp() - interval '1 day';
    with gone as (delete from sessions s where not is_session_live(s) returning 1) select count(*) from gone;
  end;

revoke execute on function
  find_session(text), find_member(uuid, uuid), list_memberships(uuid), find_invitation(uuid),
  may_share_invitation(uuid, uuid), join_by_invitation(uuid, text, text),
  open_organisation(uuid, text, text, bigint), is_setup_needed(), is_setup_token(bytea),
  claim_setup(bytea, text, text, text, text), remove_ended_sessions(), free_slug(text) from public;
grant execute on function
  find_session(text), find_member(uuid, uuid), list_memberships(uuid), find_invitation(uuid),
  may_share_invitation(uuid, uuid), join_by_invitation(uuid, text, text),
  open_organisation(uuid, text, text, bigint), is_setup_needed(), is_setup_token(bytea),
  claim_setup(bytea, text, text, text, text), remove_ended_sessions() to probity_app;
