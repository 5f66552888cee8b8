-- Accounts and their settings: plans, accounts, API keys, policies and overrides.
-- probity_app reads and writes the rows of its account; credits change only through the ledger (billing.sql).
-- probity_operator reads granted columns of all accounts, changes plans of accounts and suspends accounts.

-- ---- Tables ----

-- A row is a plan and its limits. All processes read the table; only the database owner changes it.
create table plans (
  name text primary key,
  api_access boolean not null,
  ai_enhancement boolean not null,
  catchall_detection boolean not null,
  refund_unknown boolean not null,
  requests_per_window integer not null check (requests_per_window > 0),
  window_s integer not null check (window_s between 1 and 3600),
  interactive_in_flight integer not null check (interactive_in_flight > 0),
  emails_per_file integer not null check (emails_per_file between 1 and 100000),
  -- When the plan last changed. Ledger reconciliation does not check refunds of older validations against the new terms.
  changed_at timestamptz not null default clock_timestamp(),
  -- The longest retention that accounts of the plan can set themselves. The longest retention of all accounts decides how many
  -- partitions the installation has: three per day.
  retention_days_max smallint not null default 365 check (retention_days_max between 0 and 365)
);

insert into plans
  (name, api_access, ai_enhancement, catchall_detection, refund_unknown,
   requests_per_window, window_s, interactive_in_flight, emails_per_file, retention_days_max)
values
  ('free',    false, false, true, true,    60, 60,    5,  10000,  30),
  ('payg',    true,  true,  true, true,  6000, 60,  100, 100000, 120),
  ('starter', true,  false, true, true,  1200, 60,   25,  10000,  90),
  ('growth',  true,  true,  true, true,  6000, 60,  100, 100000, 180),
  ('scale',   true,  true,  true, true, 60000, 60, 1000, 100000, 365);

grant select on plans to probity_app, probity_operator;

-- A row is an account (tenant). close_account closes it, and delete_closed_account deletes it later.
-- available, reserved and spent are the sums of the account's ledger rows. Only apply_to_balance (billing.sql) changes them.
create table accounts (
  id uuid primary key default gen_random_uuid(),
  name text not null check (length(name) between 1 and 200),
  plan text not null references plans (name),
  -- For self-hosted installations without billing: ledger_post grants missing credits when they are spent.
  unlimited boolean not null default false,
  retention_days smallint not null default 30 check (retention_days between 0 and 365),
  available bigint not null default 0 check (available >= 0),
  reserved bigint not null default 0 check (reserved >= 0),
  spent bigint not null default 0 check (spent >= 0),
  created_at timestamptz not null default clock_timestamp(),
  -- Set by ledger reconciliation after a ledger mismatch and by close_account. While set, ledger_post rejects
  -- charge, reserve and settle.
  on_hold_since timestamptz,
  plan_since timestamptz not null default clock_timestamp(), -- used like plans.changed_at
  -- Threshold of the low-credits notification. If null, it is a tenth of last_grant, or 100 if there was no grant.
  low_credits bigint check (low_credits >= 0),
  last_grant bigint,
  -- Whether available is below the threshold. The change to true sends the notification, so there is one per crossing.
  -- Default true: a new account has no credits and must not be notified.
  credits_low boolean not null default true,
  -- slug, logo and metadata are for the web app and the sign-in library, which reads them in account_profiles.
  slug text unique check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) <= 60),
  logo text,
  metadata text,
  send_threshold double precision not null default 0.97 check (send_threshold between 0.5 and 0.999),
  excluded_traits text[] not null default '{disposable,role_based,machine_generated}'
    check (excluded_traits <@ array['disposable', 'role_based', 'machine_generated', 'free', 'privacy_relay', 'tagged']),
  ip_allow_list text[] not null default '{}' check (cardinality(ip_allow_list) <= 50),
  closed_at timestamptz,
  -- While set, the API rejects requests of the account's keys and members. Set and cleared by operators, and by record_reversal
  -- (billing.sql) for a disputed payment.
  suspended_at timestamptz,
  -- Equal to suspended_at if a disputed payment suspended the account.
  dispute_suspended_at timestamptz,
  -- Credits of refunded or disputed payments that were spent before. Paid from later credits (collect_debt in billing.sql).
  debt bigint not null default 0 check (debt >= 0)
);

create index accounts_closed on accounts (closed_at) where closed_at is not null;

alter table accounts enable row level security;
create policy tenant on accounts using (id = app_account());
grant select on accounts to probity_app;
-- Before the API raises retention_days it must call make_partitions, because rows expire on later days then.
grant update (low_credits, name, retention_days, send_threshold, excluded_traits, ip_allow_list) on accounts to probity_app;
create policy operator on accounts to probity_operator using (true);
grant select (
  id, name, slug, plan, unlimited, available, reserved, spent, retention_days, created_at, suspended_at, on_hold_since
) on accounts to probity_operator;
grant update (plan, suspended_at) on accounts to probity_operator;

-- A row is an API key. Of a secret key the table contains only the SHA-256; the key itself is shown once, at creation.
-- Revoked and expired keys keep their rows, so that requests and audit entries can refer to them.
create table api_keys (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts (id) on delete cascade,
  mode text not null check (mode in ('live', 'test')),
  name text not null check (length(name) between 1 and 100),
  hash bytea not null unique check (length(hash) = 32),
  hint text not null,
  scopes text[] not null check (
    scopes <@ array['validations:read', 'validations:write', 'jobs:read', 'jobs:write', 'account:read', 'account:write',
      'keys:read', 'keys:write', 'webhooks:read', 'webhooks:write']
  ),
  ip_allow_list text[] not null default '{}' check (cardinality(ip_allow_list) <= 50),
  monthly_cap bigint check (monthly_cap >= 0),
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz,
  paused_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  expired_event_at timestamptz, -- when key.expired was emitted
  -- When a column other than the usage columns last changed. API processes poll it to invalidate cached keys.
  changed_at timestamptz not null default clock_timestamp(),
  -- Rotation: the id of the rotated key, and in that key the id of the new one. Both keys work until the old one expires.
  replaces uuid unique, -- no foreign key: both rows are deleted with the account, in any order
  replaced_by uuid,
  -- A lineage is a key with all keys that it was rotated into. The first id is the key's own lineage; the others are those of
  -- the key that created it and of that key's creators. Credits of a key count toward the monthly caps of all its lineages.
  lineages uuid[] not null default array[gen_random_uuid()] check (cardinality(lineages) between 1 and 20),
  -- Last request: time, method, route, HTTP status, duration and result status. The route is a pattern and contains no address.
  last_request jsonb,
  -- Publishable keys are visible in web pages. They are limited to origins, to the policies that pages may name and to
  -- visitor_cap requests per visitor and hour. Their requests are never probed, because the result would reveal which
  -- mailboxes exist.
  kind text not null default 'secret' check (kind in ('secret', 'publishable')),
  allowed_origins text[] not null default '{}' check (cardinality(allowed_origins) <= 20),
  allowed_policies text[] not null default '{}' check (cardinality(allowed_policies) <= 20),
  visitor_cap integer check (visitor_cap between 1 and 10000),
  constraint publishable_is_bound check (
    case kind
      when 'publishable' then cardinality(allowed_origins) > 0 and cardinality(allowed_policies) > 0 and visitor_cap is not null
        and scopes <@ array['validations:write']
      else cardinality(allowed_origins) = 0 and cardinality(allowed_policies) = 0 and visitor_cap is null
    end
  ),
  -- A write scope includes the read scope of its subject. A publishable key is public and has no read scope.
  constraint write_scopes_include_read check (
    kind = 'publishable' or (
      (scopes @> '{validations:read}' or not scopes @> '{validations:write}')
      and (scopes @> '{jobs:read}' or not scopes @> '{jobs:write}')
      and (scopes @> '{account:read}' or not scopes @> '{account:write}')
      and (scopes @> '{keys:read}' or not scopes @> '{keys:write}')
      and (scopes @> '{webhooks:read}' or not scopes @> '{webhooks:write}')
    )
  ),
  -- The full text of a publishable key, which is public and can be shown again. Null for older keys, stored as a hash only.
  public_text text check (public_text is null or kind = 'publishable')
);

create index api_keys_by_account on api_keys (account_id, created_at);
create index api_keys_by_change on api_keys (changed_at);
create index api_keys_by_expiry on api_keys (expires_at) where revoked_at is null and expired_event_at is null;
-- For the monthly caps. lineages[1] finds the keys of one lineage, the other index also those that they created.
create index api_keys_by_lineage on api_keys ((lineages[1]));
create index api_keys_by_lineages on api_keys using gin (lineages);
create index api_keys_by_origin on api_keys using gin (allowed_origins) where kind = 'publishable';

alter table api_keys enable row level security;
create policy tenant on api_keys using (account_id = app_account());
grant select, insert on api_keys to probity_app;
grant update (
  name, scopes, ip_allow_list, monthly_cap, expires_at, paused_at, revoked_at, replaced_by, allowed_origins, allowed_policies,
  visitor_cap
) on api_keys to probity_app;
create policy operator on api_keys to probity_operator using (true);
grant select (account_id, revoked_at, mode) on api_keys to probity_operator;

-- A row is a policy of an account: rules that map a result to a decision. The contract validates the rules and contains the
-- built-in policies; a row with the name of a built-in policy replaces it.
create table policies (
  id uuid not null unique default gen_random_uuid(),
  account_id uuid not null references accounts (id) on delete cascade,
  name text not null check (name ~ '^[a-z0-9][a-z0-9_-]{0,49}$'),
  description text not null default '' check (length(description) <= 200),
  rules jsonb not null check (jsonb_typeof(rules) = 'array' and jsonb_array_length(rules) <= 50),
  fallback jsonb not null check (jsonb_typeof(fallback) = 'object'),
  created_at timestamptz not null default clock_timestamp(),
  primary key (account_id, name)
);

alter table policies enable row level security;
create policy tenant on policies using (account_id = app_account());
grant select, insert, delete on policies to probity_app;
grant update (description, rules, fallback) on policies to probity_app;

-- A row is an override: the account always allows or blocks an address or a domain.
-- target has the engine's canonical form of addresses, so that a lookup is one text comparison.
create table overrides (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts (id) on delete cascade,
  target text not null check (length(target) between 1 and 400),
  action text not null check (action in ('allow', 'block')),
  note text not null default '' check (length(note) <= 200),
  created_by text check (length(created_by) <= 200),
  created_at timestamptz not null default clock_timestamp(),
  unique (account_id, target)
);

alter table overrides enable row level security;
create policy tenant on overrides using (account_id = app_account());
grant select, insert, delete on overrides to probity_app;
grant update (action, note, created_by, created_at) on overrides to probity_app;

-- ---- Functions ----

-- Sets changed_at on every update that does not record usage (trigger function). Rejects changes of revoked_at of a revoked key
-- and of expires_at of an expired key.
-- Output: the new row.
-- Locks: none.
create function api_keys_set_changed_at() returns trigger
  language plpgsql as $$
begin
  if old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at then
    raise exception 'a revoked key stays revoked';
  end if;
  if old.expires_at <= clock_timestamp() and new.expires_at is distinct from old.expires_at then
    raise exception 'an expired key stays expired';
  end if;
  if new is distinct from old and new.last_used_at is not distinct from old.last_used_at
    and new.last_request is not distinct from old.last_request then
    new.changed_at := clock_timestamp();
  end if;
  return new;
end
$$;

-- Sets changed_at of all keys of an account, because a cached key contains settings of its account (trigger function).
-- Output: null (after trigger).
-- Locks: the key rows (no key update) in id order, until commit.
create function accounts_touch_keys() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform 1 from api_keys where account_id = new.id order by id for no key update; -- same order as record_key_use
  update api_keys set changed_at = clock_timestamp() where account_id = new.id;
  return null;
end
$$;

-- Returns a key with the settings of its account and plan, for authentication.
-- Runs before the account is known, therefore with the owner's rights (security definer), and finds keys by the full hash only.
-- Output: one row, or none if no key has the hash. Revoked, paused and expired keys are returned too.
-- Locks: none.
create function find_api_key(p_hash bytea)
  returns table (
    id uuid, account_id uuid, mode text, name text, scopes text[], ip_allow_list text[],
    expires_at timestamptz, paused_at timestamptz, revoked_at timestamptz, retention_days smallint,
    plan text, api_access boolean, requests_per_window integer, window_s integer, interactive_in_flight integer,
    ai boolean, catchall boolean, send_threshold double precision, excluded_traits text[],
    kind text, allowed_origins text[], allowed_policies text[], visitor_cap integer, account_ip_allow_list text[]
  )
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select k.id, k.account_id, k.mode, k.name, k.scopes, k.ip_allow_list,
           k.expires_at, k.paused_at, k.revoked_at, a.retention_days,
           p.name, p.api_access, p.requests_per_window, p.window_s, p.interactive_in_flight,
           p.ai_enhancement, p.catchall_detection, a.send_threshold, a.excluded_traits,
           k.kind, k.allowed_origins, k.allowed_policies, k.visitor_cap, a.ip_allow_list
    from api_keys k join accounts a on a.id = k.account_id join plans p on p.name = a.plan
    where k.hash = p_hash;
  end;

-- Returns the keys of all accounts that changed in the last p_seconds seconds, for cache invalidation.
-- Output: key ids.
-- Locks: none.
create function api_keys_changed_within(p_seconds integer) returns setof uuid
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select id from api_keys where changed_at > clock_timestamp() - make_interval(secs => p_seconds);
  end;

-- Sets changed_at when a plan changes (trigger function).
-- Output: the new row.
-- Locks: none.
create function plans_set_changed_at() returns trigger
  language plpgsql as $$
begin
  new.changed_at := clock_timestamp();
  return new;
end
$$;

-- Sets plan_since when the account's plan is updated (trigger function).
-- Output: the new row.
-- Locks: none.
create function accounts_set_plan_since() returns trigger
  language plpgsql as $$
begin
  new.plan_since := clock_timestamp();
  return new;
end
$$;

-- Returns a slug for an account name, with a number appended if the slug is taken (a random suffix after 19 attempts).
-- Output: a slug that no account has.
-- Locks: none; the caller must hold the advisory lock 'unused_slug', as create_account does.
create function unused_slug(p_name text) returns text
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

-- Notifies members that the account's credits are low (trigger function).
-- The subject contains the time, so that each crossing of the threshold sends a notification.
-- Output: null (after trigger).
-- Locks: none.
create function notify_credits_low() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform notify_members(new.id, 'credits_low', clock_timestamp()::text, jsonb_build_object('available', new.available));
  return null;
end
$$;

-- Notifies members that a key was created (trigger function).
-- Output: null (after trigger).
-- Locks: none.
create function notify_key_created() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform notify_members(new.account_id, 'key_created', new.id::text,
    jsonb_build_object('name', new.name, 'mode', new.mode, 'hint', new.hint));
  return null;
end
$$;

-- Returns whether a publishable key of any account allows an origin.
-- CORS preflight requests do not contain the key, so the API cannot check the origin against one key.
-- Output: true if a key that is not revoked allows p_origin. Paused and expired keys count.
-- Locks: none.
create function is_allowed_origin(p_origin text) returns boolean
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select exists (
      select from api_keys
      where kind = 'publishable' and allowed_origins @> array[p_origin] and revoked_at is null
    );
  end;

-- Closes the transaction's account permanently: revokes its keys and deletes members, invitations, webhook endpoints and
-- notifications. Uploads expire at once. The caller must cancel the account's jobs first, so that the ledger releases their
-- reserved credits.
-- Output: none.
-- Locks: the key rows in id order, the account row, then the other rows it writes, until commit. Keys come first because
-- record_key_use, which holds key rows, needs the account row for the foreign key of usage_days.
create function close_account() returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_account uuid := app_account();
begin
  perform 1 from api_keys k where k.account_id = v_account order by k.id for no key update;
  update accounts a set
    closed_at = clock_timestamp(), on_hold_since = coalesce(a.on_hold_since, clock_timestamp()),
    name = 'Deleted', slug = null, logo = null, metadata = null
  where a.id = v_account;
  update api_keys k set revoked_at = coalesce(k.revoked_at, clock_timestamp()) where k.account_id = v_account;
  update uploads u set expires_at = clock_timestamp() where u.account_id = v_account;
  delete from webhook_endpoints e where e.account_id = v_account;
  delete from invitations i where i.account_id = v_account;
  delete from notifications n where n.account_id = v_account;
  delete from members m where m.account_id = v_account;
end
$$;

-- Deletes one batch of rows of an account that was closed at least p_after_s seconds ago and has no uploads left, and finally
-- the account itself. The ledger stays; it contains amounts and ids, but no names or addresses.
-- Input: p_limit is the maximum number of rows to delete from partitioned tables.
-- Output: the account id and whether the account row is deleted; no row if there is nothing to delete.
-- Locks: the account row (for update, skip locked), then the deleted rows.
create function delete_closed_account(p_after_s integer, p_limit integer) returns table (account_id uuid, is_gone boolean)
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_account uuid;
  v_part record;
  v_count bigint;
  v_left bigint := p_limit;
begin
  select a.id into v_account from accounts a
  where a.closed_at < clock_timestamp() - make_interval(secs => p_after_s)
    and not exists (select from uploads u where u.account_id = a.id)
  order by a.closed_at limit 1 for update skip locked;
  if not found then
    return;
  end if;
  -- The name of a partition ends with the expires_on of its rows. With that condition, indexes on expires_on apply.
  for v_part in
    select c.relname as name, to_date(right(c.relname, 8), 'YYYYMMDD') as day
    from partitioned_tables t join pg_inherits i on i.inhparent = to_regclass(t.name) join pg_class c on c.oid = i.inhrelid
  loop
    exit when v_left <= 0;
    execute format('with part as (select ctid from %1$I where expires_on = $1 and account_id = $2 limit $3)
      delete from %1$I t using part where t.ctid = part.ctid', v_part.name) using v_part.day, v_account, v_left;
    get diagnostics v_count = row_count;
    v_left := v_left - v_count;
  end loop;
  if v_left > 0 then
    delete from uncollected_results w where w.account_id = v_account;
    delete from audit_entries e where e.account_id = v_account;
    delete from accounts a where a.id = v_account;
  end if;
  return query select v_account, v_left > 0;
end
$$;

-- Writes an audit entry about an export of data of the transaction's account.
-- Input: p_what is the exported data: account, audit_log, ledger or results; p_subject and p_name identify the job of results.
-- Output: none.
-- Locks: none.
create function record_export(p_what text, p_subject text, p_name text) returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform record_audit_entry(app_account(), 'export.' || p_what, p_subject, p_name, null);
end
$$;

-- Writes an audit entry about the erasure of an address from the data of the transaction's account. The entry has counts, not the address.
-- Input: p_counts is an object with a number per kind. Output: none. Locks: none.
create function record_erasure(p_counts jsonb) returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform record_audit_entry(app_account(), 'erasure.created', null, null, (
    select jsonb_object_agg(c.key, jsonb_build_array(null, c.value)) from jsonb_each(p_counts) c where c.value <> '0'
  ));
end
$$;

-- Returns whether an operator suspended an account.
-- Output: false also if the account does not exist.
-- Locks: none.
create function is_account_suspended(p_account uuid) returns boolean
  language sql stable security definer set search_path = public, pg_temp
  return exists (select from accounts where id = p_account and suspended_at is not null);

-- Suspends an account and pauses its unfinished jobs. After the suspension ends, members must resume the jobs.
-- Output: false if the account does not exist or is already suspended.
-- Locks: the job rows, the account row, then its key rows in id order (accounts_touch_keys), until commit; settlement locks the
-- job before the account, too.
create function suspend_account(p_account uuid) returns boolean
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform 1 from jobs j where j.account_id = p_account and j.finished_at is null order by j.id for no key update;
  update accounts set suspended_at = clock_timestamp() where id = p_account and suspended_at is null;
  if not found then
    return false;
  end if;
  update jobs set paused_at = clock_timestamp()
  where account_id = p_account and state in ('queued', 'planning', 'processing') and paused_at is null;
  return true;
end
$$;

-- Returns the credits that an account has bought, less those whose money was returned.
-- Output: 0 if it has bought none.
-- Locks: none.
create function paid_credits(p_account uuid) returns bigint
  language plpgsql stable as $$
begin
  return (
    select coalesce(sum(p.credits - p.credits_reversed), 0)::bigint from payments p
    where p.account_id = p_account and p.granted_at is not null
  );
end
$$;

-- ---- Triggers ----

create trigger audit_insert after insert on overrides referencing new table as changed
  for each statement execute function audit_statement('overrides', 'created');
create trigger audit_update after update on overrides referencing new table as changed
  for each statement execute function audit_statement('overrides', 'changed');
create trigger audit_delete after delete on overrides referencing old table as changed
  for each statement execute function audit_statement('overrides', 'deleted');

create trigger changed before update on api_keys for each row execute function api_keys_set_changed_at();

create trigger changed after update of name, plan, unlimited, retention_days, ip_allow_list, send_threshold, excluded_traits, suspended_at on accounts
  for each row execute function accounts_touch_keys();

create trigger changed before update on plans for each row execute function plans_set_changed_at();

create trigger plan_since before update of plan on accounts for each row execute function accounts_set_plan_since();

create trigger notify after update of credits_low on accounts for each row
  when (new.credits_low and not old.credits_low)
  execute function notify_credits_low();

create trigger notify after insert on api_keys for each row execute function notify_key_created();

-- Lists columns, because last_used_at and last_request change with every use of a key.
create trigger audit after insert or delete or
  update of name, scopes, ip_allow_list, monthly_cap, expires_at, paused_at, revoked_at, allowed_origins, allowed_policies,
    visitor_cap on api_keys
  for each row execute function
  audit_row('key', 'name',
            'name mode kind scopes ip_allow_list monthly_cap expires_at allowed_origins allowed_policies visitor_cap',
            'changed_at last_used_at last_request replaced_by hash hint id account_id created_at replaces lineages');

create trigger audit after insert or update or delete on policies for each row execute function
  audit_row('policy', 'name', 'description', 'account_id created_at');

create trigger audit after insert or delete on accounts for each row execute function
  audit_row('account', 'name', 'name plan', '');

-- Balance changes are not audited; the ledger records them.
create trigger audit_change after update on accounts for each row
  when (old.available = new.available and old.reserved = new.reserved and old.spent = new.spent)
  execute function audit_row('account', 'name', 'name plan unlimited retention_days low_credits send_threshold excluded_traits',
                             'available reserved spent debt last_grant credits_low plan_since id created_at metadata dispute_suspended_at');

-- ---- Rights ----

revoke execute on function
  find_api_key, api_keys_changed_within, unused_slug, notify_credits_low, notify_key_created, is_allowed_origin,
  close_account, delete_closed_account, record_export, record_erasure, is_account_suspended, suspend_account, paid_credits
from public;

grant execute on function
  find_api_key, api_keys_changed_within, is_allowed_origin, close_account, delete_closed_account, record_export, record_erasure,
  is_account_suspended
to probity_app;

grant execute on function
  suspend_account
to probity_operator;
