-- The installation itself: database roles, partitions, secrets, running processes, backups, and helper functions that the other
-- files use. probity_app reads secrets and backups and writes processes through functions; probity_operator reads processes.
-- probity_worker reads the secrets that its tasks use. probity_maintenance drops and creates partitions through functions.

-- ---- Roles ----

-- A session logs in as the user of the connection URL and switches to one of the roles at the start of each transaction.
-- The roles own nothing, so row-level security applies to them and they have only the rights granted in these files.
-- PostgreSQL shares roles between all databases of a server, so a role may already exist.

-- probity_app: the role of the API. Row-level security limits it to the account of the transaction.
do $$
begin
  if not exists (select from pg_roles where rolname = 'probity_app') then
    create role probity_app nologin nobypassrls;
  end if;
exception
  when duplicate_object or unique_violation then null; -- created concurrently from another database
end
$$;

-- Tests SET ROLE instead of the membership: since PostgreSQL 16 the creator of a role is a member without the SET option.
do $$
begin
  set local role probity_app;
  reset role;
exception
  when insufficient_privilege then execute format('grant probity_app to %I', current_user);
end
$$;

-- probity_users: the role of the sign-in library. It has rights on users, sessions, members and invitations, and reads
-- account profiles. It has no rights on other account data.
do $$
begin
  if not exists (select from pg_roles where rolname = 'probity_users') then
    create role probity_users nologin nobypassrls;
  end if;
exception
  when duplicate_object or unique_violation then null; -- created concurrently from another database
end
$$;

do $$
begin
  set local role probity_users;
  reset role;
exception
  when insufficient_privilege then execute format('grant probity_users to %I', current_user);
end
$$;

-- Grants the role to all members of probity_app, so that an upgrade needs no manual grant.
do $$
declare
  v_login text;
begin
  for v_login in
    select m.member::regrole::text from pg_auth_members m
    where m.roleid = 'probity_app'::regrole and m.member <> current_user::regrole
  loop
    begin
      execute format('grant probity_users to %s', v_login);
    exception
      when insufficient_privilege then raise notice 'grant probity_users to % by hand', v_login;
    end;
  end loop;
end
$$;

-- probity_operator: the role of the operator pages. It reads rows of all accounts, but only the granted columns.
-- No granted column contains a validated address.
do $$
begin
  if not exists (select from pg_roles where rolname = 'probity_operator') then
    create role probity_operator nologin nobypassrls;
  end if;
exception
  when duplicate_object or unique_violation then null; -- created concurrently from another database
end
$$;

do $$
begin
  set local role probity_operator;
  reset role;
exception
  when insufficient_privilege then execute format('grant probity_operator to %I', current_user);
end
$$;

-- Grants the role to all members of probity_app, as for probity_users.
do $$
declare
  v_login text;
begin
  for v_login in
    select m.member::regrole::text from pg_auth_members m
    where m.roleid = 'probity_app'::regrole and m.member <> current_user::regrole
  loop
    begin
      execute format('grant probity_operator to %s', v_login);
    exception
      when insufficient_privilege then raise notice 'grant probity_operator to % by hand', v_login;
    end;
  end loop;
end
$$;

-- probity_worker: the role of the worker. The file worker.sql contains its rights. It is not granted to members of probity_app: the
-- worker has a login of its own.
do $$
begin
  if not exists (select from pg_roles where rolname = 'probity_worker') then
    create role probity_worker nologin nobypassrls;
  end if;
exception
  when duplicate_object or unique_violation then null; -- created concurrently from another database
end
$$;

do $$
begin
  set local role probity_worker;
  reset role;
exception
  when insufficient_privilege then execute format('grant probity_worker to %I', current_user);
end
$$;

-- probity_maintenance: the role of maintenance and of email notifications. The file worker.sql contains its rights. It is granted
-- to no other login, as probity_worker.
do $$
begin
  if not exists (select from pg_roles where rolname = 'probity_maintenance') then
    create role probity_maintenance nologin nobypassrls;
  end if;
exception
  when duplicate_object or unique_violation then null; -- created concurrently from another database
end
$$;

do $$
begin
  set local role probity_maintenance;
  reset role;
exception
  when insufficient_privilege then execute format('grant probity_maintenance to %I', current_user);
end
$$;

-- ---- Tables ----

-- A row is a secret of this installation. The schema generates the values, so the operator need not choose any.
-- Redis keys that depend on an address contain its HMAC with the secret recent_results, which Redis never receives.
create table secrets (
  name text primary key,
  value bytea not null
);

insert into secrets
select name, sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'utf8'))
from unnest(array[
  'recent_results', -- HMAC of addresses in Redis keys
  'sessions',       -- signs session cookies unless SESSION_SECRET is set
  'outcome_marks',  -- HMAC of reported outcomes
  'opening_grants', -- HMAC of the addresses of users who were granted opening credits
  'doctor'          -- proves to the API that a request comes from the doctor
]) as name;

alter table secrets enable row level security;
create policy api on secrets to probity_app using (true);
grant select on secrets to probity_app;

-- A row is a running process of the API, the worker or maintenance. The process writes it every ten seconds (heartbeat) and deletes it
-- on shutdown. record_process deletes rows without a heartbeat for a day.
create table processes (
  id uuid primary key,
  kind text not null check (kind in ('api', 'worker', 'maintenance')),
  version text not null check (length(version) <= 50),
  facts jsonb not null, -- configuration and state that the process reports, for example egresses and probing
  started_at timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default clock_timestamp()
);

grant select on processes to probity_operator;

-- A row is a backup that the admin command completed. The doctor and the metrics derive the age of the last backup from it.
-- The table does not contain the location of the file.
create table backups (
  id bigint generated always as identity primary key,
  made_at timestamptz not null,
  bytes bigint not null check (bytes > 0),
  sha256 text not null
);

grant select on backups to probity_app;

-- One row per table that deletes expired rows by dropping partitions. days_ahead is how many days after today must have a
-- partition. For tables with follows_retention, the longest retention of any account extends that.
-- Static data, inserted below.
create table partitioned_tables (
  name text primary key,
  days_ahead integer not null,
  follows_retention boolean not null,
  fillfactor smallint not null -- free space on each page allows HOT updates of rows that are updated two or three times
);

insert into partitioned_tables (name, days_ahead, follows_retention, fillfactor) values
  ('validations', 33, true, 60),
  ('idempotency_records', 4, false, 60),
  ('job_batches', 33, true, 100),
  ('result_chunks', 33, true, 100),
  ('webhook_events', 33, false, 60),
  ('requests', 33, false, 60),
  -- Marks expire 90 days after the day on which the message was sent, which can be tomorrow in the sender's time zone.
  ('outcome_marks', 92, false, 60);

grant select on partitioned_tables to probity_app;

-- ---- Functions ----

-- Returns the account of the running transaction.
-- Output: the account id from the setting app.account_id (SET LOCAL), or null if it is not set. Row-level security compares
-- account ids with it, so null matches no row.
-- Locks: none.
create function app_account() returns uuid
  language sql stable
  return nullif(current_setting('app.account_id', true), '')::uuid;

-- Returns the current date in UTC.
-- Output: the date by the wall clock, not by the transaction start.
-- Locks: none.
create function utc_today() returns date
  language sql stable
  return (clock_timestamp() at time zone 'utc')::date;

-- Formats a time as the API does (RFC 3339).
-- Output: text in UTC with milliseconds, for example 2025-01-31T08:00:00.000Z.
-- Locks: none.
create function rfc3339(p_at timestamptz) returns text
  language sql stable
  return to_char(p_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- Records the heartbeat of a process and deletes processes without a heartbeat for a day.
-- Input: p_facts replaces the stored facts, which can change while the process runs (a worker can lose access to port 25).
-- Output: none.
-- Locks: the rows it writes.
create function record_process(p_id uuid, p_kind text, p_version text, p_facts jsonb) returns void
  language sql security definer set search_path = public, pg_temp
  begin atomic
    delete from processes where seen_at < clock_timestamp() - interval '1 day';
    insert into processes (id, kind, version, facts) values (p_id, p_kind, p_version, p_facts)
    on conflict (id) do update set seen_at = clock_timestamp(), facts = excluded.facts;
  end;

-- Deletes a process on shutdown.
-- Output: none.
-- Locks: the deleted row.
create function delete_process(p_id uuid) returns void
  language sql security definer set search_path = public, pg_temp
  begin atomic
    delete from processes where id = p_id;
  end;

-- Returns whether workers can probe mail servers. One worker with SMTP access is enough.
-- Input: p_except is a process id to ignore, or null.
-- Output: mode (smtp | dns) and the reason for dns; no row if no other worker sent a heartbeat in the last 35 seconds.
-- Workers that run only webhooks are ignored. A worker that does not report facts.probing has mode smtp if it has an egress. If no
-- worker can probe, a blocked port takes precedence over a missing HELO name, because other workers have a HELO name then.
-- Locks: none.
create function find_probing(p_except uuid) returns table (mode text, reason text)
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select w.mode, w.reason
    from processes p
    cross join lateral (
      select p.facts -> 'probing' ->> 'mode' as said, coalesce(p.facts -> 'egresses', '[]') <> '[]' as has_name
    ) f
    cross join lateral (
      select coalesce(f.said, case when f.has_name then 'smtp' else 'dns' end) as mode,
             case when f.said is not null then p.facts -> 'probing' ->> 'reason'
                  when f.has_name then null else 'no_helo_name' end as reason
    ) w
    where p.kind = 'worker' and p.seen_at > clock_timestamp() - interval '35 seconds' and p.id is distinct from p_except
      and coalesce(p.facts -> 'tasks', '["validations"]') ?| array['validations', 'jobs']
    order by w.mode = 'smtp' desc, w.reason = 'no_helo_name', w.reason
    limit 1;
  end;

-- Whether a worker that validates addresses has a heartbeat; a worker can be set to run only webhooks. Without one, validations do
-- not start and jobs make no progress.
-- Locks: none.
create function has_worker() returns boolean
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select exists (
      select from processes
      where kind = 'worker' and seen_at > clock_timestamp() - interval '35 seconds'
        and coalesce(facts -> 'tasks', '["validations"]') ?| array['validations', 'jobs']);
  end;

-- Whether the resolvers of all workers that validate addresses passed their last check. One worker whose resolver fails it leaves
-- addresses unknown, whatever the others do. A worker that does not report facts.resolver_trusted counts as passed.
-- Locks: none.
create function resolvers_trusted() returns boolean
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select not exists (
      select from processes
      where kind = 'worker' and seen_at > clock_timestamp() - interval '35 seconds'
        and coalesce(facts -> 'tasks', '["validations"]') ?| array['validations', 'jobs']
        and facts -> 'resolver_trusted' = 'false');
  end;

-- Returns when a process of a host last sent a heartbeat, for the health check of the host's supervisor.
-- Input: p_kind is worker or maintenance. Output: the time, or null if no such process of the host sent one within a day.
-- Locks: none.
create function find_heartbeat(p_kind text, p_host text) returns timestamptz
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select max(seen_at) from processes where kind = p_kind and facts ->> 'host' = p_host;
  end;

-- Creates missing partitions from today to the horizon of each table, and attaches them to it.
-- ALTER TABLE ... ATTACH PARTITION does not block reads and writes of the parent; CREATE TABLE ... PARTITION OF does.
-- Input: p_retention_days is a retention that an account is about to set; p_max limits the partitions per call.
-- Output: the number of partitions created; 0 also if another process runs this function or drop_expired_partitions.
-- Locks: advisory lock 'probity partitions' (not waited for) and SHARE UPDATE EXCLUSIVE on the parent tables, until commit.
create function make_partitions(p_retention_days integer default 0, p_max integer default 100) returns integer
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_table record;
  v_day date;
  v_partition text;
  v_made integer := 0;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('probity partitions', 0)) then
    return 0;
  end if;
  for v_table in
    select t.name, t.fillfactor, case when t.follows_retention
      then greatest(t.days_ahead, 3 + (select greatest(p_retention_days, max(a.retention_days)) from accounts a))
      else t.days_ahead end as days_ahead
    from partitioned_tables t
  loop
    for v_day in select utc_today() + n from generate_series(0, v_table.days_ahead) as n loop
      exit when v_made >= p_max;
      v_partition := format('%s_%s', v_table.name, to_char(v_day, 'YYYYMMDD'));
      if to_regclass(v_partition) is null then
        -- LIKE must include the generated columns, because ATTACH rejects a partition without them.
        execute format(
          'create table %I (like %I including defaults including constraints including generated including storage) with (fillfactor = %s)',
          v_partition, v_table.name, v_table.fillfactor);
        execute format('alter table %I attach partition %I for values from (%L) to (%L)',
                       v_table.name, v_partition, v_day, v_day + 1);
        v_made := v_made + 1;
      end if;
    end loop;
  end loop;
  return v_made;
end
$$;

-- Drops the partitions whose day is over and deletes expired rows of uncollected_results and job_breakdowns.
-- Output: the number of partitions dropped; 0 also if another process runs this function or make_partitions.
-- Locks: advisory lock 'probity partitions' (not waited for) and ACCESS EXCLUSIVE on the dropped partitions and their parent
-- tables, until commit.
create function drop_expired_partitions() returns integer
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_partition record;
  v_dropped integer := 0;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('probity partitions', 0)) then
    return 0;
  end if;
  for v_partition in
    select c.oid::regclass as name from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    join partitioned_tables t on to_regclass(t.name) = i.inhparent
    -- Compared as text, not as date: the planner can evaluate this filter for relations whose names do not end in a date.
    where right(c.relname, 8) < to_char(utc_today(), 'YYYYMMDD')
  loop
    execute format('drop table %s', v_partition.name);
    v_dropped := v_dropped + 1;
  end loop;
  delete from uncollected_results where expires_on < utc_today();
  delete from job_breakdowns where expires_on < utc_today();
  return v_dropped;
end
$$;

-- ---- Rights ----

revoke execute on function
  record_process, delete_process, find_probing, has_worker, resolvers_trusted, find_heartbeat
from public;

grant execute on function
  record_process, delete_process, find_probing, has_worker, resolvers_trusted
to probity_app;

grant select on migrations to probity_app, probity_operator;

revoke execute on function
  make_partitions, drop_expired_partitions
from public;

grant execute on function
  make_partitions, drop_expired_partitions
to probity_app;
