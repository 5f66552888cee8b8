-- Keys for programs. The key itself is shown once and kept nowhere: only its SHA-256 is here. A revoked or expired key
-- keeps its row, so that what it did can still be traced to it.
create table api_keys (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts (id) on delete cascade,
  mode text not null check (mode in ('live', 'test')),
  name text not null check (length(name) between 1 and 100),
  hash bytea not null unique check (length(hash) = 32),
  hint text not null,
  scopes text[] not null,
  ip_allow_list text[] not null default '{}' check (cardinality(ip_allow_list) <= 50),
  monthly_cap bigint check (monthly_cap >= 0),
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz,
  paused_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  -- When anything that decides over a request last changed; processes look for recent values to forget what they cached.
  changed_at timestamptz not null default clock_timestamp()
);

create index api_keys_by_account on api_keys (account_id, created_at);
create index api_keys_by_change on api_keys (changed_at);

alter table api_keys enable row level security;
create policy tenant on api_keys using (account_id = app_account());
grant select, insert on api_keys to probity_app;
grant update (name, scopes, ip_allow_list, monthly_cap, expires_at, paused_at, revoked_at) on api_keys to probity_app;

create function api_keys_note_change() returns trigger
  language plpgsql as $$
begin
  if old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at then
    raise exception 'a revoked key stays revoked';
  end if;
  if new is distinct from old and new.last_used_at is not distinct from old.last_used_at then
    new.changed_at := clock_timestamp();
  end if;
  return new;
end
$$;
create trigger note_change before update on api_keys for each row execute function api_keys_note_change();

-- A cached key carries its account's plan, so a change there is a change of every key.
create function accounts_note_change() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform 1 from api_keys where account_id = new.id order by id for no key update; -- in the order of record_key_use
  update api_keys set changed_at = clock_timestamp() where account_id = new.id;
  return null;
end
$$;
create trigger note_change after update of name, plan, unlimited, retention_days on accounts
  for each row execute function accounts_note_change();

-- Who is at the door? Asked before a tenant is known, hence with the owner's rights, and only by the whole hash.
create function find_api_key(p_hash bytea)
  returns table (
    id uuid, account_id uuid, mode text, name text, scopes text[], ip_allow_list text[],
    expires_at timestamptz, paused_at timestamptz, revoked_at timestamptz, retention_days smallint,
    plan text, api_access boolean, requests_per_window integer, window_s integer
  )
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select k.id, k.account_id, k.mode, k.name, k.scopes, k.ip_allow_list,
           k.expires_at, k.paused_at, k.revoked_at, a.retention_days,
           p.name, p.api_access, p.requests_per_window, p.window_s
    from api_keys k join accounts a on a.id = k.account_id join plans p on p.name = a.plan
    where k.hash = p_hash;
  end;

-- The keys that changed within the last so many seconds, whoever owns them: ids only.
create function api_keys_changed_within(p_seconds integer) returns setof uuid
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select id from api_keys where changed_at > clock_timestamp() - make_interval(secs => p_seconds);
  end;

revoke execute on function find_api_key(bytea), api_keys_changed_within(integer) from public;
grant execute on function find_api_key(bytea), api_keys_changed_within(integer) to probity_app;

-- What each key did on each day (UTC). Credits are moved by ledger_post in the transaction that moves the balance and are
-- exact; requests are counted in batches by each process and may lose the last seconds of a process that was killed.
create table usage_days (
  account_id uuid not null references accounts (id) on delete cascade,
  day date not null,
  key_id uuid not null, -- all zeros: spent by a person in the web application, or by no key at all
  requests bigint not null default 0,
  credits_used bigint not null default 0,
  credits_committed bigint not null default 0,
  primary key (account_id, day, key_id)
);

alter table usage_days enable row level security;
create policy tenant on usage_days using (account_id = app_account());
grant select on usage_days to probity_app;

create function utc_today() returns date
  language sql stable
  return (clock_timestamp() at time zone 'utc')::date;

-- One process's count of requests since its last report, for keys of any account at once.
create function record_key_use(p_keys uuid[], p_requests bigint[], p_last_used timestamptz[]) returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  -- Locked in one order by every process, so that two reports never wait for each other in a circle.
  perform 1 from api_keys where id = any (p_keys) order by id for no key update;

  update api_keys k set last_used_at = greatest(k.last_used_at, u.last_used)
  from unnest(p_keys, p_last_used) as u (key_id, last_used) where k.id = u.key_id;

  insert into usage_days (account_id, day, key_id, requests)
  select k.account_id, utc_today(), k.id, u.requests
  from unnest(p_keys, p_requests) as u (key_id, requests) join api_keys k on k.id = u.key_id
  order by k.account_id, k.id
  on conflict (account_id, day, key_id) do update set requests = usage_days.requests + excluded.requests;
end
$$;
revoke execute on function record_key_use(uuid[], bigint[], timestamptz[]) from public;
grant execute on function record_key_use(uuid[], bigint[], timestamptz[]) to probity_app;
