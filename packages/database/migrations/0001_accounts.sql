-- The role every request of the product works as. It owns nothing, so row-level security binds it, and it has only the
-- rights granted below. Sessions log in as the operator's own user and step down to it at the start of each transaction.
-- Roles belong to the whole server: an operator, or the migration of another database, may have made it.
do $$
begin
  if not exists (select from pg_roles where rolname = 'probity_app') then
    create role probity_app nologin nobypassrls;
  end if;
exception
  when duplicate_object or unique_violation then null; -- another database's migration was quicker
end
$$;

-- Tried rather than asked: from PostgreSQL 16 on, whoever makes a role is a member of it and still may not step down to it.
do $$
begin
  set local role probity_app;
  reset role;
exception
  when insufficient_privilege then execute format('grant probity_app to %I', current_user);
end
$$;

-- A process asks what was migrated before it says that it is ready.
grant select on migrations to probity_app;

-- The tenant of the running transaction, from SET LOCAL; null where none was set, and null equals no row.
create function app_account() returns uuid
  language sql stable
  return nullif(current_setting('app.account_id', true), '')::uuid;

-- What a plan gives. Read by every process, changed by operators only.
create table plans (
  name text primary key,
  api_access boolean not null,
  ai_enhancement boolean not null,
  catchall_detection boolean not null,
  refund_unknown boolean not null,
  requests_per_window integer not null check (requests_per_window > 0),
  window_s integer not null check (window_s between 1 and 3600),
  interactive_in_flight integer not null check (interactive_in_flight > 0),
  emails_per_file integer not null check (emails_per_file between 1 and 100000)
);

insert into plans
  (name,      api_access, ai_enhancement, catchall_detection, refund_unknown, requests_per_window, window_s, interactive_in_flight, emails_per_file)
values
  ('free',    false,      false,          true,               true,             60,                60,         5,                   10000),
  ('payg',    true,       true,           true,               true,           6000,                60,       100,                  100000),
  ('starter', true,       false,          true,               true,           1200,                60,        25,                   10000),
  ('growth',  true,       true,           true,               true,           6000,                60,       100,                  100000),
  ('scale',   true,       true,           true,               true,          60000,                60,      1000,                  100000);

grant select on plans to probity_app;

-- A customer. The three balances are a cache of the ledger, moved by ledger_post alone and never below zero.
create table accounts (
  id uuid primary key default gen_random_uuid(),
  name text not null check (length(name) between 1 and 200),
  plan text not null references plans (name),
  -- An installation of one's own has no till: what is missing is granted in the moment it is spent.
  unlimited boolean not null default false,
  retention_days smallint not null default 30 check (retention_days between 0 and 365),
  available bigint not null default 0 check (available >= 0),
  reserved bigint not null default 0 check (reserved >= 0),
  spent bigint not null default 0 check (spent >= 0),
  created_at timestamptz not null default clock_timestamp()
);

alter table accounts enable row level security;
create policy tenant on accounts using (id = app_account());
grant select on accounts to probity_app;
