-- Users and their access: credentials, sessions, members, invitations, setup, and email notifications to members.
-- probity_users (the sign-in library) reads and writes users, credentials, sessions, verifications, two_factors, members and
-- invitations. probity_app uses functions and reads members, invitations and notifications of its account.

-- ---- Tables ----

-- A row is a user, who can sign in. The sign-in library writes and deletes it; claim_setup writes the first one.
create table users (
  id uuid primary key default gen_random_uuid(),
  name text not null check (length(name) between 1 and 200),
  email text not null unique check (length(email) <= 254 and email = lower(email)),
  email_verified boolean not null default false,
  -- Verified by an invitation link instead of an email: the address counts in the inviting account only (see join_by_invitation).
  verified_by_link boolean not null default false,
  image text,
  two_factor_enabled boolean not null default false,
  is_operator boolean not null default false, -- set by claim_setup and the admin command; probity_users cannot write it
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);

grant select, delete on users to probity_users;
grant insert (id, name, email, email_verified, image, two_factor_enabled, created_at, updated_at),
  update (name, email, email_verified, image, two_factor_enabled, updated_at) on users to probity_users;

-- A row is a sign-in method of a user. The only provider is 'credential' (password). Deleted with its user.
create table credentials (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references users (id) on delete cascade,
  provider text not null,
  subject text not null, -- the user id for the provider 'credential'
  password text, -- hash
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  unique (provider, subject)
);

create index credentials_by_user on credentials (user_id);

grant select, insert, update, delete on credentials to probity_users;

-- A row is a session of a user in the web app. It ends at expires_at or 12 hours after its last use. The policy hides ended
-- sessions from the sign-in library too; delete_ended_sessions deletes them.
create table sessions (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references users (id) on delete cascade,
  token_hash text not null unique check (length(token_hash) = 43), -- SHA-256 of the token in base64url
  expires_at timestamptz not null,
  last_seen_at timestamptz not null default clock_timestamp(),
  ip_address text,
  user_agent text,
  active_account uuid references accounts (id) on delete set null,
  -- Time of the last 2FA code, in a session that a code started. Null in all others, and after the user disabled 2FA or made new
  -- recovery codes: a code then counts from the next sign-in on. Sensitive operator actions need a code of the last 15 minutes.
  code_entered_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);

create index sessions_by_user on sessions (user_id);

-- Returns whether a session has not ended.
-- Output: true before expires_at and within 12 hours after the last use.
-- Locks: none.
create function is_session_live(p_session sessions) returns boolean
  language sql stable
  return p_session.expires_at > clock_timestamp() and p_session.last_seen_at > clock_timestamp() - interval '12 hours';

alter table sessions enable row level security;
create policy live on sessions to probity_users using (is_session_live(sessions)) with check (true);
grant select, insert, update, delete on sessions to probity_users;

-- A row is a pending verification of the sign-in library, for example a password reset or a 2FA step.
-- delete_ended_sessions deletes it one day after it expires.
create table verifications (
  id uuid primary key default gen_random_uuid(),
  identifier text not null,
  value text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);

create index verifications_by_identifier on verifications (identifier);

grant select, insert, update, delete on verifications to probity_users;

-- A row is the 2FA configuration of a user: the secret of the authenticator app and the hashes of the recovery codes. Written by
-- the sign-in library; deleted with its user.
create table two_factors (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null unique references users (id) on delete cascade,
  secret text not null,
  recovery_codes text not null,
  verified boolean not null default true,
  failed_count integer not null default 0,
  locked_until timestamptz,
  used_codes jsonb not null default '{}', -- codes of the last two minutes with the time of their use in seconds
  wrong_codes timestamptz[] not null default '{}' -- times of wrong codes in signed-in sessions within 15 minutes, at most seven
);

grant select, insert, update, delete on two_factors to probity_users;

-- A row is a user in an account, with a role. Deleted when the member leaves, the user is deleted or the account is closed.
-- An account that is not closed keeps at least one owner (members_require_owner).
create table members (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  role text not null check (role in ('owner', 'admin', 'developer', 'marketer', 'viewer')),
  created_at timestamptz not null default clock_timestamp(),
  -- Kinds of notifications that the member receives; null for the defaults of the role (default_notifications).
  notifications text[]
    check (notifications <@ array['job_done', 'credits_low', 'key_created', 'webhook_failing', 'retention_warning']),
  unique (account_id, user_id)
);

create index members_by_user on members (user_id);

alter table members enable row level security;
create policy tenant on members to probity_app using (account_id = app_account());
create policy users on members to probity_users using (true);
grant select on members to probity_app;
grant select, insert, update, delete on members to probity_users;
grant update (notifications) on members to probity_app;
create policy operator on members to probity_operator using (true);
grant select (account_id, role) on members to probity_operator;

-- A row is an invitation of an email address to an account. The sign-in library writes it; deleted with its account.
create table invitations (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts (id) on delete cascade,
  email text not null check (length(email) <= 254),
  role text not null check (role in ('owner', 'admin', 'developer', 'marketer', 'viewer')),
  status text not null default 'pending' check (status in ('pending', 'accepted', 'rejected', 'canceled')),
  inviter_id uuid not null references users (id) on delete cascade,
  expires_at timestamptz not null,
  created_at timestamptz not null default clock_timestamp()
);

create index invitations_by_account on invitations (account_id);
create index invitations_by_email on invitations (email);

alter table invitations enable row level security;
create policy tenant on invitations to probity_app using (account_id = app_account());
create policy users on invitations to probity_users using (true);
grant select on invitations to probity_app;
grant select, insert, update, delete on invitations to probity_users;

-- The token of the setup link, which creates the first user. At most one row, with the SHA-256 of the token. It expires after one
-- hour. The admin command writes or replaces it; claim_setup deletes it. No role has rights on the table.
create table setup_tokens (
  only_one boolean primary key default true check (only_one),
  hash bytea not null check (length(hash) = 32),
  made_at timestamptz not null default clock_timestamp()
);

-- A row is an email notification to one member. notify_members writes it, workers send it. Rows are kept after sending, because
-- the unique constraint prevents duplicates; delete_old_notifications deletes them.
create table notifications (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  kind text not null,
  subject text not null, -- id of the object or event; one notification per kind and subject
  data jsonb not null,
  created_at timestamptz not null default clock_timestamp(),
  attempts smallint not null default 0,
  next_at timestamptz default clock_timestamp(), -- time of the next attempt; null after it was sent or failed permanently
  sent_at timestamptz,
  unique (account_id, user_id, kind, subject)
);

create index notifications_due on notifications (next_at) where next_at is not null;

alter table notifications enable row level security;
create policy tenant on notifications using (account_id = app_account());
grant select on notifications to probity_app;
create policy operator on notifications to probity_operator using (true);
grant select (account_id, next_at, created_at, sent_at) on notifications to probity_operator;

-- The account columns that the sign-in library can read. The view has its owner's rights, so row-level security does not apply.
create view account_profiles as select id, name, slug, logo, metadata, created_at from accounts;
grant select on account_profiles to probity_users;

-- ---- Functions ----

-- Rejects a change or delete that removes the last owner of an account (trigger function). Closed accounts need no owner.
-- The sign-in library checks this too, but two concurrent requests can both pass its check.
-- Output: null (after trigger); raises PB001 if no owner is left.
-- Locks: the account row (no key update) until commit, which serializes owner changes of an account.
create function members_require_owner() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if old.role = 'owner' and (tg_op = 'DELETE' or new.role <> 'owner' or new.account_id <> old.account_id) then
    perform 1 from accounts where id = old.account_id and closed_at is null for no key update;
    if found and not exists (select from members where account_id = old.account_id and role = 'owner') then
      raise exception 'an organisation keeps an owner' using errcode = 'PB001';
    end if;
  end if;
  return null;
end
$$;

-- Returns the user of a session that has not ended, and updates last_seen_at at most every five minutes.
-- Output: one row, or none if there is no live session with the hash of the token. code_age_s is null unless a 2FA code counts
-- for operator actions (see sessions.code_entered_at).
-- Locks: the session row, only if it updates last_seen_at.
create function find_session(p_token_hash text)
  returns table (
    user_id uuid, name text, email text, email_verified boolean, two_factor boolean, is_operator boolean,
    verified_by_link boolean, code_age_s double precision
  )
  language sql volatile security definer set search_path = public, pg_temp
  begin atomic
    with live as (
      select s.id, s.user_id, s.last_seen_at, s.code_entered_at from sessions s where s.token_hash = p_token_hash and is_session_live(s)
    ), seen as (
      update sessions s set last_seen_at = clock_timestamp()
      from live where s.id = live.id and live.last_seen_at < clock_timestamp() - interval '5 minutes'
    )
    select p.id, p.name, p.email, p.email_verified, p.two_factor_enabled, p.is_operator, p.verified_by_link,
           extract(epoch from clock_timestamp() - live.code_entered_at)::double precision
    from live join users p on p.id = live.user_id;
  end;

-- Returns the role of a user in an account with the settings of the account and its plan, as find_api_key does for keys.
-- Output: one row, or none if the user is not a member.
-- Locks: none.
create function find_member(p_user uuid, p_account uuid)
  returns table (
    account_id uuid, role text, retention_days smallint, plan text, requests_per_window integer, window_s integer,
    interactive_in_flight integer, ai boolean, catchall boolean, send_threshold double precision,
    excluded_traits text[], account_ip_allow_list text[]
  )
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select m.account_id, m.role, a.retention_days, p.name, p.requests_per_window, p.window_s, p.interactive_in_flight,
           p.ai_enhancement, p.catchall_detection, a.send_threshold, a.excluded_traits, a.ip_allow_list
    from members m join accounts a on a.id = m.account_id join plans p on p.name = a.plan
    where m.user_id = p_user and m.account_id = p_account;
  end;

-- Returns the accounts of a user with the user's roles.
-- Output: one row per account, oldest membership first.
-- Locks: none.
create function list_memberships(p_user uuid) returns table (account_id uuid, slug text, name text, role text)
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select m.account_id, a.slug, a.name, m.role from members m join accounts a on a.id = m.account_id
    where m.user_id = p_user order by m.created_at, m.account_id;
  end;

-- Returns a pending invitation that has not expired. The id is the only proof that the client needs.
-- Output: one row, or none. organisation is the account name. It does not reveal whether a user with the email exists.
-- Locks: none.
create function find_invitation(p_id uuid)
  returns table (organisation text, role text, inviter text, email text, expires_at timestamptz)
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select a.name, i.role, p.name, i.email, i.expires_at
    from invitations i join accounts a on a.id = i.account_id join users p on p.id = i.inviter_id
    where i.id = p_id and i.status = 'pending' and i.expires_at > clock_timestamp();
  end;

-- Whether a member may hand out the link of a pending invitation: owners and admins, and for the role owner only owners.
-- Locks: none.
create function may_share_invitation(p_invitation uuid, p_user uuid) returns boolean
  language sql stable security definer set search_path = public, pg_temp
  return exists (
    select from invitations i join members m on m.account_id = i.account_id and m.user_id = p_user
    where i.id = p_invitation and i.status = 'pending' and i.expires_at > clock_timestamp()
      and m.role in ('owner', 'admin') and (i.role <> 'owner' or m.role = 'owner')
  );

-- Creates the invited user and the membership, for installations without an SMTP relay. The link that the inviter hands over
-- verifies the address, which is the invitation's and never one that a client sends. A user who signed up with the address and
-- never verified it gets the new name and password, since that sign-up proves nothing. An operator is not replaced.
-- Output: the address, or null if the invitation is not pending, its inviter may no longer invite, or a verified user has the address.
-- Locks: the invitation (for update), so that a link works once.
create function join_by_invitation(p_invitation uuid, p_name text, p_password text) returns text
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_invitation invitations;
  v_user uuid;
  v_ip text := nullif(current_setting('app.actor', true), '')::jsonb ->> 'ip';
begin
  select * into v_invitation from invitations i
  where i.id = p_invitation and i.status = 'pending' and i.expires_at > clock_timestamp()
  for update;
  if not found or not may_share_invitation(p_invitation, v_invitation.inviter_id) then
    return null;
  end if;
  insert into users as u (name, email, email_verified, verified_by_link) values (p_name, lower(v_invitation.email), true, true)
  on conflict (email) do update
    set name = excluded.name, email_verified = true, verified_by_link = true, updated_at = clock_timestamp()
    where not u.email_verified and not u.is_operator
  returning u.id into v_user;
  if v_user is null then
    return null;
  end if;
  -- The audit log names the new user for the changes that follow.
  perform set_config('app.actor', jsonb_build_object('kind', 'member', 'id', v_user, 'name', p_name, 'ip', v_ip)::text, true);
  insert into credentials (user_id, provider, subject, password) values (v_user, 'credential', v_user, p_password)
  on conflict (provider, subject) do update set password = excluded.password, updated_at = clock_timestamp();
  insert into members (account_id, user_id, role) values (v_invitation.account_id, v_user, v_invitation.role);
  update invitations set status = 'accepted' where id = p_invitation;
  return lower(v_invitation.email);
end
$$;

-- Stores a password reset for a user under the identifier that the sign-in library looks up. An operator hands the link over
-- if there is no SMTP relay. Writes to the audit log of the installation and of each of the user's accounts.
-- Output: when the link expires (one hour), or null if no user has the email.
-- Locks: none.
create function create_password_reset(p_email text, p_identifier text) returns timestamptz
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_user users;
  v_expires_at timestamptz := clock_timestamp() + interval '1 hour';
begin
  select * into v_user from users where email = lower(p_email);
  if not found then
    return null;
  end if;
  insert into verifications (identifier, value, expires_at) values (p_identifier, v_user.id, v_expires_at);
  perform record_audit_entry(null, 'person.reset_link_created', v_user.id::text, v_user.name, null);
  perform record_audit_entry(m.account_id, 'person.reset_link_created', v_user.id::text, v_user.name, null)
  from members m where m.user_id = v_user.id;
  return v_expires_at;
end
$$;

-- Creates an account with its owner and grants the opening balance.
-- Input: p_credits is the opening balance; null creates an account with unlimited credits. The balance is granted once per user
-- and per p_address_hash, the keyed hash of the user's email address (see opening_grants in billing.sql).
-- Output: the account id, or null if the user already owns 20 accounts.
-- Locks: the user row (no key update), the advisory lock 'unused_slug', the new account and the opening_grants row, until commit.
create function create_account(p_user uuid, p_name text, p_plan text, p_credits bigint, p_address_hash bytea) returns uuid
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_owned bigint;
  v_account uuid;
  v_tenant text := coalesce(current_setting('app.account_id', true), '');
begin
  perform 1 from users where id = p_user for no key update;
  select count(*) into v_owned from members where user_id = p_user and role = 'owner';
  if v_owned >= 20 then
    return null;
  end if;
  perform pg_advisory_xact_lock(hashtext('unused_slug'));
  insert into accounts (name, plan, unlimited, slug) values (p_name, p_plan, p_credits is null, unused_slug(p_name))
  returning id into v_account;
  insert into members (account_id, user_id, role) values (v_account, p_user, 'owner');
  if p_credits > 0 then
    insert into opening_grants (address_hash, user_id) values (p_address_hash, p_user) on conflict do nothing;
    if found then
      perform set_config('app.account_id', v_account::text, true);
      perform ledger_post('grant', p_credits, gen_random_uuid(), 0, null, 'opening balance');
      perform set_config('app.account_id', v_tenant, true);
    end if;
  end if;
  return v_account;
end
$$;

-- Returns whether the installation has no user yet.
-- Output: true if users is empty.
-- Locks: none.
create function is_setup_needed() returns boolean
  language sql stable security definer set search_path = public, pg_temp
  return not exists (select from users);

-- Returns whether a setup token is valid.
-- Input: p_hash is the SHA-256 of the token.
-- Output: false also if the token has expired or a user exists.
-- Locks: none.
create function is_setup_token(p_hash bytea) returns boolean
  language sql stable security definer set search_path = public, pg_temp
  return exists (select from setup_tokens where hash = p_hash and made_at > clock_timestamp() - interval '1 hour')
    and not exists (select from users);

-- Creates the first user as an operator with a verified email, and an unlimited account for the user.
-- Input: p_hash is the SHA-256 of the setup token; p_password is a password hash.
-- Output: one row, or none if the token is invalid or has expired, or a user exists.
-- Locks: the setup token row by deleting it. Concurrent claims wait for the commit and then find no row. Also those of
-- create_account.
create function claim_setup(p_hash bytea, p_name text, p_email text, p_password text, p_account_name text)
  returns table (user_id uuid, account_id uuid)
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_user uuid;
begin
  delete from setup_tokens t where t.hash = p_hash and t.made_at > clock_timestamp() - interval '1 hour';
  if not found or exists (select from users) then
    return;
  end if;
  insert into users (name, email, email_verified, is_operator) values (p_name, lower(p_email), true, true)
  returning id into v_user;
  insert into credentials (user_id, provider, subject, password) values (v_user, 'credential', v_user, p_password);
  return query select v_user, create_account(v_user, p_account_name, 'payg', null, null);
end
$$;

-- Deletes ended sessions, and verifications that expired more than a day ago.
-- Output: the number of deleted sessions.
-- Locks: the deleted rows.
create function delete_ended_sessions() returns bigint
  language sql volatile security definer set search_path = public, pg_temp
  begin atomic
    delete from verifications where expires_at < clock_timestamp() - interval '1 day';
    with gone as (delete from sessions s where not is_session_live(s) returning 1) select count(*) from gone;
  end;

-- Returns the notification kinds that a role receives by default.
-- Output: an empty array for roles without notifications.
-- Locks: none.
create function default_notifications(p_role text) returns text[]
  language sql immutable
  return case p_role
    when 'owner' then array['job_done', 'credits_low', 'key_created', 'webhook_failing', 'retention_warning']
    when 'admin' then array['job_done', 'credits_low', 'key_created', 'webhook_failing', 'retention_warning']
    when 'developer' then array['job_done', 'webhook_failing']
    when 'marketer' then array['job_done', 'retention_warning']
    else '{}'
  end;

-- Writes a notification for each member of an account who receives the kind and has a verified email.
-- Input: p_subject identifies the object or event; p_data contains the values for the email text.
-- Output: none. Notifications with the same kind and subject are not repeated.
-- Locks: none beyond the inserted rows.
create function notify_members(p_account uuid, p_kind text, p_subject text, p_data jsonb) returns void
  language sql security definer set search_path = public, pg_temp
  begin atomic
    insert into notifications (account_id, user_id, kind, subject, data)
    select p_account, m.user_id, p_kind, p_subject, p_data
    from members m join users p on p.id = m.user_id
    where m.account_id = p_account and p.email_verified
      and p_kind = any (coalesce(m.notifications, default_notifications(m.role)))
    on conflict do nothing;
  end;

-- Claims due notifications for sending and cancels those that are older than two days or whose user is no longer a member.
-- Input: p_hold_s is the duration of the claim in seconds; the notification is due again afterwards.
-- Output: the claimed notifications with recipient and account; attempts includes the current attempt.
-- Locks: the claimed rows (for update, skip locked) and the canceled rows.
create function claim_notifications(p_limit integer, p_hold_s integer)
  returns table (id uuid, kind text, data jsonb, attempts smallint, email text, name text, organisation text, slug text)
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update notifications n set next_at = null
  where n.next_at is not null and (n.created_at < clock_timestamp() - interval '2 days' or not exists (
    select from members m where m.account_id = n.account_id and m.user_id = n.user_id
  ));
  return query
    with due as (
      select d.id from notifications d where d.next_at <= clock_timestamp() order by d.next_at limit p_limit for update skip locked
    )
    update notifications n set attempts = n.attempts + 1, next_at = clock_timestamp() + make_interval(secs => p_hold_s)
    from due, users p, accounts a
    where n.id = due.id and p.id = n.user_id and a.id = n.account_id
    returning n.id, n.kind, n.data, n.attempts, p.email, p.name, a.name, a.slug;
end
$$;

-- Records the outcome of an attempt to send a notification.
-- Input: p_again_s is the delay until the next attempt; null if the notification was sent, negative if it failed permanently.
-- Output: none.
-- Locks: the notification row.
create function settle_notification(p_id uuid, p_again_s integer) returns void
  language sql security definer set search_path = public, pg_temp
  begin atomic
    update notifications set
      sent_at = case when p_again_s is null then clock_timestamp() end,
      next_at = case when p_again_s >= 0 then clock_timestamp() + make_interval(secs => p_again_s) end
    where id = p_id;
  end;

-- Deletes notifications older than p_days days.
-- Output: the number of deleted notifications.
-- Locks: the deleted rows.
create function delete_old_notifications(p_days integer) returns bigint
  language sql security definer set search_path = public, pg_temp
  begin atomic
    with gone as (
      delete from notifications where created_at < clock_timestamp() - make_interval(days => p_days) returning 1
    )
    select count(*) from gone;
  end;

-- Returns the IP allowlist of an account, for requests that the sign-in library handles.
-- Input: p_account, or p_invitation if p_account is null.
-- Output: the list, empty if all IP addresses are allowed; null if there is no such account or invitation.
-- Locks: none.
create function find_ip_allowlist(p_account uuid, p_invitation uuid) returns text[]
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select a.ip_allow_list from accounts a
    where a.id = coalesce(p_account, (select i.account_id from invitations i where i.id = p_invitation));
  end;

-- Returns the members of the transaction's account, for the account export.
-- Output: one row per member, oldest membership first.
-- Locks: none.
create function list_account_members() returns table (name text, email text, role text, since timestamptz)
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select p.name, p.email, m.role, m.created_at from members m join users p on p.id = m.user_id
    where m.account_id = app_account() order by m.created_at, m.id;
  end;

-- Writes an audit entry about a sign-in, a session or the login of a user to each of the user's accounts, or to the log of the
-- installation if there is none.
-- Input: p_user, or p_email if p_user is null; p_event is the second part of the action name. A failed sign-in names no actor.
-- Output: none. Writes nothing if there is no such user.
-- Locks: none.
create function record_user_event(p_user uuid, p_email text, p_event text) returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_user users;
  v_self uuid;
begin
  select * into v_user from users where id = p_user or (p_user is null and email = lower(p_email));
  if found then
    v_self := case when p_event <> 'sign_in_failed' then v_user.id end;
    perform record_audit_entry(m.account_id, 'person.' || p_event, v_user.id::text, v_user.name, null, v_self)
    from members m where m.user_id = v_user.id;
    if not found then
      perform record_audit_entry(null, 'person.' || p_event, v_user.id::text, v_user.name, null, v_self);
    end if;
  end if;
end
$$;

-- Writes audit entries for changes of a user's password, email, 2FA or operator right (trigger function).
-- Operator changes are recorded for the installation, other changes by record_user_event. Entries contain no address.
-- Output: null (after trigger).
-- Locks: none.
create function audit_sign_in() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_row jsonb := to_jsonb(new);
  v_user uuid := coalesce(v_row ->> 'user_id', v_row ->> 'id')::uuid;
  v_name text := (select name from users where id = v_user);
  v_action text := case
    when tg_table_name = 'credentials' then 'person.password_changed'
    when (to_jsonb(old) -> 'is_operator') <> (v_row -> 'is_operator')
      then case when (v_row ->> 'is_operator')::boolean then 'person.made_operator' else 'person.unmade_operator' end
    when to_jsonb(old) -> 'email' <> v_row -> 'email' then 'person.email_changed'
    when (v_row ->> 'two_factor_enabled')::boolean then 'person.second_factor_on'
    else 'person.second_factor_off'
  end;
begin
  if v_action in ('person.made_operator', 'person.unmade_operator') then
    perform record_audit_entry(null, v_action, v_user::text, v_name, null);
  else
    perform record_user_event(v_user, null, substr(v_action, length('person.') + 1));
  end if;
  return null;
end
$$;

-- ---- Triggers ----

create trigger require_owner after update or delete on members for each row execute function members_require_owner();

create trigger audit after insert or update or delete on members for each row execute function
  audit_row('member', 'user_id', 'role', 'notifications id account_id created_at');

create trigger audit after insert or update or delete on invitations for each row execute function
  audit_row('invitation', 'email', 'role', 'expires_at id account_id created_at');

create trigger audit after update of password on credentials for each row
  when (old.password is distinct from new.password) execute function audit_sign_in();

create trigger audit after update of two_factor_enabled, is_operator, email on users for each row
  when (old.two_factor_enabled <> new.two_factor_enabled or old.is_operator <> new.is_operator or old.email <> new.email)
  execute function audit_sign_in();

-- ---- Rights ----

revoke execute on function
  find_session, find_member, list_memberships, find_invitation, may_share_invitation, join_by_invitation,
  create_password_reset, create_account, is_setup_needed, is_setup_token, claim_setup, delete_ended_sessions, notify_members, claim_notifications, settle_notification,
  delete_old_notifications, find_ip_allowlist, list_account_members, record_user_event, audit_sign_in
from public;

grant execute on function
  find_session, find_member, list_memberships, find_invitation, may_share_invitation, join_by_invitation, create_account, is_setup_needed, is_setup_token,
  claim_setup, delete_ended_sessions, claim_notifications, settle_notification, delete_old_notifications,
  find_ip_allowlist, list_account_members, record_user_event
to probity_app;

revoke execute on function is_session_live, default_notifications from public;
grant execute on function default_notifications to probity_app;
grant execute on function is_session_live to probity_users;
grant execute on function record_user_event to probity_users;

grant execute on function create_password_reset to probity_operator;
