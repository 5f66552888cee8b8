-- The files of packages/database/schema in the order in which PostgreSQL needs them. Edit those files. Before the first release,
-- `pnpm vitest run schema-files -t baseline -u` writes this one; a released baseline never changes.

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

-- Data for operators: audit log, probe statistics, provider and egress controls, domains that opted out, reviews of jobs,
-- unrecognized SMTP replies and the doctor. probity_operator reads all of it, writes the controls and the domains that opted out,
-- and marks replies as reviewed. probity_app writes statistics and findings through functions, reads the controls, opens and decides
-- reviews, and reads the audit entries of its account.

-- ---- Tables ----

-- The audit log. A row is one recorded action. Triggers write it through record_audit_entry; it is deleted after 365 days or
-- with its closed account. No foreign keys: an entry outlives the actor and the subject.
create table audit_entries (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  account_id uuid, -- null for actions that concern the installation
  actor text not null check (actor in ('member', 'key', 'operator', 'command', 'service')),
  actor_id uuid,
  actor_name text,
  ip text,
  action text not null,
  subject_id text,
  subject_name text,
  changes jsonb not null default '{}' -- by field: [old value, new value], or null if the log must not contain the values
);

create index audit_entries_by_account on audit_entries (account_id, id desc);
create index audit_entries_by_time on audit_entries (at);

alter table audit_entries enable row level security;
create policy tenant on audit_entries to probity_app using (account_id = app_account());
create policy operator on audit_entries to probity_operator using (true);
grant select on audit_entries to probity_app, probity_operator;

-- A row counts probes by provider ('' for unknown providers), egress and hour. record_probes writes it and deletes it after
-- eight days. Workers count in memory and report in batches; a killed worker loses the counts of its last seconds.
create table provider_hours (
  provider text not null check (octet_length(provider) <= 100),
  egress text not null check (octet_length(egress) <= 300),
  hour timestamptz not null,
  probes bigint not null, -- probes sent; throttled probes are not included
  conclusive bigint not null,
  deferred bigint not null,
  blocked bigint not null,
  no_response bigint not null,
  throttled bigint not null,
  ms integer[] not null, -- latency histogram of the replies: counts per bucket of LATENCY_STEPS_MS in the contract
  last_block text check (octet_length(last_block) <= 1000),
  last_block_at timestamptz,
  primary key (hour, provider, egress)
);

grant select on provider_hours to probity_operator;

-- A row is a provider that an operator paused, or whose probe rate an operator limited. Workers read the table every two
-- seconds. A row stays after the provider is resumed.
create table provider_controls (
  provider text primary key check (octet_length(provider) <= 100),
  paused_at timestamptz,
  rate_percent smallint not null default 100 check (rate_percent between 1 and 100),
  -- For the audit log. The suspension itself is in Redis, where the workers share it.
  suspension_lifted_at timestamptz
);

grant select on provider_controls to probity_app;
grant select, insert, update on provider_controls to probity_operator;

-- A row is an egress that an operator drained: workers start no new probes from it. Workers read the table every two
-- seconds. A row stays after the egress is resumed.
create table egress_controls (
  egress text primary key check (octet_length(egress) <= 300),
  drained_at timestamptz
);

grant select on egress_controls to probity_app;
grant select, insert, update on egress_controls to probity_operator;

-- A row is a mail domain whose owner asked not to be probed. It applies to the domain and its subdomains. Workers read the table
-- every two seconds and send no probe to it.
create table opted_out_domains (
  domain text primary key check (domain = lower(domain) and octet_length(domain) between 3 and 253),
  note text not null default '' check (length(note) <= 200),
  added_at timestamptz not null default clock_timestamp()
);

grant select on opted_out_domains to probity_app;
grant select, insert, delete on opted_out_domains to probity_operator;

-- A row is a job that the abuse limits examine, from its planning on. Deleted with the job: jobs.sql adds the foreign key, because
-- that file comes later. States: sampling (a sample is validated first), passed (the sample was normal), waiting (the job is paused
-- until an operator decides), released and canceled (by an operator).
create table job_reviews (
  job_id uuid primary key,
  account_id uuid not null,
  reason text not null check (reason in ('guessed_addresses', 'domain_limit')),
  state text not null check (state in ('sampling', 'passed', 'waiting', 'released', 'canceled')),
  domain text not null check (octet_length(domain) <= 253), -- the domain with the most addresses, or the one over its limit
  domain_count integer not null, -- its addresses in the list; for domain_limit those of the day
  sample_size integer not null default 0, -- addresses that are validated first
  sample_done integer not null default 0, -- results when the sample was evaluated
  sample_invalid integer not null default 0,
  since timestamptz not null default clock_timestamp(), -- when the state began
  check (state <> 'sampling' or sample_size > 0)
);

create index job_reviews_open on job_reviews (since) where state in ('sampling', 'waiting');

alter table job_reviews enable row level security;
create policy tenant on job_reviews to probity_app, probity_worker, probity_maintenance using (account_id = app_account());
create policy operator on job_reviews to probity_operator using (true);
grant select, insert on job_reviews to probity_app;
grant select on job_reviews to probity_operator;

-- A row counts an SMTP reply that no classification rule matches. record_unrecognized_replies writes it and deletes it after
-- 90 days without a repeat. Replies are normalized and contain no address.
create table unrecognized_replies (
  provider text not null check (octet_length(provider) <= 100),
  stage text not null check (octet_length(stage) <= 20),
  code smallint not null,
  reply text not null check (octet_length(reply) <= 1000),
  seen bigint not null,
  first_seen_at timestamptz not null default clock_timestamp(),
  last_seen_at timestamptz not null default clock_timestamp(),
  checked_at timestamptz, -- when an operator marked the reply as reviewed
  primary key (provider, stage, code, reply)
);

grant select, update (checked_at) on unrecognized_replies to probity_operator;

-- A row is the current finding of one doctor check for one subject. store_findings replaces the rows of a host at each run and
-- deletes rows that no run renewed for a day. Findings contain no customer data.
create table doctor_findings (
  host text not null check (octet_length(host) <= 300), -- '' for checks with the same finding on every host
  check_id text not null check (octet_length(check_id) <= 100),
  subject text not null check (octet_length(subject) <= 1000),
  status text not null check (status in ('fail', 'warn', 'unknown', 'pass')),
  observed text not null,
  fix jsonb,
  checked_at timestamptz not null default clock_timestamp(),
  since timestamptz not null default clock_timestamp(), -- when the status last changed
  primary key (host, check_id, subject)
);

grant select on doctor_findings to probity_operator;

-- A row is the last doctor run of a host. The workers of a host share it, so that one of them runs the doctor.
-- store_findings deletes rows of runs that began more than a day ago.
create table doctor_runs (
  host text primary key check (octet_length(host) <= 300),
  began_at timestamptz not null,
  ended_at timestamptz
);

grant select on doctor_runs to probity_operator;

-- The only row contains the time at which an operator last requested a doctor run.
create table doctor_requests (only_one boolean primary key default true check (only_one), requested_at timestamptz not null);

insert into doctor_requests (requested_at) values ('-infinity');

grant select on doctor_requests to probity_operator;

-- ---- Functions ----

-- Adds counts of unrecognized replies and deletes replies without a repeat for 90 days.
-- Input: parallel arrays, one element per reply.
-- Output: none. The table is limited to 10,000 rows because servers choose the text. If the report does not fit into the
-- remaining rows, only replies that the table already contains are counted.
-- Locks: the rows it writes, in the order of their key, so that two reports cannot deadlock.
create function record_unrecognized_replies(
  p_providers text[], p_stages text[], p_codes smallint[], p_replies text[], p_seen integer[]
) returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_room integer;
begin
  delete from unrecognized_replies u where u.last_seen_at < clock_timestamp() - interval '90 days';
  select 10000 - count(*) into v_room from unrecognized_replies;
  insert into unrecognized_replies as u (provider, stage, code, reply, seen)
  select n.provider, n.stage, n.code, n.reply, n.seen
  from unnest(p_providers, p_stages, p_codes, p_replies, p_seen) as n (provider, stage, code, reply, seen)
  where v_room >= cardinality(p_replies) or exists (
    select from unrecognized_replies k
    where (k.provider, k.stage, k.code, k.reply) = (n.provider, n.stage, n.code, n.reply)
  )
  order by n.provider, n.stage, n.code, n.reply
  on conflict (provider, stage, code, reply) do update set seen = u.seen + excluded.seen, last_seen_at = clock_timestamp();
end
$$;

-- Rejects every update and truncate of the audit log, including those of the table owner. keep_a_year controls deletes.
-- Output: none; always raises an exception.
-- Locks: none.
create function audit_entries_are_append_only() returns trigger
  language plpgsql as $$
begin
  raise exception 'the audit log is append only';
end
$$;

-- Deletes audit entries after 365 days.
-- Output: the number of deleted entries.
-- Locks: the deleted rows.
create function delete_old_audit_entries() returns bigint
  language sql security definer set search_path = public, pg_temp
  begin atomic
    with gone as (
      delete from audit_entries where at < clock_timestamp() - interval '365 days' returning 1
    )
    select count(*) from gone;
  end;

-- Writes an audit entry for an action of the running transaction.
-- Input: p_account is null for actions that concern the installation. The setting app.actor (SET LOCAL) contains the actor as
-- JSON: kind, id, name, ip, account. p_self is the user to record as the actor if the client is not signed in.
-- Output: none. Writes nothing if the account is closed or deleted, except for account.deleted.
-- Locks: none.
create function record_audit_entry(
  p_account uuid, p_action text, p_subject_id text, p_subject_name text, p_changes jsonb, p_self uuid default null
) returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_actor jsonb := coalesce(nullif(current_setting('app.actor', true), ''), '{}')::jsonb;
  v_kind text := v_actor ->> 'kind';
begin
  if p_account is not null and p_action <> 'account.deleted'
    and not exists (select from accounts where id = p_account and closed_at is null) then
    return;
  end if;
  if v_kind is null or v_kind = 'unauthenticated' then
    v_kind := case when p_self is null then 'service' else 'member' end;
    v_actor := jsonb_build_object('ip', v_actor ->> 'ip', 'id', p_self, 'name', (select name from users where id = p_self));
  elsif (v_actor ->> 'account')::uuid is distinct from p_account and v_actor ? 'account' then
    -- A report collected from several requests can run in a request of another account. The entry then names no actor
    -- instead of the wrong one.
    v_kind := 'service';
    v_actor := '{}';
  end if;
  insert into audit_entries (account_id, actor, actor_id, actor_name, ip, action, subject_id, subject_name, changes)
  values (p_account, v_kind, (v_actor ->> 'id')::uuid, left(v_actor ->> 'name', 200), left(v_actor ->> 'ip', 60), p_action,
          p_subject_id, left(p_subject_name, 200), coalesce(p_changes, '{}'));
end
$$;

-- Returns the action name for a row change.
-- Input: p_noun is the first part of the name; p_row is the new row, or the old row of a delete.
-- Output: noun.verb, for example key.revoked. If several columns changed, the first match decides.
-- Locks: none.
create function audit_action(p_noun text, p_op text, p_row jsonb, p_changes jsonb) returns text
  language sql immutable
  return p_noun || '.' || case
    when p_op = 'DELETE' then 'deleted'
    when p_op = 'INSERT' then case when p_row ->> 'replaces' is not null then 'rotated' else 'created' end
    when p_changes ? 'revoked_at' then 'revoked'
    when p_changes ? 'paused_at' then case when p_row ->> 'paused_at' is null then 'resumed' else 'paused' end
    when p_changes ? 'suspended_at' then case when p_row ->> 'suspended_at' is null then 'reactivated' else 'suspended' end
    when p_changes ? 'on_hold_since'
      then case when p_row ->> 'on_hold_since' is null then 'charging_resumed' else 'charging_stopped' end
    when p_changes ? 'drained_at' then case when p_row ->> 'drained_at' is null then 'undrained' else 'drained' end
    when p_changes ? 'rate_percent' then 'rate_changed'
    when p_changes ? 'suspension_lifted_at' then 'suspension_lifted'
    when p_changes ? 'plan' then 'plan_changed'
    when p_changes ? 'role' then 'role_changed'
    when p_changes ? 'secret' then 'rotated'
    when p_changes ? 'state' then p_row ->> 'state'
    when p_changes ? 'status' then p_row ->> 'status'
    else 'changed'
  end;

-- Writes one audit entry per changed row (trigger function).
-- Input: trigger arguments are the noun, the name column, the columns whose values are logged, and the columns to ignore.
-- Other columns are logged without values. An update that changes only ignored columns is not logged.
-- Output: null (after trigger).
-- Locks: none.
create function audit_row() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_old jsonb := case when tg_op = 'INSERT' then '{}' else to_jsonb(old) end;
  v_new jsonb := case when tg_op = 'DELETE' then '{}' else to_jsonb(new) end;
  v_row jsonb := case when tg_op = 'DELETE' then v_old else v_new end;
  v_shown text[] := string_to_array(tg_argv[2], ' ');
  v_passed text[] := string_to_array(tg_argv[3], ' ');
  v_changes jsonb;
  v_name text;
begin
  if tg_op <> 'DELETE' then
    select jsonb_object_agg(c, case when c = any (v_shown) then jsonb_build_array(v_old -> c, v_new -> c) end) into v_changes
    from jsonb_object_keys(v_new) c
    where v_new -> c is distinct from coalesce(v_old -> c, 'null') and c <> all (v_passed)
      and (tg_op = 'UPDATE' or c = any (v_shown));
    if tg_op = 'UPDATE' and v_changes is null then
      return null;
    end if;
  end if;
  v_name := v_row ->> tg_argv[1];
  if tg_argv[1] = 'user_id' then
    select p.name into v_name from users p where p.id = (v_row ->> 'user_id')::uuid;
  elsif tg_argv[1] = 'url' then
    v_name := substring(v_name from '^https?://([^/?#]+)'); -- host only: path and query can contain a secret
  elsif tg_argv[1] = 'job_id' then
    select coalesce(j.name, j.filename) into v_name from jobs j where j.id = (v_row ->> 'job_id')::uuid;
  end if;
  perform record_audit_entry(
    (v_row ->> case when tg_table_name = 'accounts' then 'id' else 'account_id' end)::uuid,
    audit_action(tg_argv[0], tg_op, v_row, v_changes), coalesce(v_row ->> 'id', v_row ->> tg_argv[1]), v_name, v_changes
  );
  return null;
end
$$;

-- Writes one audit entry per statement and account, with the row count only (trigger function for bulk changes).
-- Input: trigger arguments are the noun and the verb; the transition table is named changed.
-- Output: null (after trigger). Writes nothing if app.actor has no id, as for changes by the service itself.
-- Locks: none.
create function audit_statement() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if coalesce(nullif(current_setting('app.actor', true), ''), '{}')::jsonb ? 'id' then
    perform record_audit_entry(c.account_id, tg_argv[0] || '.' || tg_argv[1], null, null, jsonb_build_object('count', jsonb_build_array(null, c.count)))
    from (select account_id, count(*) as count from changed group by account_id) c;
  end if;
  return null;
end
$$;

-- Adds the probes that a worker counted since its last report to the current hour, and deletes hours older than eight days.
-- Input: p_rows is an array of objects with the columns of provider_hours, without hour and last_block_at.
-- Output: none.
-- Locks: the rows it writes, in key order.
create function record_probes(p_rows jsonb) returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from provider_hours h where h.hour < clock_timestamp() - interval '8 days';
  insert into provider_hours as h (provider, egress, hour, probes, conclusive, deferred, blocked, no_response, throttled, ms, last_block, last_block_at)
  select r.provider, r.egress, date_trunc('hour', clock_timestamp(), 'utc'), r.probes, r.conclusive, r.deferred, r.blocked, r.no_response, r.throttled, r.ms,
         r.last_block, case when r.last_block is not null then clock_timestamp() end
  from jsonb_to_recordset(p_rows) as r (
    provider text, egress text, probes bigint, conclusive bigint, deferred bigint, blocked bigint, no_response bigint, throttled bigint, ms integer[], last_block text
  )
  order by r.provider, r.egress -- the same order in all workers prevents deadlocks
  on conflict (hour, provider, egress) do update set
    probes = h.probes + excluded.probes, conclusive = h.conclusive + excluded.conclusive, deferred = h.deferred + excluded.deferred,
    blocked = h.blocked + excluded.blocked, no_response = h.no_response + excluded.no_response, throttled = h.throttled + excluded.throttled,
    ms = array(select a + b from unnest(h.ms, excluded.ms) with ordinality as t (a, b, n) order by n),
    last_block = coalesce(excluded.last_block, h.last_block), last_block_at = coalesce(excluded.last_block_at, h.last_block_at);
end
$$;

-- Rejects deletes of audit entries younger than 365 days, unless their account is closed (trigger function).
-- Entries of an account contain names, invited addresses and IP addresses, so they are deleted with the account. The entry
-- account.deleted is written afterwards and stays.
-- Output: the old row, so that the delete proceeds; otherwise raises an exception.
-- Locks: none.
create function audit_entries_keep_a_year() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if exists (select from accounts where id = old.account_id and closed_at is not null) then
    return old;
  end if;
  raise exception 'the audit log is append only';
end
$$;

-- Starts a doctor run of a host if one is due.
-- Output: true if the calling worker must run the doctor. A run is due if the host's last run began more than an hour ago or
-- before the last operator request, or has not ended five minutes after its start.
-- Locks: the host's doctor_runs row, so that only one of several concurrent workers gets true.
create function begin_doctor_run(p_host text) returns boolean
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into doctor_runs as r (host, began_at) values (p_host, clock_timestamp())
  on conflict (host) do update set began_at = clock_timestamp(), ended_at = null
  where r.began_at < clock_timestamp() - interval '1 hour' or r.began_at < (select requested_at from doctor_requests)
    or (r.ended_at is null and r.began_at < clock_timestamp() - interval '5 minutes');
  return found;
end
$$;

-- Replaces the findings of a host and the shared findings, ends the host's run, and deletes runs and findings older than a day.
-- Input: p_rows is an array of findings; shared marks checks with the same finding on every host.
-- Output: the findings that are new or whose status changed; was is the previous status, null for a new finding.
-- Locks: the rows it writes; findings are written in key order.
create function store_findings(p_host text, p_rows jsonb)
  returns table (check_id text, subject text, was text, status text)
  language plpgsql security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update doctor_runs r set ended_at = clock_timestamp() where r.host = p_host;
  delete from doctor_runs r where r.began_at < clock_timestamp() - interval '1 day';
  delete from doctor_findings f where f.checked_at < clock_timestamp() - interval '1 day';
  return query
  with found as (
    select case when r.shared then '' else p_host end as host, r.check_id, r.subject, r.status, r.observed, r.fix
    from jsonb_to_recordset(p_rows) as r (shared boolean, check_id text, subject text, status text, observed text, fix jsonb)
  ), before as (
    select f.host, f.check_id, f.subject, f.status from doctor_findings f where f.host in ('', p_host)
  ), gone as (
    delete from doctor_findings f
    where f.host in ('', p_host)
      and not exists (select from found n where (n.host, n.check_id, n.subject) = (f.host, f.check_id, f.subject))
  ), kept as (
    insert into doctor_findings as f (host, check_id, subject, status, observed, fix)
    select n.host, n.check_id, n.subject, n.status, n.observed, n.fix from found n
    order by n.host, n.check_id, n.subject -- the same order in all workers prevents deadlocks
    on conflict (host, check_id, subject) do update set
      status = excluded.status, observed = excluded.observed, fix = excluded.fix, checked_at = clock_timestamp(),
      since = case when f.status = excluded.status then f.since else clock_timestamp() end
  )
  select n.check_id, n.subject, b.status, n.status
  from found n left join before b on (b.host, b.check_id, b.subject) = (n.host, n.check_id, n.subject)
  where b.status is distinct from n.status;
end
$$;

-- Requests a doctor run on all hosts, at most once per minute, because a run contacts mail servers, DNSBLs and the public URL.
-- Output: false if the last request is less than a minute old.
-- Locks: the doctor_requests row.
create function request_doctor_run() returns boolean
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update doctor_requests set requested_at = clock_timestamp() where requested_at < clock_timestamp() - interval '1 minute';
  return found;
end
$$;

-- Lists the jobs of all accounts whose sample may be ready for evaluation: 30 of its addresses, or half of it, have results.
-- Output: the jobs. Locks: none.
create function list_due_samples() returns table (account_id uuid, id uuid, mode text)
  language plpgsql stable security definer set search_path = public, pg_temp as $$
begin
  return query
    select j.account_id, j.id, j.mode from job_reviews r join jobs j on j.id = r.job_id
    where r.state = 'sampling' and (j.finished_at is not null or j.done_count >= least(30, ceil(r.sample_size / 2.0)));
end
$$;

-- Evaluates the sample of a job of the transaction's account that may be a guessed list. The sample is bad if more than 70 percent of
-- its addresses are invalid; addresses that a mail server deferred count as not invalid, because some servers greylist existing
-- mailboxes only. A bad sample pauses the job until an operator decides: as soon as 30 addresses are invalid, because mail servers
-- limit how fast invalid addresses can be probed. A sample that is not bad when half of it has results has passed: all batches
-- of the job may be dispatched.
-- Output: waiting or passed; null if it is too early, or if the sample was evaluated before.
-- Locks: the job row (no key update), then the review row, until commit.
create function judge_sample(p_job uuid) returns text
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_job record;
  v_invalid integer;
  v_deferred integer;
  v_is_complete boolean;
  v_state text;
begin
  select * into v_job from jobs j where j.id = p_job and j.account_id = app_account() for no key update;
  select coalesce(sum(c.count), 0) into v_invalid from job_counts c
  where c.account_id = v_job.account_id and c.job_id = p_job and c.status = 'invalid';
  select coalesce(sum(q.size), 0) into v_deferred from job_queue q where q.job_id = p_job and q.wait_reason <> 'rate_limited';
  select v_job.finished_at is not null or v_job.done_count * 2 >= r.sample_size into v_is_complete from job_reviews r where r.job_id = p_job;
  v_state := case
    when v_invalid > (v_job.done_count + v_deferred) * 0.7 and (v_invalid >= 30 or v_is_complete) then 'waiting'
    when v_is_complete then 'passed'
  end;
  update job_reviews r set state = v_state, since = clock_timestamp(), sample_done = v_job.done_count, sample_invalid = v_invalid
  where r.job_id = p_job and r.account_id = v_job.account_id and r.state = 'sampling' and v_state is not null;
  if not found then
    return null;
  end if;
  if v_state = 'waiting' then
    update jobs j set paused_at = coalesce(j.paused_at, clock_timestamp()) where j.id = p_job;
  else
    update jobs j set dispatch_limit = null where j.id = p_job;
  end if;
  return v_state;
end
$$;

-- Ends the review of a job of the transaction's account by an operator's decision and writes an audit entry. A released job
-- continues with all of its batches. The caller cancels the job before it records that decision.
-- Input: p_decision is released or canceled.
-- Output: false if the job does not wait for a decision.
-- Locks: the job row (no key update), then the review row, until commit.
create function decide_review(p_job uuid, p_decision text) returns boolean
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_review job_reviews;
begin
  perform 1 from jobs j where j.id = p_job and j.account_id = app_account() for no key update;
  update job_reviews r set state = p_decision, since = clock_timestamp()
  where r.job_id = p_job and r.account_id = app_account() and r.state = 'waiting'
  returning r.* into v_review;
  if not found then
    return false;
  end if;
  if p_decision = 'released' then
    update jobs j set paused_at = null, dispatch_limit = null where j.id = p_job;
  end if;
  perform record_audit_entry(v_review.account_id, 'list.review_' || p_decision, p_job::text, null,
    jsonb_build_object('reason', jsonb_build_array(null, v_review.reason), 'domain', jsonb_build_array(null, v_review.domain)));
  return true;
end
$$;

-- ---- Triggers ----

create trigger append_only before update or truncate on audit_entries
  for each statement execute function audit_entries_are_append_only();

create trigger audit after update on provider_controls for each row execute function
  audit_row('provider', 'provider', 'rate_percent', '');

create trigger audit after update on egress_controls for each row execute function audit_row('egress', 'egress', '', '');

create trigger audit after insert or delete on opted_out_domains for each row execute function
  audit_row('opt_out', 'domain', 'note', '');

create trigger keep_a_year before delete on audit_entries
  for each row when (old.at > clock_timestamp() - interval '365 days') execute function audit_entries_keep_a_year();

-- ---- Rights ----

revoke execute on function
  record_unrecognized_replies, delete_old_audit_entries, record_audit_entry, audit_action, audit_row, audit_statement, record_probes,
  begin_doctor_run, store_findings, request_doctor_run, list_due_samples, judge_sample,
  decide_review
from public;

grant execute on function
  record_unrecognized_replies, delete_old_audit_entries, record_probes, begin_doctor_run, store_findings,
  list_due_samples, judge_sample, decide_review
to probity_app;

grant execute on function
  request_doctor_run
to probity_operator;

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

-- Usage of the API: requests, credits and verdicts per account, for the usage pages and the request log;
-- addresses per mail domain, for the abuse limits.
-- probity_app reads the rows of its account and writes only through functions; probity_operator reads usage_days.

-- ---- Tables ----

-- A row is the usage of one API key on one day (UTC). It is deleted with its account.
-- apply_to_balance writes the credits in the transaction that changes the balance, so they are exact. Each process counts
-- requests in memory and reports them in batches; a killed process loses the counts of its last seconds.
create table usage_days (
  account_id uuid not null references accounts (id) on delete cascade,
  day date not null,
  key_id uuid not null, -- all zeros for usage without a key, for example in the web app
  requests bigint not null default 0,
  credits_used bigint not null default 0, -- charges and settlements minus refunds
  credits_committed bigint not null default 0, -- charges and reservations minus releases and refunds; the monthly cap uses it
  -- Refunds on this day. credits_used already subtracts them; a refund can belong to a charge of an earlier day.
  credits_refunded bigint not null default 0,
  primary key (account_id, day, key_id)
);

alter table usage_days enable row level security;
create policy tenant on usage_days using (account_id = app_account());
grant select on usage_days to probity_app;
create policy operator on usage_days to probity_operator using (true);
grant select on usage_days to probity_operator;

-- A row is one API request: the route pattern and the outcome, without address, body and query string.
-- The operator's setting REQUEST_LOG_DAYS, not the account's retention, sets expires_on when the row is written.
-- Partitioned by expires_on: rows are deleted by dropping the partition of an expired day.
create table requests (
  expires_on date not null,
  account_id uuid not null, -- no foreign key: only record_requests writes rows
  id uuid not null, -- the Request-Id without the prefix req_
  at timestamptz not null,
  mode text not null check (mode in ('live', 'test')),
  source text not null check (octet_length(source) <= 20),
  method text not null check (octet_length(method) <= 10),
  route text not null check (octet_length(route) <= 200),
  status smallint not null,
  code text check (octet_length(code) <= 60),
  key_id uuid,
  duration_ms integer not null check (duration_ms >= 0),
  verdict text check (octet_length(verdict) <= 20),
  sub_status text check (octet_length(sub_status) <= 60),
  credits integer,
  validation_id uuid,
  primary key (expires_on, account_id, id)
) partition by range (expires_on);

create index requests_by_time on requests (account_id, mode, at desc, id desc);
-- Partial: rejected requests are rare, and searches in the request log are mostly for them.
create index requests_refused on requests (account_id, mode, at desc, id desc) where status >= 400;

alter table requests enable row level security;
create policy tenant on requests using (account_id = app_account());
grant select on requests to probity_app;

-- A row counts the verdicts with one status that an account received in synchronous requests on one day.
-- It is deleted with its account. Jobs are not included; job_counts has their counts.
create table verdict_days (
  account_id uuid not null references accounts (id) on delete cascade,
  mode text not null check (mode in ('live', 'test')),
  day date not null,
  status text not null check (octet_length(status) <= 20),
  count bigint not null,
  primary key (account_id, mode, day, status)
);

alter table verdict_days enable row level security;
create policy tenant on verdict_days using (account_id = app_account());
grant select on verdict_days to probity_app;

-- A row counts the addresses of a mail domain (registrable domain, not of a free provider) that an account has submitted on a UTC
-- day, while the abuse limits are on. Written by count_domain_addresses; deleted after the day by delete_old_domain_days.
create table account_domain_days (
  account_id uuid not null references accounts (id) on delete cascade,
  day date not null,
  domain text not null check (octet_length(domain) <= 253),
  addresses integer not null check (addresses > 0),
  primary key (account_id, day, domain)
);

create index account_domain_days_by_day on account_domain_days (day);

alter table account_domain_days enable row level security;
create policy tenant on account_domain_days using (account_id = app_account());
grant select on account_domain_days to probity_app;

-- ---- Functions ----

-- Adds the requests that one process counted since its last report, for keys of any account.
-- Input: parallel arrays, one element per key; an element of p_last_requests is null if there is no last request to store.
-- Output: none. Keys that do not exist are ignored.
-- Locks: the key rows (no key update) in id order, then the usage_days rows in key order, until commit.
create function record_key_use(p_keys uuid[], p_requests bigint[], p_last_used timestamptz[], p_last_requests jsonb[])
  returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  -- All processes lock keys in the same order, which prevents deadlocks between two reports.
  perform 1 from api_keys where id = any (p_keys) order by id for no key update;

  update api_keys k set last_used_at = greatest(k.last_used_at, u.last_used)
  from unnest(p_keys, p_last_used) as u (key_id, last_used) where k.id = u.key_id;

  insert into usage_days (account_id, day, key_id, requests)
  select k.account_id, utc_today(), k.id, u.requests
  from unnest(p_keys, p_requests) as u (key_id, requests) join api_keys k on k.id = u.key_id
  order by k.account_id, k.id
  on conflict (account_id, day, key_id) do update set requests = usage_days.requests + excluded.requests;

  -- All timestamps have the format of rfc3339, so their text order is their time order.
  update api_keys k set last_request = u.last_request
  from unnest(p_keys, p_last_requests) as u (key_id, last_request)
  where k.id = u.key_id and u.last_request is not null
    and (k.last_request is null or u.last_request ->> 'occurred_at' >= k.last_request ->> 'occurred_at');
end
$$;

-- Writes the requests that one process reports, for any accounts.
-- Input: p_rows is an array of objects with the columns of requests; p_days is added to the request's day to get expires_on.
-- Output: none. Rows that exist are ignored, so a process can repeat a report whose success it could not confirm.
-- Locks: none beyond the inserted rows.
create function record_requests(p_rows jsonb, p_days integer) returns void
  language sql security definer set search_path = public, pg_temp as $$
  insert into requests (expires_on, account_id, id, at, mode, source, method, route, status, code, key_id, duration_ms, verdict,
                        sub_status, credits, validation_id)
  select (r.at at time zone 'utc')::date + p_days, r.account_id, r.id, r.at, r.mode, r.source, r.method, r.route, r.status, r.code,
         r.key_id, r.duration_ms, r.verdict, r.sub_status, r.credits, r.validation_id
  from jsonb_to_recordset(p_rows) as r (
    account_id uuid, id uuid, at timestamptz, mode text, source text, method text, route text, status smallint, code text, key_id uuid,
    duration_ms integer, verdict text, sub_status text, credits integer, validation_id uuid
  )
  on conflict do nothing
$$;

-- Adds the verdicts that one process counted since its last report, for any accounts.
-- Input: p_rows is an array of objects with the columns of verdict_days.
-- Output: none.
-- Locks: the verdict_days rows in key order, which prevents deadlocks between two reports.
create function record_verdict_days(p_rows jsonb) returns void
  language sql security definer set search_path = public, pg_temp as $$
  insert into verdict_days (account_id, mode, day, status, count)
  select r.account_id, r.mode, r.day, r.status, r.count
  from jsonb_to_recordset(p_rows) as r (account_id uuid, mode text, day date, status text, count bigint)
  order by r.account_id, r.mode, r.day, r.status
  on conflict (account_id, mode, day, status) do update set count = verdict_days.count + excluded.count
$$;

-- Returns the credits of a key lineage that remain in the current UTC month: the monthly cap of its newest key, less the credits
-- that its keys and the keys that they created have committed (charged and reserved, less releases and refunds).
-- Output: null if the lineage has no cap; negative if the cap was lowered below the committed credits.
-- Locks: none.
create function remaining_key_credits(p_account uuid, p_lineage uuid) returns bigint
  language sql stable
  return (
    select k.monthly_cap - (
      select coalesce(sum(u.credits_committed), 0)::bigint from api_keys f join usage_days u on u.key_id = f.id
      where f.account_id = p_account and f.lineages @> array[p_lineage]
        and u.account_id = p_account and u.day >= date_trunc('month', utc_today())::date
    )
    from api_keys k
    where k.account_id = p_account and k.lineages[1] = p_lineage and k.replaced_by is null and k.monthly_cap is not null
  );

-- Returns the credits that an API key can still commit in the current UTC month, within its own cap and the caps of the keys
-- that created it. Output: null if there is no cap. Locks: none.
create function remaining_key_cap(p_account uuid, p_key uuid) returns bigint
  language sql stable
  return (
    select min(remaining_key_credits(p_account, l)) from api_keys k cross join unnest(k.lineages) l
    where k.id = p_key and k.account_id = p_account
  );

-- Lists keys of all accounts that have expired and whose key.expired event was not emitted. Locks: none.
create function list_expired_keys(p_max integer) returns table (account_id uuid, id uuid)
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select k.account_id, k.id from api_keys k
    where k.expires_at <= clock_timestamp() and k.revoked_at is null and k.expired_event_at is null
    order by k.expires_at limit p_max;
  end;

-- Marks the key.expired event of a key of the transaction's account as emitted.
-- Output: the key without its hash, for the event; no row if the event was emitted before. Locks: the key row until commit.
create function mark_expired_key(p_key uuid)
  returns table (
    id uuid, name text, mode text, hint text, scopes text[], created_at timestamptz, expires_at timestamptz,
    paused_at timestamptz, revoked_at timestamptz, replaces uuid, replaced_by uuid
  )
  language sql security definer set search_path = public, pg_temp
  begin atomic
    update api_keys k set expired_event_at = clock_timestamp()
    where k.id = p_key and k.account_id = app_account() and k.expires_at <= clock_timestamp() and k.revoked_at is null
      and k.expired_event_at is null
    returning k.id, k.name, k.mode, k.hint, k.scopes, k.created_at, k.expires_at, k.paused_at, k.revoked_at, k.replaces, k.replaced_by;
  end;

-- Counts addresses of mail domains toward the daily limit per domain of the transaction's account. The limit is p_base plus one
-- address for every ten credits that the account has bought.
-- Input: parallel arrays of distinct domains and numbers of addresses.
-- Output: the domain that exceeds the limit most, with its addresses of the day and the limit; no row if none exceeds it. The caller
-- must hold the job for review.
-- Locks: the counted rows, in the order of their domains, until commit.
create function count_domain_addresses(p_domains text[], p_counts integer[], p_base integer)
  returns table (domain text, addresses integer, addresses_max bigint)
  language plpgsql security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  v_account uuid := app_account();
  v_max bigint := p_base + paid_credits(v_account) / 10;
begin
  return query
    with counted as (
      insert into account_domain_days as d (account_id, day, domain, addresses)
      select v_account, utc_today(), n.domain, n.count from unnest(p_domains, p_counts) as n (domain, count)
      order by n.domain
      on conflict (account_id, day, domain) do update set addresses = d.addresses + excluded.addresses
      returning d.domain, d.addresses
    )
    select c.domain, c.addresses, v_max from counted c where c.addresses > v_max order by c.addresses desc, c.domain limit 1;
end
$$;

-- Counts addresses of mail domains as count_domain_addresses does, but only those within the limit.
-- Input: as count_domain_addresses.
-- Output: the number of addresses beyond the limit, for each domain that exceeds it. The caller must not probe these addresses.
-- Locks: the counted rows, in the order of their domains, until commit.
create function admit_domain_addresses(p_domains text[], p_counts integer[], p_base integer)
  returns table (domain text, excess integer)
  language plpgsql security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  v_account uuid := app_account();
  v_max bigint := p_base + paid_credits(v_account) / 10;
begin
  for domain, excess in
    with counted as (
      insert into account_domain_days as d (account_id, day, domain, addresses)
      select v_account, utc_today(), n.domain, n.count from unnest(p_domains, p_counts) as n (domain, count)
      order by n.domain
      on conflict (account_id, day, domain) do update set addresses = d.addresses + excluded.addresses
      returning d.domain, d.addresses
    )
    -- A list that an operator released can have counted more than the limit.
    select c.domain, least(n.count, c.addresses - v_max)
    from counted c join unnest(p_domains, p_counts) as n (domain, count) on n.domain = c.domain
    where c.addresses > v_max
  loop
    update account_domain_days d set addresses = d.addresses - excess
    where d.account_id = v_account and d.day = utc_today() and d.domain = admit_domain_addresses.domain;
    return next;
  end loop;
end
$$;

-- Deletes the counts of past days of all accounts.
-- Output: the number of deleted rows.
-- Locks: the deleted rows.
create function delete_old_domain_days() returns bigint
  language sql security definer set search_path = public, pg_temp
  begin atomic
    with gone as (
      delete from account_domain_days where day < utc_today() returning 1
    )
    select count(*) from gone;
  end;

-- ---- Rights ----

revoke execute on function
  record_key_use, record_requests, record_verdict_days, list_expired_keys, mark_expired_key
from public;

grant execute on function
  record_key_use, record_requests, record_verdict_days
to probity_app;

revoke execute on function remaining_key_credits, remaining_key_cap from public;
grant execute on function remaining_key_credits, remaining_key_cap to probity_app;

revoke execute on function count_domain_addresses, admit_domain_addresses, delete_old_domain_days from public;
grant execute on function count_domain_addresses, admit_domain_addresses, delete_old_domain_days to probity_app;

-- Credits and billing: the ledger with its functions, and the Stripe data (prices, customers, payments, subscriptions, events).
-- probity_app (API) reads the tables and changes balances through ledger_post and record_reversal only. probity_operator calls ledger_post
-- for grants and adjustments. Jobs and validations post settle, release and refund in the functions that end them (settle_batches, end_job,
-- finish_validations), so the worker and maintenance may execute no function of the ledger. The owner maintains prices.

-- ---- Tables ----

-- One row per transaction kind. The factors (-1, 0, 1) define how the kind changes the available, reserved and spent balances.
-- Static data, inserted below.
create table ledger_kinds (
  kind text primary key,
  available smallint not null,
  reserved smallint not null,
  spent smallint not null,
  counts_toward_cap boolean not null,
  meaning text not null,
  -- Kinds that take credits from the account are rejected while it is on hold; the other kinds continue.
  blocked_on_hold boolean not null
);

insert into ledger_kinds (kind, available, reserved, spent, counts_toward_cap, blocked_on_hold, meaning) values
  ('grant',    1,  0,  0, false, false, 'credits bought or granted'),
  ('adjust',   1,  0,  0, false, false, 'correction by an operator'),
  ('charge',  -1,  0,  1, true,  true,  'validations charged when they start'),
  ('reserve', -1,  1,  0, true,  true,  'credits reserved for a job'),
  ('settle',   0, -1,  1, false, true,  'stored results of a job'),
  ('release',  1, -1,  0, false, false, 'credits that a job did not use'),
  ('refund',   1,  0, -1, false, false, 'refund of results without a verdict');

grant select on ledger_kinds to probity_app;

-- Append-only record of all credit transactions. subject identifies what is paid for: a group of validations, one validation,
-- a job or a payment. part is the batch number of a job or the refund number of a payment. One subject is posted at most once
-- per kind and part. Rows are never deleted, not even with the account.
create table ledger (
  id bigint generated always as identity,
  -- account_id and key_id have no foreign keys: only the functions below insert rows, after they have locked the account
  -- row, and a foreign key would be checked for each of millions of rows. Ledger rows also outlive a deleted account.
  account_id uuid not null,
  kind text not null check (kind in ('grant', 'adjust', 'charge', 'reserve', 'settle', 'release', 'refund')),
  subject uuid not null,
  part integer not null default 0,
  d_available bigint not null,
  d_reserved bigint not null,
  d_spent bigint not null,
  key_id uuid,
  note text check (length(note) <= 200),
  at timestamptz not null default clock_timestamp(),
  primary key (account_id, id),
  unique (account_id, kind, subject, part),
  -- Only grant and adjust change the total; every other kind moves credits between the three balances.
  check (kind in ('grant', 'adjust') or d_available + d_reserved + d_spent = 0)
);

-- Finds the accounts with recent transactions. Rows are stored in time order, so a small BRIN index is sufficient.
create index ledger_by_time on ledger using brin (at) with (pages_per_range = 32, autosummarize = on);

alter table ledger enable row level security;
create policy tenant on ledger using (account_id = app_account());
grant select on ledger to probity_app;

-- One row per Stripe price that the operator sells: a credit pack, or a plan with credits for each paid period.
-- Stripe alone stores the amount of money.
create table prices (
  id text primary key constraint prices_id_check check (id ~ '^price_[A-Za-z0-9_]{1,200}$'),
  plan text references plans (name),
  credits bigint not null constraint prices_credits_check check (credits between 0 and 1000000000),
  -- A withdrawn price is no longer sold. The row is kept because existing subscriptions still pay it.
  withdrawn boolean not null default false,
  constraint prices_gives_something check (plan is not null or credits > 0)
);

grant select on prices to probity_app;

-- Maps an account to its Stripe customer. Written when the account starts its first checkout, deleted with the account.
create table billing_customers (
  account_id uuid primary key references accounts (id) on delete cascade,
  customer text not null unique,
  -- The plan before the subscription; restored when no paid subscription remains. Null while no subscription sets the plan.
  plan_before text references plans (name)
);

alter table billing_customers enable row level security;
create policy tenant on billing_customers using (account_id = app_account());
grant select, insert on billing_customers to probity_app;

-- One row per Checkout session or subscription invoice. reference is its Stripe id; id is the ledger subject of its grant.
-- credits is fixed when the row is inserted, so that a later price change does not affect the sale.
-- Granted rows are kept, so that no payment is granted twice. delete_old_payments deletes rows that were never paid.
create table payments (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts (id) on delete cascade,
  reference text not null unique,
  credits bigint not null check (credits >= 0), -- 0 for the disputed invoice of a plan without credits
  created_at timestamptz not null default clock_timestamp(),
  granted_at timestamptz,
  -- Credits whose money was refunded or disputed, and whether a dispute is open or lost, as Stripe said at checked_at.
  -- Written by record_reversal. reversals counts the changes; it is the part of their ledger rows.
  credits_reversed bigint not null default 0 check (credits_reversed between 0 and credits),
  is_disputed boolean not null default false,
  reversals integer not null default 0,
  checked_at timestamptz
);

create index payments_by_account on payments (account_id, created_at);
-- For delete_old_payments. Stripe keeps a Checkout session open for one day and resends an event for up to 30 days.
create index payments_not_granted on payments (created_at) where granted_at is null;

alter table payments enable row level security;
create policy tenant on payments using (account_id = app_account());
grant select, insert on payments to probity_app;
grant update (granted_at) on payments to probity_app;

-- State of each Stripe subscription when the API last retrieved it from Stripe (checked_at). Written by record_subscription.
create table subscriptions (
  id text primary key,
  account_id uuid not null references accounts (id) on delete cascade,
  price text not null,
  is_paid boolean not null,
  began_at timestamptz not null,
  checked_at timestamptz not null
);

create index subscriptions_by_account on subscriptions (account_id);

alter table subscriptions enable row level security;
create policy tenant on subscriptions using (account_id = app_account());
grant select on subscriptions to probity_app;

-- One row per processed Stripe event, with its outcome. Inserted in the transaction that processes the event, so that an event
-- is processed once. Deleted by delete_old_payments.
create table stripe_events (
  id text primary key,
  type text not null,
  outcome text not null,
  at timestamptz not null default clock_timestamp()
);

create index stripe_events_by_time on stripe_events (at);

grant select, insert on stripe_events to probity_app;
grant update (outcome) on stripe_events to probity_app;

-- One row per user who was granted opening credits, so that no user is granted them twice. Written by create_account (users.sql).
-- Rows are never deleted, not even with the user. The address is stored as a keyed hash only (HMAC-SHA-256 with the secret
-- opening_grants of the address without its tag), so that it is recognized at a new sign-up and cannot be read.
-- No role has rights on the table.
create table opening_grants (
  address_hash bytea primary key check (length(address_hash) = 32),
  user_id uuid not null unique, -- no foreign key: the row outlives the user
  granted_at timestamptz not null default clock_timestamp()
);

-- ---- Functions ----

-- Rejects every update, delete and truncate of the ledger. Trigger function.
-- Output: none; raises an exception. Locks: none.
create function ledger_is_append_only() returns trigger
  language plpgsql as $$
begin
  raise exception 'the ledger is append only';
end
$$;

-- Applies transactions that were inserted into the ledger in the same database transaction to the account's balances and to
-- the daily usage. Emits credits.low when the available balance falls below the threshold.
-- Input: p_credits is the total of the transactions, all of kind p_kind and API key p_key.
-- Output: none.
-- Locks: the account row, which the calling function has locked already, and the usage_days row, until commit.
create function apply_to_balance(p_account uuid, p_kind ledger_kinds, p_credits bigint, p_key uuid) returns void
  language plpgsql as $$
declare
  v_was_low boolean;
  v_account accounts;
begin
  -- The calling function has locked the account row, so this read and the update below see the same values.
  select a.credits_low into v_was_low from accounts a where a.id = p_account;
  update accounts a set
    available = a.available + p_credits * p_kind.available,
    reserved = a.reserved + p_credits * p_kind.reserved,
    spent = a.spent + p_credits * p_kind.spent,
    last_grant = case p_kind.kind when 'grant' then p_credits else a.last_grant end,
    -- A grant leaves more than a tenth of itself, so after it only the account's own setting counts.
    credits_low = not a.unlimited and a.available + p_credits * p_kind.available
      < case p_kind.kind when 'grant' then coalesce(a.low_credits, 0) else low_credits_threshold(a) end
  where a.id = p_account
  returning a.* into v_account;
  if v_account.credits_low and not v_was_low then
    perform emit_event('live', 'credits.low', json_build_object(
      'available', v_account.available, 'threshold', low_credits_threshold(v_account), 'reserved', v_account.reserved
    ));
  end if;

  if p_kind.kind not in ('grant', 'adjust') then
    insert into usage_days (account_id, day, key_id, credits_used, credits_committed, credits_refunded)
    values (p_account, utc_today(), coalesce(p_key, '00000000-0000-0000-0000-000000000000'),
            p_credits * p_kind.spent, -p_credits * p_kind.available,
            case p_kind.kind when 'refund' then p_credits else 0 end)
    on conflict (account_id, day, key_id) do update set
      credits_used = usage_days.credits_used + excluded.credits_used,
      credits_committed = usage_days.credits_committed + excluded.credits_committed,
      credits_refunded = usage_days.credits_refunded + excluded.credits_refunded;
  end if;
end
$$;

-- Inserts one ledger row and applies it to the balances, without any check.
-- Input: p_credits is positive, except for kind adjust. Output: none.
-- Locks: as apply_to_balance; the calling function has locked the account row.
create function ledger_insert(
  p_account uuid, p_kind ledger_kinds, p_credits bigint, p_subject uuid, p_part integer, p_key uuid, p_note text
) returns void
  language plpgsql as $$
begin
  insert into ledger (account_id, kind, subject, part, d_available, d_reserved, d_spent, key_id, note)
  values (p_account, p_kind.kind, p_subject, p_part,
          p_credits * p_kind.available, p_credits * p_kind.reserved, p_credits * p_kind.spent, p_key, p_note);
  perform apply_to_balance(p_account, p_kind, p_credits, p_key);
end
$$;

-- The refund rule: returns whether the credit of a result without a verdict is refunded. Unknown results are refunded if the plan includes
-- it; results that were not probed for lack of an egress, never started, or ended without DNS, are refunded on every plan, because the
-- account received nothing for them. A result without a status counts as unknown.
-- Input: p_refund_unknown is the plan setting. Output: true or false, never null. Locks: none.
create function is_refunded(p_refund_unknown boolean, p_status text, p_sub_status text) returns boolean
  language sql immutable
  return coalesce(p_status, 'unknown') = 'unknown'
    and (p_refund_unknown or coalesce(p_sub_status in ('not_probed', 'not_started', 'dns_failed'), false));

-- Takes the debt of an account from its available balance, limited to that balance.
-- Input: p_subject and p_part identify the ledger row. Output: the credits taken.
-- Locks: the account row, which the calling function has locked already.
create function collect_debt(p_account uuid, p_subject uuid, p_part integer, p_note text) returns bigint
  language plpgsql as $$
declare
  v_taken bigint;
begin
  select least(a.debt, a.available) into v_taken from accounts a where a.id = p_account;
  if v_taken > 0 then
    perform ledger_insert(p_account, k, -v_taken, p_subject, p_part, null, p_note) from ledger_kinds k where k.kind = 'adjust';
    update accounts a set debt = a.debt - v_taken where a.id = p_account;
  end if;
  return v_taken;
end
$$;

-- Posts one credit transaction for the transaction's account: checks it, writes the ledger row and updates the balances.
-- An unlimited account is first granted the credits that it lacks. A debt is taken from the balance before credits are spent,
-- and from each grant at once.
-- Input: p_subject identifies what is paid for; one subject is posted at most once per kind and part. p_credits is positive,
-- except for kind adjust.
-- Output: the available balance and the outcome. Only posted changes anything:
--   posted        the ledger row was written and the balances were updated
--   replayed      the subject was posted before with the same number of credits
--   on_hold       the account is on hold (ledger mismatch, or closed), and the kind has blocked_on_hold
--   insufficient  the available balance is too low
--   over_cap      the monthly cap of the API key would be exceeded
-- Locks: the account row (no key update), then the usage_days row, until commit.
create function ledger_post(
  p_kind text, p_credits bigint, p_subject uuid, p_part integer default 0, p_key uuid default null, p_note text default null
) returns table (outcome text, available bigint)
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_kind ledger_kinds;
  v_account accounts;
  v_before bigint;
  v_short bigint;
begin
  select * into strict v_kind from ledger_kinds k where k.kind = p_kind;
  if p_credits is null or p_credits = 0 or (p_credits < 0 and p_kind <> 'adjust') then
    raise exception 'a % of % credits makes no sense', p_kind, p_credits;
  end if;

  -- Serializes the transactions of one account: everything read below stays valid until commit, and ledger ids are assigned
  -- in commit order, on which ledger_sums depends (reconciliation.sql).
  select * into strict v_account from accounts a where a.id = app_account() for no key update;

  select abs(l.d_available) + abs(l.d_reserved) into v_before from ledger l
  where l.account_id = v_account.id and l.kind = p_kind and l.subject = p_subject and l.part = p_part;
  if found then
    if v_before <> abs(p_credits) * (abs(v_kind.available) + abs(v_kind.reserved)) then
      raise exception 'subject % was posted before with other credits', p_subject;
    end if;
    return query select 'replayed', v_account.available;
    return;
  end if;

  if v_kind.blocked_on_hold and v_account.on_hold_since is not null then
    return query select 'on_hold', v_account.available;
    return;
  end if;

  if p_key is not null and v_kind.counts_toward_cap then
    if remaining_key_cap(v_account.id, p_key) < p_credits then
      return query select 'over_cap', v_account.available;
      return;
    end if;
  end if;

  if v_account.debt > 0 and v_kind.available < 0 then
    v_account.available := v_account.available - collect_debt(v_account.id, gen_random_uuid(), 0, 'debt of reversed payments');
  end if;

  v_short := -(v_account.available + p_credits * v_kind.available);
  if v_short > 0 then
    if not v_account.unlimited or p_kind = 'adjust' then
      return query select 'insufficient', v_account.available;
      return;
    end if;
    perform ledger_insert(v_account.id, k, v_short, gen_random_uuid(), 0, null, 'unlimited account')
    from ledger_kinds k where k.kind = 'grant';
  end if;

  perform ledger_insert(v_account.id, v_kind, p_credits, p_subject, p_part, p_key, p_note);
  if v_account.debt > 0 and v_kind.kind = 'grant' then
    perform collect_debt(v_account.id, gen_random_uuid(), 0, 'debt of reversed payments');
  end if;
  return query select 'posted', a.available from accounts a where a.id = v_account.id;
end
$$;

-- Refunds one credit for each of several validations of the transaction's account, with one lock and one balance update. Called by
-- finish_validations, which has ended them.
-- Input: p_subjects are validation ids; validations that were refunded before are skipped. p_key is the API key of all of them.
-- Output: the number of validations refunded.
-- Locks: the account row (no key update), then the usage_days row, until commit.
create function ledger_refund_validations(p_subjects uuid[], p_key uuid) returns bigint
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_kind ledger_kinds;
  v_account uuid;
  v_count bigint;
begin
  select * into strict v_kind from ledger_kinds k where k.kind = 'refund';
  select a.id into strict v_account from accounts a where a.id = app_account() for no key update;

  with posted as (
    insert into ledger (account_id, kind, subject, part, d_available, d_reserved, d_spent, key_id)
    select v_account, v_kind.kind, s, 0, v_kind.available, v_kind.reserved, v_kind.spent, p_key
    from unnest(p_subjects) as s
    on conflict (account_id, kind, subject, part) do nothing
    returning 1
  )
  select count(*) into v_count from posted;
  if v_count > 0 then
    perform apply_to_balance(v_account, v_kind, v_count, p_key);
  end if;
  return v_count;
end
$$;

-- Posts several parts of one subject for the transaction's account, with one lock and one balance update: the rules of ledger_post for
-- settle and refund. Called by settle_batches, which stores the results of the parts.
-- Input: p_parts and p_credits have one entry per part; credits are positive.
-- Output: the outcome for all parts. Only posted changes anything:
--   posted    at least one part was written; parts that were posted before with the same number of credits are left as they are
--   replayed  all parts were posted before with the same numbers of credits
--   on_hold   the account is on hold, and the kind has blocked_on_hold
-- Locks: the account row (no key update), then the usage_days row, until commit.
create function ledger_post_parts(p_kind text, p_subject uuid, p_key uuid, p_parts integer[], p_credits bigint[]) returns text
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_kind ledger_kinds;
  v_account accounts;
  v_total bigint;
begin
  select * into strict v_kind from ledger_kinds k where k.kind = p_kind;
  if p_kind not in ('settle', 'refund') then
    raise exception 'a % is not posted in parts', p_kind; -- other kinds need the checks of the balance and of the monthly cap
  end if;
  if cardinality(p_parts) = 0 or cardinality(p_parts) <> cardinality(p_credits) or 0 >= any (p_credits)
     or array_position(p_parts, null) is not null or array_position(p_credits, null) is not null then
    raise exception 'a % of % credits for parts % makes no sense', p_kind, p_credits, p_parts;
  end if;

  -- Serializes the transactions of one account, as in ledger_post.
  select * into strict v_account from accounts a where a.id = app_account() for no key update;

  if exists (
    select from unnest(p_parts, p_credits) as p (part, credits) join ledger l
      on l.account_id = v_account.id and l.kind = p_kind and l.subject = p_subject and l.part = p.part
    where abs(l.d_available) + abs(l.d_reserved) <> p.credits * (abs(v_kind.available) + abs(v_kind.reserved))
  ) then
    raise exception 'a part of subject % was posted before with other credits', p_subject;
  end if;

  if v_kind.blocked_on_hold and v_account.on_hold_since is not null then
    return 'on_hold';
  end if;

  with posted as (
    insert into ledger (account_id, kind, subject, part, d_available, d_reserved, d_spent, key_id)
    select v_account.id, p_kind, p_subject, p.part, p.credits * v_kind.available, p.credits * v_kind.reserved, p.credits * v_kind.spent, p_key
    from unnest(p_parts, p_credits) as p (part, credits) order by p.part
    on conflict (account_id, kind, subject, part) do nothing
    returning abs(d_spent) as credits
  )
  select sum(p.credits) into v_total from posted p;
  if v_total is null then
    return 'replayed';
  end if;
  perform apply_to_balance(v_account.id, v_kind, v_total, p_key);
  return 'posted';
end
$$;

-- Returns the available balance below which an account is low on credits: its own setting, otherwise a tenth of the last grant,
-- otherwise 100. Locks: none.
create function low_credits_threshold(p_account accounts) returns bigint
  language sql immutable
  return coalesce(p_account.low_credits, ceil(p_account.last_grant / 10.0)::bigint, 100);

-- Returns the account id of a Stripe customer, or null. Stripe events name only the customer, so the API calls this before it
-- sets the transaction's account; hence security definer. Locks: none.
create function find_billing_account(p_customer text) returns uuid
  language sql stable security definer set search_path = public, pg_temp
  return (select c.account_id from billing_customers c where c.customer = p_customer);

-- Records the state of a subscription of the transaction's account and updates the account's plan: the plan of its newest
-- paid subscription, or else the plan it had before it subscribed.
-- Input: p_checked_at is when Stripe returned the state; a state older than the recorded one is ignored.
-- Output: the account's plan.
-- Locks: the billing_customers row (update), then the subscription and account rows if they change, until commit.
create function record_subscription(
  p_id text, p_price text, p_is_paid boolean, p_began_at timestamptz, p_checked_at timestamptz
) returns text
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_customer billing_customers;
  v_plan text;
begin
  -- Serializes the Stripe events of one account.
  select * into strict v_customer from billing_customers c where c.account_id = app_account() for update;

  insert into subscriptions as s (id, account_id, price, is_paid, began_at, checked_at)
  values (p_id, v_customer.account_id, p_price, p_is_paid, p_began_at, p_checked_at)
  on conflict (id) do update set price = excluded.price, is_paid = excluded.is_paid, checked_at = excluded.checked_at
  where s.account_id = excluded.account_id and s.checked_at <= excluded.checked_at;

  select p.plan into v_plan from subscriptions s join prices p on p.id = s.price
  where s.account_id = v_customer.account_id and s.is_paid and p.plan is not null
  order by s.began_at desc, s.id limit 1;

  if v_plan is not null and v_customer.plan_before is null then
    update billing_customers c set plan_before = a.plan from accounts a
    where c.account_id = v_customer.account_id and a.id = c.account_id;
  elsif v_plan is null then
    v_plan := v_customer.plan_before;
    update billing_customers c set plan_before = null where c.account_id = v_customer.account_id;
  end if;

  update accounts a set plan = v_plan where a.id = v_customer.account_id and a.plan <> v_plan;
  return (select a.plan from accounts a where a.id = v_customer.account_id);
end
$$;

-- Records how much of a payment of the transaction's account was reversed (refunded or disputed). Credits that were reversed
-- since the last call are taken from the balance; those that are not available become a debt (accounts.debt), which later
-- credits pay. If less is reversed than before (a dispute was won, a refund failed), the debt falls first and the rest is
-- returned to the balance.
-- Input: p_lost of p_paid, in the smallest currency unit. p_checked_at is when Stripe returned the state; a state older than the
-- recorded one is ignored. p_suspends: a new dispute suspends the account. The account is reactivated when its last dispute was won,
-- unless an operator suspended it too.
-- Output: the credits reversed by this call, negative if returned, and the account's debt; no row if the payment was not granted.
-- Locks: the payment row (update), then those of suspend_account, then the account row (no key update), until commit.
create function record_reversal(
  p_reference text, p_lost bigint, p_paid bigint, p_is_disputed boolean, p_suspends boolean, p_checked_at timestamptz
) returns table (change bigint, debt bigint)
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_payment payments;
  v_account accounts;
  v_change bigint := 0;
  v_returned bigint;
begin
  select * into v_payment from payments p
  where p.account_id = app_account() and p.reference = p_reference and p.granted_at is not null for update;
  if not found then
    return;
  end if;
  if v_payment.checked_at > p_checked_at then
    return query select 0::bigint, a.debt from accounts a where a.id = v_payment.account_id;
    return;
  end if;
  -- Before the account is locked: suspend_account locks jobs, which settlement locks before the account.
  if p_is_disputed and not v_payment.is_disputed and p_suspends and suspend_account(v_payment.account_id) then
    update accounts a set dispute_suspended_at = a.suspended_at where a.id = v_payment.account_id;
  end if;
  select * into strict v_account from accounts a where a.id = v_payment.account_id for no key update;

  -- In whole numbers, as numeric: the product can exceed bigint.
  if p_paid > 0 then
    v_change := div(v_payment.credits::numeric * least(p_lost, p_paid), p_paid)::bigint - v_payment.credits_reversed;
  end if;
  update payments p set
    credits_reversed = p.credits_reversed + v_change, reversals = p.reversals + (v_change <> 0)::integer,
    is_disputed = p_is_disputed, checked_at = p_checked_at
  where p.id = v_payment.id;
  if v_change > 0 then
    update accounts a set debt = a.debt + v_change where a.id = v_account.id;
    perform collect_debt(v_account.id, v_payment.id, v_payment.reversals, left('reversed: ' || p_reference, 200));
  elsif v_change < 0 then
    v_returned := greatest(-v_change - v_account.debt, 0);
    update accounts a set debt = a.debt - (-v_change - v_returned) where a.id = v_account.id;
    if v_returned > 0 then
      perform ledger_insert(v_account.id, k, v_returned, v_payment.id, v_payment.reversals, null,
                            left('reversal ended: ' || p_reference, 200))
      from ledger_kinds k where k.kind = 'adjust';
    end if;
  end if;

  if v_payment.is_disputed and not exists (select from payments p where p.account_id = v_account.id and p.is_disputed) then
    update accounts a set suspended_at = null where a.id = v_account.id and a.suspended_at = a.dispute_suspended_at;
  end if;
  return query select v_change, a.debt from accounts a where a.id = v_account.id;
end
$$;

-- Deletes unpaid payments and Stripe events that are older than p_days, up to p_max rows of each.
-- Output: the number of rows deleted. Locks: the deleted rows; rows locked by other transactions are skipped.
create function delete_old_payments(p_days integer, p_max integer) returns integer
  language sql security definer set search_path = public, pg_temp
  begin atomic
    with unpaid as (
      delete from payments p where p.id in (
        select k.id from payments k
        where k.granted_at is null and k.created_at < clock_timestamp() - make_interval(days => p_days)
        limit p_max for update skip locked
      )
      returning 1
    ), told as (
      delete from stripe_events e where e.id in (
        select k.id from stripe_events k where k.at < clock_timestamp() - make_interval(days => p_days)
        limit p_max for update skip locked
      )
      returning 1
    )
    select ((select count(*) from unpaid) + (select count(*) from told))::integer;
  end;

-- Writes an audit entry for each grant and adjustment, of every actor: credits come from nowhere else. Only the grants of unlimited
-- accounts appear in the ledger alone, because there is one per charge, and no more is granted than is charged. Trigger function.
-- Output: null. Locks: none.
create function audit_grant() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if new.note = 'unlimited account' and exists (select from accounts a where a.id = new.account_id and a.unlimited) then
    return null;
  end if;
  perform record_audit_entry(new.account_id, case when new.d_available > 0 then 'credits.granted' else 'credits.taken' end, null, null,
    jsonb_build_object('credits', jsonb_build_array(null, abs(new.d_available)), 'note', jsonb_build_array(null, new.note)));
  return null;
end
$$;

-- ---- Triggers ----

create trigger append_only before update or delete or truncate on ledger
  for each statement execute function ledger_is_append_only();

create trigger audit after insert on ledger for each row when (new.kind in ('grant', 'adjust')) execute function audit_grant();

-- ---- Rights ----

revoke execute on function
  apply_to_balance, ledger_insert, collect_debt, ledger_post, ledger_post_parts,
  ledger_refund_validations, find_billing_account, record_subscription, record_reversal, delete_old_payments, audit_grant
from public;

revoke execute on function low_credits_threshold from public;
grant execute on function low_credits_threshold to probity_app;

grant execute on function
  ledger_post
to probity_operator;

grant execute on function
  ledger_post, find_billing_account, record_subscription, record_reversal, delete_old_payments
to probity_app;

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

-- Single validations, results waiting for collection, and records of idempotent requests.
-- Used by probity_app: the API inserts validations, the workers claim and finish them. Functions that work across accounts are
-- security definer. probity_operator sees states and times of validations, but no addresses and no results.

-- ---- Tables ----

-- One row per single validation. The API inserts it when it charges the credit. state is open until the result is final.
-- Partitioned by expires_on, which is fixed at insert from the account's retention: dropping a partition deletes expired rows.
-- Single rows are deleted only by delete_closed_account and by erasures of an address.
create table validations (
  expires_on date not null,
  account_id uuid not null, -- no foreign key: row-level security allows only the transaction's account
  id uuid not null,
  key_id uuid,
  email text not null check (octet_length(email) <= 4096),
  email_key text not null check (octet_length(email_key) <= 4096), -- normalized address and disabled options
  state text not null default 'open' check (state in ('open', 'final')),
  conclusive boolean, -- whether the result is definite, so that its credit is never refunded
  refunded boolean, -- the outcome of is_refunded (billing.sql) for an inconclusive result, stored with the result
  result json, -- json, not jsonb: stored as written and never searched
  created_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  -- When the API returned a deferred result. The next request for the address collects the final result once, without charge.
  deferred_at timestamptz,
  collected_at timestamptz,
  -- When the last request that waits for the result stops waiting. Until then the API does not withdraw an unclaimed validation.
  awaited_until timestamptz,
  -- A worker claims an open row until claimed_until. If the row is still open then, the worker is considered dead and another
  -- worker can claim the row.
  claimed_until timestamptz,
  attempts smallint not null default 0, -- claims since the last deferral
  retry_at timestamptz,
  -- A mail server can defer a probe. The row then stays open, the client receives the provisional result, and a worker retries
  -- at retry_at.
  deferrals smallint not null default 0,
  -- The egress of the deferred probe. Greylisting accepts a retry only from the same source.
  egress text check (octet_length(egress) <= 300),
  provisional json, -- the result returned while the validation is deferred
  -- Options of the request. catchall: whether to test for a catch-all domain.
  ai boolean not null default true,
  catchall boolean not null default true,
  mailbox boolean not null default true, -- whether to probe a mail server
  domain_limited boolean not null default false, -- not probed because the account exceeded the daily limit of the domain
  reference text check (octet_length(reference) <= 800), -- reference text of the client, returned with the result
  -- id precedes account_id because rows are looked up by id. With account_id first, the planner would read all rows of the
  -- account.
  primary key (expires_on, id, account_id),
  check ((state = 'final') = (finished_at is not null)),
  check ((state = 'final') = (conclusive is not null)),
  check ((state = 'final') = (refunded is not null)),
  check (not (conclusive and refunded)),
  check (collected_at is null or deferred_at is not null)
) partition by range (expires_on);

create index validations_open on validations (created_at) where state = 'open';
-- For reconcile_validations: recent validations without a conclusive result.
create index validations_inconclusive on validations (finished_at) where state = 'final' and not conclusive;
-- For erasures: the validations of an address, and those of its typos, have its local part. A hash, because a key can be longer than an
-- index entry. Keys of texts that are no address begin with a space; such a text can contain the address anywhere.
create index validations_by_local_part on validations (account_id, hashtextextended(split_part(email_key, '@', 1), 0), id);
create index validations_malformed on validations (account_id, id) where starts_with(email_key, ' ');

alter table validations enable row level security;
create policy tenant on validations using (account_id = app_account());
grant select, insert, delete on validations to probity_app;
grant update (state, conclusive, refunded, result, finished_at, deferred_at, collected_at, awaited_until, claimed_until, retry_at, attempts, deferrals,
              egress, provisional) on validations to probity_app;
-- Operators see the number and age of validations of all accounts, not their contents.
create policy operator on validations to probity_operator using (true);
grant select (expires_on, account_id, id, state, created_at, finished_at, claimed_until, retry_at)
  on validations to probity_operator;

-- One row per deferred validation whose result the client has not collected. Deleted when a request collects the result, when
-- the validation ends without a conclusive result, or when it expires. A small table of its own, because every request looks
-- up its addresses here and must not scan the partitions of a whole retention period.
create table uncollected_results (
  account_id uuid not null references accounts (id),
  email_key text not null,
  validation_id uuid not null,
  expires_on date not null,
  primary key (account_id, validation_id)
);

create index uncollected_results_by_email on uncollected_results (account_id, email_key);

alter table uncollected_results enable row level security;
create policy tenant on uncollected_results using (account_id = app_account());
grant select, insert, delete on uncollected_results to probity_app;

-- One row per request with an Idempotency-Key, with its response once there is one; valid for 24 hours. The key is stored as a
-- hash only, because clients put all kinds of data into it. The first request fixes subject; a request that resumes it uses
-- the same subject, so that the ledger recognizes the second charge as a replay.
-- Partitioned by expires_on, so that expired records are deleted by dropping a partition.
create table idempotency_records (
  expires_on date not null,
  account_id uuid not null,
  route text not null,
  key_hash bytea not null check (length(key_hash) = 32),
  fingerprint bytea not null check (length(fingerprint) = 32),
  subject uuid not null default gen_random_uuid(),
  locked_until timestamptz not null,
  expires_at timestamptz not null,
  status smallint,
  headers jsonb,
  body text,
  primary key (expires_on, account_id, route, key_hash),
  check ((status is null) = (body is null))
) partition by range (expires_on);

alter table idempotency_records enable row level security;
create policy tenant on idempotency_records using (account_id = app_account());
grant select, insert, update, delete on idempotency_records to probity_app;

-- ---- Functions ----

-- Lists open validations of all accounts that are older than p_hours and not expired, oldest first.
-- Output: key and address. Locks: none.
create function list_overdue_validations(p_hours integer, p_limit integer)
  returns table (expires_on date, account_id uuid, id uuid, email text)
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select v.expires_on, v.account_id, v.id, v.email from validations v
    where v.state = 'open' and v.expires_on >= utc_today()
      and v.created_at < clock_timestamp() - make_interval(hours => p_hours)
    order by v.created_at limit p_limit;
  end;

-- Claims an Idempotency-Key for the transaction's account, or returns the state of the earlier request.
-- Input: p_fingerprint is a hash of the request. p_lock_s is how long the claim excludes other requests with the same key.
-- Output: the record and an outcome. lock is the end of the claim as text; the API passes it back when it saves the response.
--   claimed      the key is new
--   resumed      an earlier request did not finish in time; continue with its subject
--   in_progress  another request with this key is being processed
--   mismatch     the key was used for a different request
--   replay       the stored response is returned
-- Locks: an advisory lock on account, route and key hash, until commit.
create function claim_idempotency(p_route text, p_key_hash bytea, p_fingerprint bytea, p_lock_s integer)
  returns table (outcome text, expires_on date, subject uuid, lock text, status smallint, headers jsonb, body text)
  language plpgsql as $$
declare
  v_now timestamptz;
  v_record idempotency_records;
  v_outcome text;
begin
  -- The record can be in today's or in tomorrow's partition, and no unique constraint spans both. The lock replaces it.
  perform pg_advisory_xact_lock(hashtextextended(app_account() || p_route || encode(p_key_hash, 'hex'), 0));
  v_now := clock_timestamp();

  select r.* into v_record from idempotency_records r
  where r.expires_on >= utc_today() and r.account_id = app_account() and r.route = p_route
    and r.key_hash = p_key_hash and r.expires_at > v_now;

  if not found then
    insert into idempotency_records (expires_on, account_id, route, key_hash, fingerprint, locked_until, expires_at)
    values (((v_now + interval '24 hours') at time zone 'utc')::date, app_account(), p_route, p_key_hash, p_fingerprint,
            v_now + make_interval(secs => p_lock_s), v_now + interval '24 hours')
    -- A conflicting record is expired, otherwise it would have been found above. The key then starts again with a new subject.
    on conflict on constraint idempotency_records_pkey do update set
      fingerprint = excluded.fingerprint, subject = gen_random_uuid(), locked_until = excluded.locked_until,
      expires_at = excluded.expires_at, status = null, headers = null, body = null
    returning * into v_record;
    v_outcome := 'claimed';
  elsif v_record.fingerprint <> p_fingerprint then
    v_outcome := 'mismatch';
  elsif v_record.status is not null then
    v_outcome := 'replay';
  elsif v_record.locked_until > v_now then
    v_outcome := 'in_progress';
  else
    update idempotency_records r set locked_until = v_now + make_interval(secs => p_lock_s)
    where r.expires_on = v_record.expires_on and r.account_id = v_record.account_id and r.route = v_record.route
      and r.key_hash = v_record.key_hash
    returning r.* into v_record;
    v_outcome := 'resumed';
  end if;
  return query select v_outcome, v_record.expires_on, v_record.subject, v_record.locked_until::text,
                      v_record.status, v_record.headers, v_record.body;
end
$$;

-- Charges a group of single validations of the transaction's account, one credit each, and inserts the rows of those that a
-- worker is to validate. Replaces five statements of the API: the group takes one round trip, and its plans stay cached.
-- Input: p_subject is the ledger subject of the group, p_recent the number of validations with a recent result, which need no
-- row. p_rows is an array of objects with id, email, email_key, ai, catchall, mailbox, domain_limited, timeout_ms and reference;
-- timeout_ms is how long the request waits. p_names are addresses and domains to look up in overrides.
-- Output: one row. outcome is that of ledger_post, and only posted changes anything; or uncollected, if an earlier validation
-- of one of the addresses has a result to collect or is still being validated. Then nothing is charged or inserted.
-- expires_on is the partition of the inserted rows. overrides maps those of p_names that are in overrides to their action.
-- Locks: as ledger_post.
create function charge_validations(
  p_subject uuid, p_key uuid, p_retention_days integer, p_recent integer, p_rows json, p_names text[]
) returns table (outcome text, available bigint, expires_on date, overrides json)
  language plpgsql as $$
declare
  v_rows integer := json_array_length(p_rows);
begin
  if v_rows > 0 and exists (
    select from uncollected_results u
    where u.account_id = app_account()
      and u.email_key = any (array(select r.value ->> 'email_key' from json_array_elements(p_rows) r))
  ) then
    outcome := 'uncollected';
    return next;
    return;
  end if;

  select l.outcome, l.available into outcome, available
  from ledger_post('charge', v_rows + p_recent, p_subject, 0, p_key) l;
  if outcome = 'posted' then
    -- A validation is processed for up to 24 hours, so even an account without retention keeps the row for that long.
    expires_on := utc_today() + greatest(p_retention_days, 1);
    if v_rows > 0 then
      insert into validations (
        expires_on, account_id, key_id, id, email, email_key, ai, catchall, mailbox, domain_limited, reference, awaited_until)
      select charge_validations.expires_on, app_account(), p_key, r.id, r.email, r.email_key, r.ai, r.catchall, r.mailbox,
             r.domain_limited, r.reference, clock_timestamp() + make_interval(secs => r.timeout_ms / 1000.0)
      from json_to_recordset(p_rows) as r (
        id uuid, email text, email_key text, ai boolean, catchall boolean, mailbox boolean, domain_limited boolean,
        timeout_ms integer, reference text
      );
    end if;
    select json_object_agg(o.target, o.action) into overrides from overrides o
    where o.account_id = app_account() and o.target = any (p_names);
  end if;
  return next;
end
$$;

-- Claims open validations of any account for one worker and returns what the worker needs to process them.
-- Skips validations that are final, claimed by another worker, not yet due, or bound to an egress not in p_egresses. Ten
-- minutes after retry_at any worker can claim them.
-- Input: p_accounts and p_ids belong to partition p_expires_on. p_hold_s is the duration of the claim.
-- Output: the claimed rows. ai and catchall are true only if both the request and the plan allow them.
-- Locks: the claimed rows until commit.
create function claim_validations(p_expires_on date, p_accounts uuid[], p_ids uuid[], p_hold_s integer, p_egresses text[])
  returns table (
    expires_on date, account_id uuid, id uuid, email text, email_key text, attempts smallint, deferrals smallint, egress text,
    retention_days smallint, ai boolean, catchall boolean, send_threshold double precision,
    excluded_traits text[], mailbox boolean, domain_limited boolean
  )
  -- A custom plan knows p_expires_on and reads one partition; a generic plan would consider all of them.
  language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
begin
  return query
    update validations v set
      claimed_until = clock_timestamp() + make_interval(secs => p_hold_s),
      attempts = least(v.attempts + 1, 32000)
    from accounts a, plans p
    -- Arrays, so that the planner uses the primary key. For a join it can choose to scan the whole partition.
    where v.expires_on = p_expires_on and v.account_id = any (p_accounts) and v.id = any (p_ids)
      and v.state = 'open'
      and (v.claimed_until is null or v.claimed_until < clock_timestamp())
      and (v.retry_at is null or v.retry_at <= clock_timestamp())
      and (v.egress is null or v.egress = any (p_egresses) or v.retry_at < clock_timestamp() - interval '10 minutes')
      and a.id = v.account_id and p.name = a.plan
    returning v.expires_on, v.account_id, v.id, v.email, v.email_key, v.attempts, v.deferrals, v.egress,
      a.retention_days, v.ai and p.ai_enhancement, v.catchall and p.catchall_detection,
      a.send_threshold, a.excluded_traits, v.mailbox, v.domain_limited;
end
$$;

-- Ends open validations of the transaction's account. Refunds inconclusive results by the refund rule (is_refunded in billing.sql).
-- In one call, for workers that end groups. security definer: the only way in which the worker and maintenance end validations and
-- refund their credits. A validation was charged when its row was inserted, ends once, and is refunded at most once.
-- Input: p_days are the partitions of the validations. The other arrays are parallel, one element per validation. Without p_deferred,
-- validations whose client collects the result later stay open.
-- Output: the validations that were ended, whether each was refunded, and of deferred ones the key and the reference. Those that
-- ended before are not among them.
-- Locks: the ended rows; if any is refunded, also those of ledger_refund_validations, in the order of key ids.
create function finish_validations(
  p_days date[], p_ids uuid[], p_conclusive boolean[], p_results json[], p_deferred boolean
) returns table (validation_id uuid, refunded boolean, deferred boolean, email_key text, reference text)
  -- A custom plan knows p_days and updates their partitions; a generic plan would lock all of them.
  language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
declare
  v_refunds_unknown boolean;
  v_key uuid;
  v_ids uuid[];
  v_refunds uuid[] := '{}'; -- the validations to refund
  v_keys uuid[] := '{}'; -- their keys
begin
  select p.refund_unknown into v_refunds_unknown from accounts a join plans p on p.name = a.plan where a.id = app_account();

  for validation_id, v_key, refunded, deferred, email_key, reference in
    update validations v set
      state = 'final', conclusive = e.conclusive, result = e.result, finished_at = clock_timestamp(),
      refunded = case when e.conclusive then false
        else is_refunded(v_refunds_unknown, e.result ->> 'status', e.result ->> 'sub_status') end
    from unnest(p_ids, p_conclusive, p_results) as e (id, conclusive, result)
    -- p_ids again, so that the planner uses the primary key.
    where v.expires_on = any (p_days) and v.account_id = app_account() and v.id = any (p_ids) and v.id = e.id
      and v.state = 'open' and (p_deferred or v.deferred_at is null)
    returning v.id, v.key_id, v.refunded, v.deferred_at is not null, case when v.deferred_at is not null then v.email_key end,
      case when v.deferred_at is not null then v.reference end
  loop
    if refunded then
      v_keys := v_keys || v_key;
      v_refunds := v_refunds || validation_id;
    end if;
    return next;
  end loop;

  -- record_key_use locks the same rows of usage_days in this order, which prevents deadlocks.
  for v_key, v_ids in
    select r.key_id, array_agg(r.id) from unnest(v_keys, v_refunds) as r (key_id, id)
    group by r.key_id order by r.key_id nulls first
  loop
    perform ledger_refund_validations(v_ids, v_key);
  end loop;
end
$$;

-- Lists open validations of all accounts that no worker has claimed and that are due, oldest first.
-- Input: p_older_than_ms is the minimum age; p_egresses as in claim_validations. Output: the keys. Locks: none.
-- Every worker calls this every second. PL/pgSQL with a generic plan keeps the plan for the lifetime of the connection. An SQL
-- function was planned on each call over all partitions, which took ten times as long as its execution.
create function list_unclaimed_validations(p_older_than_ms integer, p_limit integer, p_egresses text[])
  returns table (expires_on date, account_id uuid, id uuid)
  language plpgsql stable security definer set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  return query
    select v.expires_on, v.account_id, v.id from validations v
    where v.state = 'open' and v.expires_on >= utc_today()
      and v.created_at < clock_timestamp() - make_interval(secs => p_older_than_ms / 1000.0)
      and (v.claimed_until is null or v.claimed_until < clock_timestamp())
      and (v.retry_at is null or v.retry_at <= clock_timestamp())
      and (v.egress is null or v.egress = any (p_egresses) or v.retry_at < clock_timestamp() - interval '10 minutes')
    order by v.created_at limit p_limit;
end
$$;

-- Notifies the workers through PostgreSQL (channel validations) that validations are waiting, for when Redis is unavailable.
-- Output: none. Locks: none.
create function wake_workers() returns void
  language sql
  begin atomic
    select pg_notify('validations', '');
  end;

-- Lists validations of all accounts that are still open although their expiry day is over. Maintenance ends them before it drops
-- their partition. Output: the keys. Locks: none.
create function list_expired_validations(p_limit integer)
  returns table (expires_on date, account_id uuid, id uuid)
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select v.expires_on, v.account_id, v.id from validations v
    where v.state = 'open' and v.expires_on < utc_today()
    limit p_limit;
  end;

-- Lists validations of the transaction's account that can contain an address: those with the local part of the key p_key, or if it is
-- null, those of texts that are no address. security definer, because row-level security keeps conditions on email_key from using an index.
-- Output: up to p_limit rows of partition p_expires_on after the id p_after, by id. Locks: none.
create function list_erasable_validations(p_expires_on date, p_key text, p_after uuid, p_limit integer)
  returns table (id uuid, email text, result json, provisional json)
  language plpgsql stable security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
begin
  if p_key is null then
    return query
      select v.id, v.email, v.result, v.provisional from validations v
      where v.expires_on = p_expires_on and v.account_id = app_account() and starts_with(v.email_key, ' ') and v.id > p_after
      order by v.id limit p_limit;
  else
    return query
      select v.id, v.email, v.result, v.provisional from validations v
      where v.expires_on = p_expires_on and v.account_id = app_account() and v.id > p_after
        and hashtextextended(split_part(v.email_key, '@', 1), 0) = hashtextextended(split_part(p_key, '@', 1), 0)
      order by v.id limit p_limit;
  end if;
end
$$;

-- ---- Rights ----

revoke execute on function
  charge_validations, finish_validations, list_overdue_validations, claim_idempotency, claim_validations, list_unclaimed_validations,
  wake_workers, list_expired_validations, list_erasable_validations
from public;

grant execute on function
  charge_validations, finish_validations, list_overdue_validations, claim_idempotency, claim_validations, list_unclaimed_validations,
  wake_workers, list_expired_validations, list_erasable_validations
to probity_app;

-- Jobs: uploads, jobs and their counts, workers, and the functions that plan jobs, for API and workers. Their batches are in
-- batches.sql, their results in results.sql. probity_operator sees states, counts and times, but no addresses.

-- ---- Tables ----

-- One row per uploaded file, without its cells. Confirmation extends expires_at; after it the file and then the row are deleted.
create table uploads (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts (id) on delete cascade,
  mode text not null check (mode in ('live', 'test')), -- mode of the API key
  filename text not null check (length(filename) between 1 and 200),
  size_bytes bigint not null check (size_bytes > 0),
  columns text[] not null check (cardinality(columns) between 1 and 256),
  delimiter text not null check (length(delimiter) = 1),
  encoding text not null check (encoding in ('utf-8', 'utf-16le', 'utf-16be', 'windows-1252')),
  header_row integer check (header_row > 0), -- the row with the column names; null: the file has none
  suggested_column text not null,
  row_count integer not null check (row_count > 0),
  email_count integer not null check (email_count >= 0), -- in the suggested column, like unique_count
  unique_count integer not null check (unique_count between 0 and email_count),
  storage_key text not null unique,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null default clock_timestamp() + interval '24 hours',
  file_hash text check (length(file_hash) = 64), -- SHA-256 of the stored rows; finds earlier jobs of the same file
  check (suggested_column = any (columns))
);

create index uploads_by_account on uploads (account_id);
create index uploads_by_expiry on uploads (expires_at);

alter table uploads enable row level security;
create policy tenant on uploads using (account_id = app_account());
grant select, insert on uploads to probity_app;
grant update (expires_at) on uploads to probity_app;

-- One row per job: the validation of a list, from its confirmation on. The row outlives the job's batches and results, which are
-- deleted with their partitions. Clients can delete finished jobs.
create table jobs (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts (id) on delete cascade,
  mode text not null check (mode in ('live', 'test')),
  upload_id uuid not null unique, -- confirming twice creates one job; no foreign key: the upload is deleted earlier
  key_id uuid, -- the API key that confirmed the upload, for its monthly cap
  filename text not null check (length(filename) between 1 and 200),
  email_column text not null,
  reference text check (octet_length(reference) <= 800), -- reference text of the client, shown with the job
  -- paused is not a state but paused_at, so that a job resumes in the state it had.
  state text not null default 'queued' check (state in ('queued', 'planning', 'processing', 'completed', 'canceled', 'failed')),
  paused_at timestamptz,
  row_count integer not null check (row_count > 0), -- without blank lines
  blank_count integer not null default 0 check (blank_count >= 0),
  not_address_count integer not null default 0 check (not_address_count >= 0), -- rows whose cell has text without an address
  extra_address_count integer not null default 0 check (extra_address_count >= 0), -- values beyond the first one of their cell
  left_out_count integer not null default 0 check (left_out_count >= 0), -- values that the next two columns leave out
  several_addresses text not null default 'first' check (several_addresses in ('all', 'first')),
  malformed text not null default 'validate' check (malformed in ('validate', 'skip')),
  email_count integer not null check (email_count between 1 and row_count + extra_address_count), -- validated values with repetitions
  unique_count integer not null check (unique_count between 1 and email_count), -- distinct addresses: validated and charged
  done_count integer not null default 0 check (done_count between 0 and unique_count),
  refunded_count integer not null default 0 check (refunded_count between 0 and done_count),
  credits_per_email smallint not null check (credits_per_email in (0, 1)), -- 0 in test mode
  refund_unknown boolean not null, -- plan setting at confirmation
  expires_on date not null, -- last day of batches and results, selects their partition
  -- The worker that plans the job. plan_epoch is a fencing token: only the latest plan is accepted.
  plan_epoch integer not null default 0,
  plan_attempts smallint not null default 0,
  plan_begun_at timestamptz,
  planner uuid,
  next_batch integer not null default 0,
  dispatch_limit integer, -- planned batches from this number on wait for the review of a sample (judge_sample in operators.sql)
  dispatched bigint not null default 0, -- addresses dispatched; the job with the fewest is served first
  created_at timestamptz not null default clock_timestamp(),
  started_at timestamptz,
  finished_at timestamptz,
  ai boolean not null default true,
  catchall boolean not null default true,
  max_age_s integer check (max_age_s >= 0), -- maximum age of a reused result; null: none is reused
  callback_url text check (octet_length(callback_url) between 10 and 2048), -- receives the event that ends the job
  last_settled_at timestamptz,
  -- The generation of result_chunks that readers use: 0 until the results are stored in row order (results.sql). order_epoch is the
  -- fencing token of the worker that does so, and the generation under which it writes.
  results_generation smallint not null default 0,
  order_epoch smallint not null default 0,
  orderer uuid,
  name text check (length(name) between 1 and 200), -- given by a client; null: the name of the file
  tags text[] not null default '{}'
    check (cardinality(tags) <= 10 and array_position(tags, null) is null and octet_length(array_to_string(tags, '')) <= 1600),
  rerun_of uuid, -- the job whose file this one validates again; no foreign key: it may be deleted
  rerun_rows text check (rerun_rows in ('all', 'unknown')), -- the rows of that job
  -- A job with rerun_rows = 'unknown' is merged into that job once (merge_results in results.sql). merger is the worker that does so.
  merged_at timestamptz,
  merge_attempts smallint not null default 0,
  merger uuid,
  check ((state in ('completed', 'canceled', 'failed')) = (finished_at is not null)),
  check (state <> 'completed' or done_count = unique_count)
);

create index jobs_by_account on jobs (account_id, created_at desc);
create index jobs_unended on jobs (created_at) where state in ('queued', 'planning', 'processing');
create index jobs_ended on jobs (finished_at) where finished_at is not null;
create index jobs_reruns on jobs (rerun_of, created_at) where rerun_rows = 'unknown';
create index jobs_unmerged on jobs (expires_on) where rerun_rows = 'unknown' and finished_at is not null and merged_at is null;
create index jobs_unordered on jobs (order_epoch, finished_at) where finished_at is not null and results_generation = 0;

alter table jobs enable row level security;
create policy tenant on jobs using (account_id = app_account());
grant select, insert, delete on jobs to probity_app;
grant update (state, paused_at, done_count, refunded_count, next_batch, dispatch_limit, dispatched, started_at, finished_at, last_settled_at,
  name, tags)
  on jobs to probity_app;
create policy operator on jobs to probity_operator using (true);
grant select (id, account_id, mode, state, paused_at, unique_count, done_count, expires_on, created_at, started_at, finished_at, last_settled_at,
  results_generation)
  on jobs to probity_operator;

alter table job_reviews add foreign key (job_id) references jobs (id) on delete cascade;

-- Number of results of a job per status and sub_status. Kept when the results expire; deleted with the job.
create table job_counts (
  account_id uuid not null references accounts (id) on delete cascade,
  job_id uuid not null references jobs (id) on delete cascade,
  status text not null,
  sub_status text not null,
  count integer not null check (count > 0),
  primary key (account_id, job_id, status, sub_status)
);

alter table job_counts enable row level security;
create policy tenant on job_counts using (account_id = app_account());
grant select, insert, update, delete on job_counts to probity_app;

-- Secrets that sign the callbacks of jobs, one per account and mode. Unlike the secret of a webhook endpoint it can be read again.
create table callback_secrets (
  account_id uuid not null references accounts (id) on delete cascade,
  mode text not null check (mode in ('live', 'test')),
  secret text not null check (secret like 'whsec\_%'),
  previous_secret text, -- signs together with the new secret until previous_until
  previous_until timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  primary key (account_id, mode),
  check ((previous_secret is null) = (previous_until is null))
);

alter table callback_secrets enable row level security;
create policy tenant on callback_secrets using (account_id = app_account());
grant select, insert on callback_secrets to probity_app;
grant update (secret, previous_secret, previous_until) on callback_secrets to probity_app;

-- Links to the report of a job, a page with its sums that needs no login. The token of a link is stored as a hash only. A revoked or
-- expired link is kept until the next one of the job is created.
create table report_links (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts (id) on delete cascade,
  job_id uuid not null references jobs (id) on delete cascade,
  token_hash bytea not null unique check (length(token_hash) = 32),
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  check (expires_at <= created_at + interval '90 days 1 minute')
);

create index report_links_by_job on report_links (job_id);
create index report_links_by_account on report_links (account_id);

alter table report_links enable row level security;
create policy tenant on report_links using (account_id = app_account());
grant select, insert, delete on report_links to probity_app;
grant update (revoked_at) on report_links to probity_app;

-- One row per worker that processes jobs. Each worker updates seen_at every second (record_heartbeat).
create table job_workers (
  id uuid primary key,
  slots smallint not null,
  seen_at timestamptz not null default clock_timestamp()
);

grant select on job_workers to probity_operator;

-- ---- Functions ----

-- Lists expired uploads of all accounts with the location of their files, longest expired first. Locks: none.
create function list_expired_uploads(p_limit integer) returns table (id uuid, storage_key text)
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select u.id, u.storage_key from uploads u where u.expires_at <= clock_timestamp() order by u.expires_at limit p_limit;
  end;

-- Deletes uploads whose files have been deleted. Skips uploads that are not expired. Output: none. Locks: the deleted rows.
create function delete_expired_uploads(p_ids uuid[]) returns void
  language sql security definer set search_path = public, pg_temp
  begin atomic
    delete from uploads u where u.id = any (p_ids) and u.expires_at <= clock_timestamp();
  end;

-- Returns whether a worker sent a heartbeat in the last 10 seconds. Locks: none.
create function is_worker_alive(p_worker uuid) returns boolean
  language sql stable
  return exists (select from job_workers w where w.id = p_worker and w.seen_at > clock_timestamp() - interval '10 seconds');

-- Records a worker's heartbeat and number of slots; deletes workers unseen for an hour. Output: none. Locks: the written rows.
create function record_heartbeat(p_worker uuid, p_slots integer) returns void
  language sql security definer set search_path = public, pg_temp
  begin atomic
    delete from job_workers where seen_at < clock_timestamp() - interval '1 hour';
    insert into job_workers (id, slots) values (p_worker, p_slots)
    on conflict (id) do update set slots = excluded.slots, seen_at = clock_timestamp();
  end;

-- Claims the oldest job that no live worker plans. A worker plans one job at a time, so a job still claimed by p_worker is one
-- that failed; it becomes due again after 5 seconds per attempt, at most 60.
-- Output: the job and how to read its file; storage_key is null if the upload was deleted. No row if no job is due.
-- Locks: the job row (update) until commit; jobs locked by other transactions are skipped.
create function claim_plan(p_worker uuid)
  returns table (
    id uuid, account_id uuid, expires_on date, epoch integer, attempts smallint, mode text, unique_count integer,
    storage_key text, encoding text, delimiter text, header_row integer, column_index integer, several_addresses text, malformed text
  )
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_job uuid;
begin
  select j.id into v_job from jobs j
  where j.state in ('queued', 'planning') and j.paused_at is null
    and (j.planner is null or not is_worker_alive(j.planner)
         or (j.planner = p_worker and j.plan_begun_at < clock_timestamp() - make_interval(secs => least(j.plan_attempts * 5, 60))))
  order by j.created_at limit 1
  for update skip locked;
  return query
    update jobs j set state = 'planning', planner = p_worker, plan_epoch = j.plan_epoch + 1,
      plan_attempts = j.plan_attempts + 1, plan_begun_at = clock_timestamp(), started_at = coalesce(j.started_at, clock_timestamp())
    from jobs k left join uploads u on u.id = k.upload_id
    where j.id = v_job and k.id = j.id
    returning j.id, j.account_id, j.expires_on, j.plan_epoch, j.plan_attempts, j.mode, j.unique_count,
      u.storage_key, u.encoding, u.delimiter, u.header_row, array_position(u.columns, j.email_column) - 1, j.several_addresses, j.malformed;
end
$$;

-- Starts processing a planned job of the transaction's account. The job and the account start with the lowest count of dispatched
-- addresses among the active ones, so that they neither wait for the others nor overtake them.
-- Output: false if the plan epoch is outdated or the job is not being planned. Locks: job and account_turns rows until commit.
create function start_processing(p_job uuid, p_epoch integer, p_next_batch integer) returns boolean
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update jobs j set state = 'processing', planner = null, next_batch = p_next_batch,
    dispatched = coalesce((select min(o.dispatched) from jobs o where o.account_id = j.account_id and o.state = 'processing'), 0)
  where j.id = p_job and j.account_id = app_account() and j.plan_epoch = p_epoch and j.state = 'planning';
  if not found then
    return false;
  end if;
  insert into account_turns as t (account_id, dispatched)
  select app_account(), coalesce(min(o.dispatched), 0) from account_turns o
  where exists (select from jobs j where j.account_id = o.account_id and j.state = 'processing' and j.id <> p_job)
  on conflict (account_id) do update set dispatched = greatest(t.dispatched, excluded.dispatched);
  return true;
end
$$;

-- Ends an unfinished job of the transaction's account and releases the credits reserved for the rest of it.
-- Input: p_state is canceled or failed. Output: false if there is no such job.
-- Locks: the job row, then those of ledger_post, until commit.
create function end_job(p_job uuid, p_state text) returns boolean
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_job jobs;
  v_rest bigint;
  v_posting text;
begin
  update jobs j set state = p_state, finished_at = clock_timestamp()
  where j.id = p_job and j.account_id = app_account() and j.finished_at is null
  returning * into v_job;
  if not found then
    return false;
  end if;
  v_rest := (v_job.unique_count - v_job.done_count) * v_job.credits_per_email;
  if v_rest > 0 then
    select l.outcome into v_posting from ledger_post('release', v_rest, v_job.id, 0, v_job.key_id) l;
    if v_posting <> 'posted' then
      raise exception 'the release of job % was %', p_job, v_posting;
    end if;
  end if;
  return true;
end
$$;

-- Ends a job of the transaction's account as failed: one that cannot be planned, or whose expiry day is over. For the worker and
-- maintenance, which may end no other job.
-- Input: p_epoch is the epoch of the failed plan; null if the job has expired. Output: false if the job is not such a job.
-- Locks: those of end_job.
create function fail_job(p_job uuid, p_epoch integer) returns boolean
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform from jobs j
  where j.id = p_job and j.account_id = app_account()
    and case when p_epoch is null then j.expires_on < utc_today() else j.state = 'planning' and j.plan_epoch = p_epoch end
  for update;
  if not found then
    return false;
  end if;
  return end_job(p_job, 'failed');
end
$$;

-- Lists unfinished jobs of all accounts whose expiry day is over, oldest first. Locks: none.
create function list_expired_jobs(p_limit integer) returns table (account_id uuid, id uuid, mode text)
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select j.account_id, j.id, j.mode from jobs j
    where j.state in ('queued', 'planning', 'processing') and j.expires_on < utc_today()
    order by j.created_at limit p_limit;
  end;

-- Returns the job under which users find the results of job p_id: for a rerun of unknown rows, the job that it is merged into, as long as
-- that exists. Takes columns, because jobs cannot be altered while a function uses its row type. Locks: none.
create function shown_job(p_id uuid, p_account uuid, p_rerun_of uuid, p_rerun_rows text) returns uuid
  language sql stable
  return coalesce((
    select l.id from jobs l where p_rerun_rows = 'unknown' and l.id = p_rerun_of and l.account_id = p_account
  ), p_id);

-- Queues an email notification to members when a live job completes or fails. Trigger function. Output: null. Locks: none.
create function notify_job_end() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform notify_members(new.account_id, 'job_done', new.id::text,
    jsonb_build_object('job_id', shown_job(new.id, new.account_id, new.rerun_of, new.rerun_rows),
      'rerun_rows', new.rerun_rows, 'filename', coalesce(new.name, new.filename),
      'state', new.state,
      -- As the API names and counts them.
      'line_count', new.row_count + new.blank_count, 'blank_count', new.blank_count,
      'empty_count',
        new.row_count + new.extra_address_count - new.not_address_count - new.left_out_count - new.email_count,
      'not_address_count', new.not_address_count, 'left_out_count', new.left_out_count,
      'extra_address_count', new.extra_address_count, 'several_addresses', new.several_addresses,
      'duplicate_count', new.email_count - new.unique_count, 'unique_count', new.unique_count));
  return null;
end
$$;

-- Queues email notifications for live jobs kept at least 7 days whose results are deleted in 3 days. Reruns of unknown rows have none: their
-- results are in the list, which has its own. Output: none. Locks: none.
create function notify_expiring_results() returns void
  language sql security definer set search_path = public, pg_temp
  begin atomic
    select notify_members(j.account_id, 'retention_warning', j.id::text,
      jsonb_build_object('job_id', j.id, 'filename', coalesce(j.name, j.filename), 'on', j.expires_on + 1))
    from jobs j
    where j.mode = 'live' and j.state = 'completed' and j.expires_on = utc_today() + 2 and shown_job(j.id, j.account_id, j.rerun_of, j.rerun_rows) = j.id
      and j.expires_on - (j.created_at at time zone 'utc')::date >= 7;
  end;

-- Removes mentions of an erased address of the transaction's account: names of files in uploads, jobs and notifications, names, tags
-- and references of jobs, and events that wait for a stream.
-- Input: p_texts are spellings of the address in lower case. Output: none. Locks: the changed rows until commit.
create function erase_mentions(p_texts text[]) returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update uploads u set filename = 'erased.csv'
  where u.account_id = app_account() and exists (select from unnest(p_texts) t where strpos(lower(u.filename), t) > 0);
  update jobs j set filename = 'erased.csv'
  where j.account_id = app_account() and exists (select from unnest(p_texts) t where strpos(lower(j.filename), t) > 0);
  update jobs j set reference = null
  where j.account_id = app_account() and exists (select from unnest(p_texts) t where strpos(lower(j.reference), t) > 0);
  update jobs j set name = null
  where j.account_id = app_account() and exists (select from unnest(p_texts) t where strpos(lower(j.name), t) > 0);
  update jobs j set tags = array(
    select g.tag from unnest(j.tags) with ordinality g (tag, n)
    where not exists (select from unnest(p_texts) t where strpos(lower(g.tag), t) > 0) order by g.n)
  where j.account_id = app_account() and exists (select from unnest(j.tags) g, unnest(p_texts) t where strpos(lower(g), t) > 0);
  update notifications n set data = n.data || jsonb_build_object('filename', 'erased.csv')
  where n.account_id = app_account() and exists (select from unnest(p_texts) t where strpos(lower(n.data ->> 'filename'), t) > 0);
  delete from stream_events e
  where e.account_id = app_account() and exists (select from unnest(p_texts) t where strpos(lower(e.body), t) > 0);
end
$$;

-- Finds the job of a report link that can be opened, by the hash of its token: the only proof that the client needs.
-- Output: one row, or none, as for closed and suspended accounts. Locks: none.
create function find_report_link(p_token_hash bytea)
  returns table (account_id uuid, job_id uuid, mode text, expires_at timestamptz)
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select l.account_id, l.job_id, j.mode, l.expires_at
    from report_links l join jobs j on j.id = l.job_id join accounts a on a.id = l.account_id
    where l.token_hash = p_token_hash and l.revoked_at is null and l.expires_at > clock_timestamp()
      and a.closed_at is null and a.suspended_at is null;
  end;

-- Returns whether there may be jobs to plan, batches to dispatch or deliveries to send. Every worker calls this several times per
-- second; one call with three index lookups avoids three more expensive calls while there is no work. Locks: none.
create function find_pending_work(out plans boolean, out batches boolean, out deliveries boolean)
  language plpgsql stable security definer set search_path = public, pg_temp as $$
begin
  plans := exists (select from jobs j where j.state in ('queued', 'planning'));
  batches := exists (select from jobs j where j.state = 'processing');
  deliveries := exists (select from webhook_deliveries d where d.state = 'pending');
end
$$;

-- ---- Triggers ----

create trigger notify after update of state on jobs for each row
  when (new.mode = 'live' and new.state in ('completed', 'failed') and old.state <> new.state)
  execute function notify_job_end();

create trigger audit after delete on jobs for each row execute function audit_row('list', 'filename', '', '');

create trigger audit after insert or update on report_links for each row execute function
  audit_row('report_link', 'job_id', 'expires_at', 'token_hash');

create trigger audit after update on callback_secrets for each row execute function
  audit_row('callback_secret', 'mode', '', 'previous_secret previous_until');

-- ---- Rights ----

revoke execute on function
  list_expired_uploads, delete_expired_uploads, is_worker_alive, record_heartbeat, claim_plan, start_processing, end_job, fail_job, list_expired_jobs,
  shown_job, notify_job_end, notify_expiring_results, erase_mentions, find_report_link, find_pending_work
from public;

grant execute on function
  list_expired_uploads, delete_expired_uploads, record_heartbeat, claim_plan, start_processing, end_job, fail_job, list_expired_jobs,
  shown_job, notify_expiring_results, erase_mentions, find_report_link, find_pending_work
to probity_app;

grant execute on function
  is_worker_alive
to probity_operator;

-- Batches: the addresses of jobs that are not settled, the queue that schedules them, and the functions that dispatch, claim,
-- release and settle them, for workers. probity_operator sees sizes, times and claims, but no addresses.
--
-- Locks are taken in the order queue rows (by job_id and no), job row, account row.

-- ---- Tables ----

-- The addresses of a batch: up to 100 addresses of a job that one worker processes together. Written when the job is planned or
-- addresses are deferred, deleted when the batch is settled. Partitioned so that expired rows are dropped.
create table job_batches (
  expires_on date not null,
  account_id uuid not null,
  job_id uuid not null,
  no integer not null, -- negative: the slowest addresses of batch -no - 1, which was settled without them
  row_nos integer[] not null, -- first row of each address, numbered as in a spreadsheet
  emails text[] not null,
  primary key (expires_on, account_id, job_id, no),
  check (cardinality(row_nos) between 1 and 100),
  check (cardinality(emails) = cardinality(row_nos))
) partition by range (expires_on);

alter table job_batches enable row level security;
create policy tenant on job_batches using (account_id = app_account());
grant select, insert, update, delete on job_batches to probity_app;

-- One row per batch that is not settled: the row is deleted in the transaction that settles the batch. Contains no addresses, so that
-- dispatch and claim write narrow rows. claimed_by is valid while that worker sends heartbeats. epoch is a fencing token: it increases
-- with each claim, and only the latest claim can settle the batch.
create table job_queue (
  job_id uuid not null references jobs (id) on delete cascade,
  no integer not null,
  account_id uuid not null,
  site text collate "C" not null check (octet_length(site) <= 260), -- provider or domain with a connection limit; '' for mixed batches
  site_max smallint not null, -- batches of the site that one worker may process at once
  size smallint not null check (size between 1 and 100),
  egress text check (octet_length(egress) <= 300), -- egress of the earlier probe, required for the retry
  wait_reason text, -- sub_status that caused retry_at
  retry_at timestamptz,
  queued_at timestamptz, -- last dispatch
  claimed_by uuid,
  claimed_at timestamptz,
  epoch integer not null default 0,
  attempts smallint not null default 0, -- claims that did not finish
  deferrals smallint not null default 0, -- by mail servers
  throttles smallint not null default 0, -- by our rate limiter
  no_responses smallint not null default 0, -- from DNS or a mail server
  suspect boolean not null default false, -- part of a batch that was split; dispatched one at a time
  straggling boolean not null default false, -- its worker waits for it while it processes other batches
  primary key (job_id, no)
  -- Free space on each page keeps most updates on it. Every row is deleted within minutes, hence the early vacuum.
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- dispatch_batches reads each of the four from its start and stops after a bounded number of rows.
create index job_queue_ready on job_queue (job_id, no) where queued_at is null and retry_at is null;
create index job_queue_ready_by_site on job_queue (job_id, site, no) where queued_at is null and retry_at is null;
create index job_queue_deferred on job_queue (job_id, retry_at) where queued_at is null and retry_at is not null;
create index job_queue_dispatched on job_queue (queued_at) where queued_at is not null;

alter table job_queue enable row level security;
create policy tenant on job_queue using (account_id = app_account());
grant select, insert, update, delete on job_queue to probity_app;
create policy operator on job_queue to probity_operator using (true);
grant select (job_id, no, account_id, size, wait_reason, retry_at, queued_at, claimed_by, claimed_at) on job_queue to probity_operator;

-- Addresses dispatched per account. dispatch_batches serves the account with the lowest number first.
create table account_turns (
  account_id uuid primary key references accounts (id) on delete cascade,
  dispatched bigint not null default 0
);

alter table account_turns enable row level security;
create policy tenant on account_turns using (account_id = app_account());
grant select on account_turns to probity_app;

-- ---- Functions ----

-- A batch as dispatch_batches returns it.
create type dispatched_batch as (
  expires_on date, account_id uuid, job_id uuid, no integer, epoch integer, egress text, size smallint
);

-- Returns whether no worker processes a batch: unclaimed, worker dead, or claimed 3 min ago (no batch takes longer). Locks: none.
create function is_batch_unclaimed(p_claimed_by uuid, p_claimed_at timestamptz) returns boolean
  language sql stable
  return p_claimed_by is null or p_claimed_at < clock_timestamp() - interval '3 minutes' or not is_worker_alive(p_claimed_by);

-- Releases all batches and plans of a worker that shuts down. They do not count as attempts and can be claimed at once.
-- Output: none. Locks: the queue rows, then the job rows, until commit.
create function release_claims(p_worker uuid) returns void
  language sql security definer set search_path = public, pg_temp
  begin atomic
    with claims as (
      select q.job_id, q.no from job_queue q where q.claimed_by = p_worker and q.queued_at is not null
      order by q.job_id, q.no for update
    )
    update job_queue q set claimed_by = null, claimed_at = null, queued_at = null, attempts = greatest(q.attempts - 1, 0)
    from claims c where q.job_id = c.job_id and q.no = c.no;
    update jobs set planner = null, plan_attempts = greatest(plan_attempts - 1, 0)
    where planner = p_worker and state = 'planning';
    delete from job_workers where id = p_worker;
  end;

-- Releases a batch after a failure unrelated to it; not counted as an attempt. Output: none. Locks: the queue row until commit.
create function release_batch(p_worker uuid, p_job uuid, p_no integer) returns void
  language sql security definer set search_path = public, pg_temp
  begin atomic
    update job_queue q set claimed_by = null, claimed_at = null, queued_at = null, attempts = greatest(q.attempts - 1, 0)
    where q.job_id = p_job and q.no = p_no and q.claimed_by = p_worker;
  end;

-- Returns the first batches of a job that could be dispatched. Called by dispatch_batches, whose planner settings apply.
-- Input: p_max is how many; p_full are the sites at their limit, sorted. p_has_suspect excludes suspect batches. p_due_jobs and p_due_nos
-- are the batches of all jobs that were dispatched before and that no worker processes. p_limit excludes planned batches from that
-- number on, while a sample of the job is reviewed; deferred batches belong to the sample.
-- Output: up to p_max batches by number. Locks: none.
-- Cost: reads the first 2 * p_max ready batches. If sites at their limit fill these, reads up to p_max batches between each two of those
-- sites, in the order of their names. Of the deferred batches that are due, reads the first 1,000: more than that are due only if
-- their site is at its limit or their egress has no worker.
create function find_dispatchable(
  p_job uuid, p_egresses text[], p_max bigint, p_full text[], p_has_suspect boolean, p_due_jobs uuid[], p_due_nos integer[],
  p_limit integer
) returns table (no integer, epoch integer, egress text, size smallint, site text, site_max smallint, is_suspect boolean)
  language plpgsql stable rows 50 as $$
#variable_conflict use_column
declare
  v_now timestamptz := clock_timestamp();
begin
  return query
    with front as materialized (
      select q.* from job_queue q where q.job_id = p_job and q.queued_at is null and q.retry_at is null
      order by q.no limit p_max * 2
    ), usable as materialized (
      select f.no from front f where f.site <> all (p_full)
    ), gaps as (
      -- The names between two full sites. In the C collation, chr(1) after a name is the next name, and chr(1114111) is after all names.
      select case g.site when '' then '' else g.site || chr(1) end as low, g.next as high
      from unnest(array_prepend(''::text, p_full), array_append(p_full, chr(1114111))) as g (site, next)
      where (select count(*) from front) = p_max * 2 and (select count(*) from usable) < p_max
    ), found as (
      select f.* from front f
      union
      select b.* from gaps g cross join lateral (
        select q.* from job_queue q
        where q.job_id = p_job and q.queued_at is null and q.retry_at is null and q.site >= g.low and q.site < g.high
        order by q.site, q.no limit p_max
      ) b
      union
      select d.* from (
        select q.* from job_queue q
        where q.job_id = p_job and q.queued_at is null and q.retry_at is not null and q.retry_at <= v_now
        order by q.retry_at limit 1000
      ) d
      union
      select q.* from unnest(p_due_jobs, p_due_nos) as d (job_id, no) join job_queue q on q.job_id = d.job_id and q.no = d.no
      where d.job_id = p_job and (q.retry_at is null or q.retry_at <= v_now)
    )
    select f.no, f.epoch, f.egress, f.size, f.site::text, f.site_max, f.suspect or f.attempts > 1 from found f
    where (p_limit is null or f.no < p_limit or f.retry_at is not null) and f.site <> all (p_full) and not ((f.suspect or f.attempts > 1) and p_has_suspect)
      and (f.egress is null or f.egress = any (p_egresses) or f.retry_at < v_now - interval '10 minutes')
    order by f.no limit p_max;
end
$$;

-- Dispatches the next batches, up to 1.5 times the slots of all live workers. The account with the fewest dispatched addresses is
-- served first, and within it the job with the fewest. Skips accounts on hold, paused jobs and sites at their limit.
-- One account gets at most 75% of the capacity, so that another account can start at once. Suspect batches (split, or started
-- twice and not finished) are dispatched one at a time: one may crash its worker, which would count against the others.
-- A batch that was dispatched before is due again if no worker processes it after 5 seconds: its task was lost or its worker died.
-- Input: p_egresses are the egresses of the calling worker. Ten minutes after retry_at any worker receives a bound batch.
-- Output: the dispatched batches in order; none if another worker is dispatching.
-- Locks: advisory lock 'probity release' (not waited for), then queue rows (locked rows are skipped), job rows by id and account_turns
-- rows, until commit. Cost: grows with the batches in flight, the free capacity and the number of unfinished jobs, not with the batches
-- that wait. Plans are cached and use indexes only, because statistics of a table that fills and empties within minutes are always
-- outdated.
create function dispatch_batches(p_egresses text[]) returns setof dispatched_batch
  language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  v_now timestamptz := clock_timestamp();
  v_alive uuid[];
  v_capacity bigint;
  v_free bigint;
  v_share bigint;
  v_has_suspect boolean;
  v_accounts uuid[]; -- accounts with batches in flight, and how many
  v_account_batches bigint[];
  v_sites text[]; -- sites with batches in flight, and how many
  v_site_batches bigint[];
  v_full text[]; -- sites at their limit, sorted
  v_due_jobs uuid[]; -- batches in flight that no worker processes
  v_due_nos integer[];
  v_chosen dispatched_batch[];
begin
  if not pg_try_advisory_xact_lock(hashtextextended('probity release', 0)) then
    return;
  end if;
  select coalesce(array_agg(w.id), '{}'), coalesce(ceil(sum(w.slots) * 1.5), 0) into v_alive, v_capacity from job_workers w
  where w.seen_at > v_now - interval '10 seconds';

  with dispatched as materialized (
    select q.job_id, q.no, q.account_id, q.site, q.site_max, q.straggling,
           q.suspect or q.attempts > (case when q.claimed_by is null then 1 else 2 end) as is_suspect, -- includes this claim
           q.queued_at < v_now - interval '5 seconds'
             and (q.claimed_by is null or q.claimed_at < v_now - interval '3 minutes' or q.claimed_by <> all (v_alive)) as is_due
    from job_queue q where q.queued_at is not null
  ), by_account as (
    select d.account_id, count(*) as batches from dispatched d where not d.is_due and not d.straggling group by d.account_id
  ), by_site as (
    select d.site, count(*) as batches, count(*) >= min(d.site_max) * cardinality(v_alive) as is_full from dispatched d
    where not d.is_due and d.site <> '' group by d.site
  )
  select v_capacity - coalesce((select sum(a.batches) from by_account a), 0),
    coalesce((select bool_or(d.is_suspect) from dispatched d where not d.is_due), false),
    array(select a.account_id from by_account a order by a.account_id), array(select a.batches from by_account a order by a.account_id),
    array(select s.site from by_site s order by s.site), array(select s.batches from by_site s order by s.site),
    array(select s.site from by_site s where s.is_full order by s.site),
    array(select d.job_id from dispatched d where d.is_due order by d.job_id, d.no),
    array(select d.no from dispatched d where d.is_due order by d.job_id, d.no)
  into v_free, v_has_suspect, v_accounts, v_account_batches, v_sites, v_site_batches, v_full, v_due_jobs, v_due_nos;
  if v_free <= 0 then
    return;
  end if;
  v_share := greatest(ceil(v_capacity * 0.75), 1);

  with waiting as materialized (
    select j.id, j.account_id, j.expires_on, j.dispatched, j.dispatch_limit, coalesce(t.dispatched, 0) as account_dispatched,
           coalesce(f.batches, 0) as account_in_flight
    from jobs j join accounts a on a.id = j.account_id left join account_turns t on t.account_id = j.account_id
    left join unnest(v_accounts, v_account_batches) as f (account_id, batches) on f.account_id = j.account_id
    where j.state = 'processing' and j.paused_at is null and j.expires_on >= utc_today() and a.on_hold_since is null
      and coalesce(f.batches, 0) < v_share
  ), candidates as (
    select w.id as job_id, w.account_id, w.expires_on, w.account_dispatched, w.account_in_flight,
           b.no, b.epoch, b.egress, b.size, b.site, b.site_max, b.is_suspect,
           w.dispatched + sum(b.size) over (partition by w.id order by b.no) - b.size as job_dispatched
    from waiting w cross join lateral find_dispatchable(w.id, p_egresses, v_free, v_full, v_has_suspect, v_due_jobs, v_due_nos,
      w.dispatch_limit) b
  ), ranked as (
    select c.*, c.account_dispatched + sum(c.size) over account_order - c.size as turn,
      row_number() over account_order + c.account_in_flight as account_rank
    from candidates c
    window account_order as (partition by c.account_id order by c.job_dispatched, c.job_id, c.no)
  ), by_site as (
    select r.*, row_number() over (partition by r.site order by r.turn, r.job_id, r.no)
                + coalesce((select u.batches from unnest(v_sites, v_site_batches) as u (site, batches) where u.site = r.site), 0) as site_rank,
           row_number() over (partition by r.is_suspect order by r.turn, r.job_id, r.no) as suspect_rank
    from ranked r where r.account_rank <= v_share
  ), chosen as materialized (
    select s.* from by_site s
    where (s.site = '' or s.site_rank <= s.site_max * cardinality(v_alive)) and (not s.is_suspect or s.suspect_rank = 1)
    order by s.turn, s.job_id, s.no limit v_free
  ), locked as (
    -- The epoch is compared again once the row is locked: a worker may have claimed the batch meanwhile.
    select q.job_id, q.no, c.expires_on, c.turn from chosen c join job_queue q on q.job_id = c.job_id and q.no = c.no
    where q.epoch = c.epoch for update of q skip locked
  ), updated as (
    -- A batch that was dispatched before gets a new epoch, because a worker may still have the old task.
    update job_queue q set queued_at = clock_timestamp(), claimed_by = null, claimed_at = null, straggling = false,
      epoch = q.epoch + (case when q.queued_at is null then 0 else 1 end)
    from locked l where q.job_id = l.job_id and q.no = l.no
    returning l.turn, row(l.expires_on, q.account_id, q.job_id, q.no, q.epoch, q.egress, q.size)::dispatched_batch as batch
  )
  select coalesce(array_agg(u.batch order by u.turn), '{}') into v_chosen from updated u;
  if cardinality(v_chosen) = 0 then
    return;
  end if;

  perform from jobs j where j.id in (select c.job_id from unnest(v_chosen) c) order by j.id for no key update;
  update jobs j set dispatched = j.dispatched + s.size
  from (select c.job_id, sum(c.size) as size from unnest(v_chosen) c group by c.job_id) s where j.id = s.job_id;
  insert into account_turns as t (account_id, dispatched)
  select c.account_id, sum(c.size) from unnest(v_chosen) c group by c.account_id
  on conflict (account_id) do update set dispatched = t.dispatched + excluded.dispatched;
  return query select * from unnest(v_chosen);
end
$$;

-- Splits a claimed batch in two and releases both halves as suspects. The second half gets a new number.
-- Output: none. Locks: the job row, until commit; the caller has locked the queue row.
create function split_batch(p_batch job_queue) returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_half integer := p_batch.size / 2;
  v_no integer;
  v_expires_on date;
begin
  update jobs j set next_batch = j.next_batch + 1 where j.id = p_batch.job_id
  returning j.next_batch - 1, j.expires_on into v_no, v_expires_on;
  -- Without retry_at, a batch that is bound to an egress would never become available to workers with other egresses.
  insert into job_queue (job_id, no, account_id, site, site_max, size, deferrals, throttles, no_responses, egress, retry_at, suspect)
  values (p_batch.job_id, v_no, p_batch.account_id, p_batch.site, p_batch.site_max, p_batch.size - v_half, p_batch.deferrals,
          p_batch.throttles, p_batch.no_responses, p_batch.egress, coalesce(p_batch.retry_at, clock_timestamp()), true);
  update job_queue q set size = v_half, attempts = 0, suspect = true, queued_at = null, claimed_by = null, claimed_at = null
  where q.job_id = p_batch.job_id and q.no = p_batch.no;
  insert into job_batches (expires_on, account_id, job_id, no, row_nos, emails)
  select b.expires_on, b.account_id, b.job_id, v_no, b.row_nos[v_half + 1:], b.emails[v_half + 1:] from job_batches b
  where b.expires_on = v_expires_on and b.account_id = p_batch.account_id and b.job_id = p_batch.job_id and b.no = p_batch.no;
  update job_batches b set row_nos = b.row_nos[:v_half], emails = b.emails[:v_half]
  where b.expires_on = v_expires_on and b.account_id = p_batch.account_id and b.job_id = p_batch.job_id and b.no = p_batch.no;
end
$$;

-- Claims batches. A batch that was started twice and not finished is split in two instead, until an address that crashes its
-- worker is isolated; a half is split again after one failure.
-- Input: p_jobs and p_nos name the batches; both arrays have the same length.
-- Output: the claimed batches and their settings. ai and catchall are true only if both the job and the plan allow them, asked_ai and
-- asked_catchall if the job does. max_age_s is null if no result may be reused. Left out is a batch that was split, is claimed, settled
-- or not due, or whose job is paused or has ended. Locks: the queue rows by job_id and no, then for a split the job row, until commit.
create function claim_batches(p_worker uuid, p_jobs uuid[], p_nos integer[])
  returns table (
    job_id uuid, no integer, account_id uuid, expires_on date, epoch integer, attempts smallint, deferrals smallint, throttles smallint,
    no_responses smallint, egress text, site text, site_max smallint, suspect boolean, row_nos integer[], emails text[], mode text,
    ai boolean, catchall boolean, send_threshold double precision, excluded_traits text[], asked_ai boolean, asked_catchall boolean,
    max_age_s integer
  )
  language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
#variable_conflict use_column
declare
  v_claimed job_queue[];
  v_batch job_queue;
  v_job record;
  v_batches job_batches[];
begin
  with locked as (
    select q.job_id, q.no from unnest(p_jobs, p_nos) as r (job_id, no)
    join job_queue q on q.job_id = r.job_id and q.no = r.no join jobs j on j.id = q.job_id
    where is_batch_unclaimed(q.claimed_by, q.claimed_at) and (q.retry_at is null or q.retry_at <= clock_timestamp())
      and j.state = 'processing' and j.paused_at is null
    order by q.job_id, q.no for update of q
  ), claimed as (
    update job_queue q set epoch = q.epoch + 1, attempts = q.attempts + 1, claimed_by = p_worker, claimed_at = clock_timestamp(),
      queued_at = coalesce(q.queued_at, clock_timestamp())
    from locked l where q.job_id = l.job_id and q.no = l.no
    returning q
  )
  select coalesce(array_agg(c.q), '{}') into v_claimed from claimed c;

  foreach v_batch in array v_claimed loop
    if v_batch.size > 1 and v_batch.attempts > (case when v_batch.suspect then 1 else 2 end) then
      perform split_batch(v_batch);
      v_claimed := array_remove(v_claimed, v_batch);
    end if;
  end loop;

  for v_job in select j.id, j.account_id, j.expires_on from jobs j where j.id in (select c.job_id from unnest(v_claimed) c) loop
    -- Planned for each job, with the day as a constant, so that the other partitions are neither planned nor locked.
    execute 'select array_agg(b) from job_batches b where b.expires_on = $1 and b.account_id = $2 and b.job_id = $3 and b.no = any ($4)'
      into v_batches using v_job.expires_on, v_job.account_id, v_job.id,
        array(select c.no from unnest(v_claimed) c where c.job_id = v_job.id);
    return query
      select c.job_id, c.no, c.account_id, v_job.expires_on, c.epoch, c.attempts, c.deferrals, c.throttles, c.no_responses, c.egress,
        c.site::text, c.site_max, c.suspect, b.row_nos, b.emails, j.mode, j.ai and p.ai_enhancement, j.catchall and p.catchall_detection,
        a.send_threshold, a.excluded_traits, j.ai, j.catchall, case when a.retention_days > 0 then j.max_age_s end
      from unnest(v_batches) b join unnest(v_claimed) c on c.job_id = b.job_id and c.no = b.no
      join jobs j on j.id = c.job_id join accounts a on a.id = j.account_id join plans p on p.name = a.plan;
  end loop;
end
$$;

-- Settles batches of one job of the transaction's account: stores their results as chunks, counts them, advances the job and charges the
-- results inserted by this call. A batch that is processed twice is charged once: its queue row is deleted once, its number is in the key
-- of its chunk, and the ledger posts it once. Refunds results by the refund rule (is_refunded in billing.sql).
-- security definer: the only way in which the worker counts results and posts credits of a job. jobs.done_count, which no other statement
-- changes, never exceeds unique_count, so no more is settled than was reserved, and no more refunded than settled.
-- Input: one entry per batch in p_nos, p_epochs, p_rows, p_deferred, p_sizes, p_tallies, p_index_bytes and p_result_bytes. p_rows is the
-- number of addresses that the worker accounts for: results, deferred and those that it still processes. p_deferred is how many batch
-- numbers the job must allocate for deferred addresses. p_sizes is the number of results; 0 means that there is no chunk. p_row_nos are
-- the rows of all results, ascending within a batch. p_blocks are the compressed index and the compressed results of each batch.
-- Output: settled, the positions (from 1) of the settled batches, the first allocated number and whether the job is completed. A batch
-- that was claimed again is not among the settled ones, and nothing of it is stored. The outcome is lost if none is settled, the job has
-- ended or the account is on hold; the worker must then roll back, because rows may be written.
-- Locks: the queue rows by no, then the job row, then the account row, until commit. The inserts of chunks precede the job and account
-- locks, for which other batches of the job wait.
create function settle_batches(
  p_job uuid, p_nos integer[], p_epochs integer[], p_rows integer[], p_deferred integer[], p_sizes integer[], p_tallies jsonb,
  p_index_bytes integer[], p_result_bytes integer[], p_row_nos integer[], p_blocks bytea
) returns table (outcome text, settled integer[], first_no integer, completed boolean)
  language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  v_account uuid := app_account();
  v_job jobs;
  v_closed integer[]; -- positions in the input, and batch numbers
  v_closed_nos integer[];
  v_mismatch integer;
  v_deferred integer;
  v_done integer;
  v_counted integer;
  v_parts integer[]; -- batches with results, and their credits
  v_credits bigint[];
  v_refund_parts integer[];
  v_refunds bigint[];
  v_counts job_counts[];
  v_posting text := 'posted';
begin
  select * into v_job from jobs j where j.id = p_job and j.account_id = v_account and j.state = 'processing';
  if not found then
    return query select 'lost', '{}'::integer[], 0, false;
    return;
  end if;

  perform from job_queue q where q.job_id = p_job and q.no = any (p_nos) order by q.no for update;
  with closed as (
    delete from job_queue q using unnest(p_nos, p_epochs, p_rows, p_deferred) with ordinality as i (no, epoch, rows, deferred, n)
    where q.job_id = p_job and q.account_id = v_account and q.no = i.no and q.epoch = i.epoch
    returning q.no, q.size, i.rows, i.deferred, i.n
  )
  select array(select c.n from closed c order by c.n), array(select c.no from closed c),
    (select coalesce(sum(c.deferred), 0) from closed c), (select max(c.no) from closed c where c.size <> c.rows)
  into v_closed, v_closed_nos, v_deferred, v_mismatch;
  if v_mismatch is not null then
    raise exception 'batch % of job % does not have the size that its worker accounts for', v_mismatch, p_job;
  end if;
  if cardinality(v_closed) = 0 then
    return query select 'lost', '{}'::integer[], 0, false;
    return;
  end if;
  -- Planned for each call, with the day as a constant, so that the other partitions are neither planned nor locked.
  execute 'delete from job_batches b where b.expires_on = $1 and b.account_id = $2 and b.job_id = $3 and b.no = any ($4)'
    using v_job.expires_on, v_account, p_job, v_closed_nos;

  with batches as (
    select i.n, i.no, i.size, i.index_bytes, i.result_bytes, p_tallies -> (i.n - 1)::integer as tally,
      (sum(i.size) over earlier)::integer - i.size as rows_before,
      (sum(i.index_bytes + i.result_bytes) over earlier)::integer - i.index_bytes - i.result_bytes as bytes_before
    from unnest(p_nos, p_sizes, p_index_bytes, p_result_bytes) with ordinality as i (no, size, index_bytes, result_bytes, n)
    window earlier as (order by i.n)
  ), inserted as (
    insert into result_chunks as c (expires_on, account_id, job_id, generation, no, size, first_row, last_row, row_nos, tally, index, results)
    select v_job.expires_on, v_account, p_job, 0, b.no, b.size, p_row_nos[b.rows_before + 1], p_row_nos[b.rows_before + b.size],
      p_row_nos[b.rows_before + 1:b.rows_before + b.size], b.tally, substring(p_blocks from b.bytes_before + 1 for b.index_bytes),
      substring(p_blocks from b.bytes_before + b.index_bytes + 1 for b.result_bytes)
    from batches b where b.size > 0 and b.n = any (v_closed)
    on conflict do nothing
    returning c.no, c.size, c.tally
  ), tally as (
    select i.no, t.status, t.sub_status, t.count
    from inserted i cross join lateral jsonb_to_recordset(i.tally) as t (status text, sub_status text, count integer)
  ), refunds as (
    select t.no, sum(t.count) * v_job.credits_per_email as credits from tally t
    where is_refunded(v_job.refund_unknown, t.status, t.sub_status) group by t.no
  ), counts as (
    select t.status, t.sub_status, sum(t.count)::integer as count from tally t group by t.status, t.sub_status
  )
  select coalesce((select sum(i.size) from inserted i), 0), coalesce((select sum(c.count) from counts c), 0),
    array(select i.no from inserted i order by i.no),
    array(select (i.size * v_job.credits_per_email)::bigint from inserted i order by i.no),
    array(select r.no from refunds r order by r.no), array(select r.credits::bigint from refunds r order by r.no),
    array(select row(v_account, p_job, c.status, c.sub_status, c.count)::job_counts from counts c)
  into v_done, v_counted, v_parts, v_credits, v_refund_parts, v_refunds, v_counts;
  if v_counted <> v_done then
    raise exception 'the tallies of job % count % results, not %', p_job, v_counted, v_done;
  end if;

  update jobs j set
    next_batch = j.next_batch + v_deferred, done_count = j.done_count + v_done,
    refunded_count = j.refunded_count + coalesce((select sum(r) from unnest(v_refunds) r), 0), last_settled_at = clock_timestamp(),
    state = case when j.done_count + v_done = j.unique_count then 'completed' else j.state end,
    finished_at = case when j.done_count + v_done = j.unique_count then clock_timestamp() end
  where j.id = p_job and j.account_id = v_account and j.state = 'processing'
  returning * into v_job;
  if not found then -- the job has ended and released its reserved credits
    return query select 'lost', '{}'::integer[], 0, false;
    return;
  end if;

  insert into job_counts as c select t.* from unnest(v_counts) t
  on conflict (account_id, job_id, status, sub_status) do update set count = c.count + excluded.count;

  if v_job.credits_per_email > 0 and cardinality(v_parts) > 0 then
    v_posting := ledger_post_parts('settle', p_job, v_job.key_id, v_parts, v_credits);
  end if;
  if v_posting = 'posted' and v_job.credits_per_email > 0 and cardinality(v_refund_parts) > 0 then
    v_posting := ledger_post_parts('refund', p_job, v_job.key_id, v_refund_parts, v_refunds);
  end if;
  if v_posting not in ('posted', 'on_hold') then
    raise exception 'the credits of batches of job % were %', p_job, v_posting;
  end if;
  return query select case v_posting when 'on_hold' then 'lost' else 'settled' end, v_closed, v_job.next_batch - v_deferred,
    v_job.state = 'completed';
end
$$;

-- Deletes the batches of jobs that ended more than a minute ago. Ending a job leaves them, because a worker that settles a batch locks
-- its queue row before the job. Output: the number of batches. Locks: the deleted rows; rows locked by other transactions are skipped.
create function delete_ended_batches() returns bigint
  language sql security definer set search_path = public, pg_temp
  begin atomic
    with ended as (
      select q.job_id, q.no, j.expires_on from job_queue q join jobs j on j.id = q.job_id
      where j.finished_at < clock_timestamp() - interval '1 minute' for update of q skip locked
    ), addresses as (
      delete from job_batches b using ended e
      where b.expires_on = e.expires_on and b.job_id = e.job_id and b.no = e.no
    ), gone as (
      delete from job_queue q using ended e where q.job_id = e.job_id and q.no = e.no returning 1
    )
    select count(*) from gone;
  end;

-- Makes the dispatched but unclaimed batches of a job available for dispatch again, and writes an audit entry.
-- Output: the number of batches, or null if the job does not exist or has ended. Locks: the queue rows until commit.
create function requeue_job(p_job uuid) returns integer
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_job jobs;
  v_count integer;
begin
  select * into v_job from jobs j where j.id = p_job and j.state in ('queued', 'planning', 'processing');
  if not found then
    return null;
  end if;
  with unclaimed as (
    select q.no from job_queue q
    where q.job_id = p_job and q.queued_at is not null and is_batch_unclaimed(q.claimed_by, q.claimed_at)
    order by q.no for update
  ), again as (
    update job_queue q set queued_at = null from unclaimed u where q.job_id = p_job and q.no = u.no returning 1
  )
  select count(*) into v_count from again;
  perform record_audit_entry(v_job.account_id, 'list.requeued', p_job::text, null, jsonb_build_object('batches', jsonb_build_array(null, v_count)));
  return v_count;
end
$$;

-- ---- Rights ----

revoke execute on function
  is_batch_unclaimed, release_claims, release_batch, find_dispatchable, dispatch_batches, split_batch, claim_batches, settle_batches,
  delete_ended_batches, requeue_job
from public;

grant execute on function
  release_claims, release_batch, dispatch_batches, claim_batches, settle_batches, delete_ended_batches
to probity_app;

grant execute on function
  is_batch_unclaimed, requeue_job
to probity_operator;

-- Results of jobs: compressed chunks, their rewriting in row order after a job has ended, the erasure of one address, and the merge of a
-- rerun of unknown rows into the job that it runs again.
-- probity_app reads and inserts chunks and deletes those of a job; only the functions below change them. probity_operator
-- sees sizes and times.
-- packages/database/src/jobs/results/result-chunk.ts reads and writes the compressed columns.

-- ---- Tables ----

-- Up to 1,000 results of a job. Generation 0 has the chunks as settled: one per batch, no is the number of the batch. A higher
-- generation has them in row order, 500 per chunk, numbered from 0 (jobs.order_epoch). Readers use jobs.results_generation.
-- Partitioned so that expired rows are dropped.
create table result_chunks (
  expires_on date not null,
  account_id uuid not null,
  job_id uuid not null,
  generation smallint not null,
  no integer not null,
  codec smallint not null default 1, -- 1: zstd with checksum
  size smallint not null check (size between 1 and 1000),
  first_row integer not null,
  last_row integer not null,
  row_nos integer[] not null, -- ascending result numbers: 1024 * row + position in the cell where the address occurs first (resultNoOf in the contract)
  tally jsonb not null, -- [{status, sub_status, safe_to_send, override, count}]
  index bytea not null, -- the fields for filters and searches, in the order of row_nos
  results bytea not null, -- one JSON result per line, in the order of row_nos
  settled_at timestamptz not null default clock_timestamp(),
  check (cardinality(row_nos) = size),
  check (row_nos[1] = first_row and row_nos[size] = last_row),
  primary key (expires_on, account_id, job_id, generation, no)
) partition by range (expires_on);

-- The blocks are compressed already.
alter table result_chunks alter column index set storage external;
alter table result_chunks alter column results set storage external;

create index result_chunks_settled on result_chunks (job_id, settled_at) where generation = 0; -- for the rate of a running job

alter table result_chunks enable row level security;
create policy tenant on result_chunks using (account_id = app_account());
grant select, insert, delete on result_chunks to probity_app;
create policy operator on result_chunks to probity_operator using (true);
grant select (expires_on, account_id, job_id, generation, size, settled_at) on result_chunks to probity_operator;

-- Counts of a job's results by verdict, provider and domain, stored when they are in row order. Contains domains, so it is deleted with
-- the results (drop_expired_partitions).
create table job_breakdowns (
  job_id uuid primary key references jobs (id) on delete cascade,
  account_id uuid not null references accounts (id) on delete cascade,
  expires_on date not null,
  tallies jsonb not null
);

create index job_breakdowns_by_account on job_breakdowns (account_id);
create index job_breakdowns_by_expiry on job_breakdowns (expires_on);

alter table job_breakdowns enable row level security;
create policy tenant on job_breakdowns using (account_id = app_account());
grant select on job_breakdowns to probity_app;

-- ---- Functions ----

-- Claims the rewriting in row order of an ended job: the one with the fewest attempts, then the one that ended first.
-- A claim is valid while its worker sends heartbeats. A worker rewrites one job at a time, so its own earlier claims are void.
-- Skips closed accounts: their results are about to be deleted.
-- Output: the job and its new epoch; no row if there is none. Gives up after 100 attempts; readers then use generation 0.
-- Locks: the job row (for update, skip locked) until commit.
create function claim_ordering(p_worker uuid)
  returns table (id uuid, account_id uuid, expires_on date, epoch smallint)
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_job uuid;
begin
  select j.id into v_job from jobs j
  where j.finished_at is not null and j.results_generation = 0 and j.order_epoch < 100 and j.expires_on >= utc_today()
    and (j.orderer is null or j.orderer = p_worker or not is_worker_alive(j.orderer))
    and not exists (select from accounts a where a.id = j.account_id and a.closed_at is not null)
  order by j.order_epoch, j.finished_at limit 1
  for update skip locked;
  return query
    update jobs j set orderer = p_worker, order_epoch = j.order_epoch + 1
    where j.id = v_job
    returning j.id, j.account_id, j.expires_on, j.order_epoch;
end
$$;

-- Ends the rewriting of a job of the transaction's account: stores the breakdown, lets readers use the new generation, and deletes
-- the other generations and the job's batches, which contain addresses.
-- Input: p_epoch is the epoch of the claim. p_tallies is the breakdown as packages/database/src/jobs/present-job.ts defines it.
-- Output: ordered; lost: the job was deleted, claimed again or changed by an erasure; mismatch: the chunks do not have one result per
-- row, jobs.done_count results in all and the counts of job_counts. On lost and mismatch the worker must roll back.
-- Locks: the batch rows, then the job row, then the deleted chunks, until commit.
create function finish_ordering(p_job uuid, p_epoch smallint, p_tallies jsonb) returns text
  language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
declare
  v_job jobs;
  v_rows bigint;
  v_overlaps bigint;
begin
  select * into v_job from jobs j where j.id = p_job and j.account_id = app_account();
  if not found then
    return 'lost';
  end if;
  delete from job_batches b
  where b.expires_on = v_job.expires_on and b.account_id = v_job.account_id and b.job_id = p_job;
  select * into v_job from jobs j where j.id = p_job for update;
  if not found or v_job.order_epoch <> p_epoch or v_job.results_generation <> 0 then
    return 'lost';
  end if;

  -- A chunk has no row twice, because its row numbers are ascending.
  select coalesce(sum(c.size), 0), count(*) filter (where c.first_row <= c.last_row_before) into v_rows, v_overlaps
  from (
    select c.size, c.first_row, lag(c.last_row) over (order by c.no) as last_row_before from result_chunks c
    where c.expires_on = v_job.expires_on and c.account_id = v_job.account_id and c.job_id = p_job and c.generation = p_epoch
  ) c;
  if v_rows <> v_job.done_count or v_overlaps > 0 or exists (
    select from (
      select t.status, t.sub_status, sum(t.count) as count
      from result_chunks c cross join lateral jsonb_to_recordset(c.tally) as t (status text, sub_status text, count integer)
      where c.expires_on = v_job.expires_on and c.account_id = v_job.account_id and c.job_id = p_job and c.generation = p_epoch
      group by t.status, t.sub_status
    ) t full join (
      select k.status, k.sub_status, k.count from job_counts k where k.account_id = v_job.account_id and k.job_id = p_job
    ) k using (status, sub_status)
    where t.count is distinct from k.count
  ) then
    return 'mismatch';
  end if;

  insert into job_breakdowns (job_id, account_id, expires_on, tallies)
  values (p_job, v_job.account_id, v_job.expires_on, p_tallies);
  delete from result_chunks c
  where c.expires_on = v_job.expires_on and c.account_id = v_job.account_id and c.job_id = p_job and c.generation <> p_epoch;
  update jobs j set results_generation = p_epoch, orderer = null where j.id = p_job;
  return 'ordered';
end
$$;

-- Prepares an ended job of the transaction's account for the erasure of an address from its results. Deletes the addresses of its
-- batches, which are no longer needed. If a worker is rewriting the results, which it may have read already, it has to begin again.
-- Output: the generation to change; null if the job does not exist or has not ended. Locks: the batch rows, then the job row, until
-- commit, so that no rewriting ends meanwhile.
create function begin_erasure(p_job uuid) returns smallint
  language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
declare
  v_job jobs;
begin
  select * into v_job from jobs j where j.id = p_job and j.account_id = app_account() and j.finished_at is not null;
  if not found then
    return null;
  end if;
  delete from job_batches b
  where b.expires_on = v_job.expires_on and b.account_id = v_job.account_id and b.job_id = p_job;
  select * into v_job from jobs j where j.id = p_job for update;
  if not found then
    return null;
  end if;
  if v_job.results_generation = 0 then
    update jobs j set order_epoch = j.order_epoch + 1, orderer = null where j.id = p_job;
    delete from result_chunks c
    where c.expires_on = v_job.expires_on and c.account_id = v_job.account_id and c.job_id = p_job and c.generation <> 0;
  end if;
  return v_job.results_generation;
end
$$;

-- Replaces chunks of a job of the transaction's account by chunks without an erased address, after begin_erasure. Sizes, row numbers
-- and tallies stay as they are, so that counts, paging and reconciliation agree as before.
-- Input: one element of each array per chunk. p_tallies is the new breakdown, or null if none is stored.
-- Output: the number of chunks. Locks: the chunk rows and the breakdown row until commit.
create function erase_results(p_job uuid, p_generation smallint, p_nos integer[], p_indexes bytea[], p_results bytea[], p_tallies jsonb)
  returns integer
  language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
declare
  v_job jobs;
  v_count integer;
begin
  select * into strict v_job from jobs j where j.id = p_job and j.account_id = app_account() and j.results_generation = p_generation;
  update result_chunks c set index = n.index, results = n.results
  from unnest(p_nos, p_indexes, p_results) as n (no, index, results)
  where c.expires_on = v_job.expires_on and c.account_id = v_job.account_id and c.job_id = p_job and c.generation = p_generation
    and c.no = n.no;
  get diagnostics v_count = row_count;
  update job_breakdowns b set tallies = p_tallies where b.job_id = p_job and p_tallies is not null;
  return v_count;
end
$$;

-- Claims the merge of a rerun of unknown rows into the job that it runs again, once the results of both are in row order: the one with the
-- fewest attempts, then the one that ended first. A claim is valid while its worker sends heartbeats; a worker merges one job at a time.
-- Never claimed: a rerun whose earlier job was deleted, or one of the two has expired. Skips closed accounts.
-- Output: the rerun; no row if there is none. Gives up after 100 attempts. Locks: the row of the rerun (skip locked) until commit.
create function claim_merge(p_worker uuid) returns table (id uuid, account_id uuid, expires_on date, attempt smallint)
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_rerun uuid;
begin
  select r.id into v_rerun
  from jobs r join jobs l on l.id = r.rerun_of and l.account_id = r.account_id and l.mode = r.mode
  where r.rerun_rows = 'unknown' and r.finished_at is not null and r.merged_at is null and r.expires_on >= utc_today()
    and r.results_generation > 0 and l.results_generation > 0 and l.expires_on >= utc_today() and r.merge_attempts < 100
    and (r.merger is null or r.merger = p_worker or not is_worker_alive(r.merger))
    and not exists (select from accounts a where a.id = r.account_id and a.closed_at is not null)
  order by r.merge_attempts, r.finished_at limit 1
  for update of r skip locked;
  return query
    update jobs j set merger = p_worker, merge_attempts = j.merge_attempts + 1
    where j.id = v_rerun
    returning j.id, j.account_id, j.expires_on, j.merge_attempts;
end
$$;

-- Locks a rerun of the transaction's account and the job that it is merged into, so that an erasure changes neither of them meanwhile.
-- Output: that job and the generation of its results; no row if the rerun was merged, or one of the two is deleted, expired or not in row
-- order. Locks: the row of the earlier job, then that of the rerun, until commit.
create function begin_merge(p_rerun uuid) returns table (id uuid, account_id uuid, expires_on date, generation smallint)
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_list jobs;
begin
  select l.* into v_list from jobs r join jobs l on l.id = r.rerun_of and l.account_id = r.account_id and l.mode = r.mode
  where r.id = p_rerun and r.account_id = app_account() and r.rerun_rows = 'unknown'
    and l.results_generation > 0 and l.expires_on >= utc_today()
  for update of l;
  if not found then
    return;
  end if;
  perform from jobs r where r.id = p_rerun and r.merged_at is null and r.results_generation > 0 and r.expires_on >= utc_today() for update;
  if not found then
    return;
  end if;
  return query select v_list.id, v_list.account_id, v_list.expires_on, v_list.results_generation;
end
$$;

-- Merges a rerun of the transaction's account into the job that it runs again: replaces chunks of that job, counts its results again and
-- stores its breakdown. Sizes, row numbers, credits and the day of expiry stay as they are. A rerun is merged once: the second call finds
-- no row and fails.
-- Input: one element of p_nos, p_tallies, p_indexes and p_results per chunk. p_breakdown is the new breakdown. Output: the number of chunks.
-- Locks: those of begin_merge, the chunk, count and breakdown rows until commit.
create function merge_results(p_rerun uuid, p_nos integer[], p_tallies jsonb, p_indexes bytea[], p_results bytea[], p_breakdown jsonb)
  returns integer
  language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
declare
  v_list record;
  v_count integer;
  v_done integer;
begin
  select * into strict v_list from begin_merge(p_rerun);
  update result_chunks c set tally = p_tallies -> (n.position - 1)::integer, index = n.index, results = n.results
  from unnest(p_nos, p_indexes, p_results) with ordinality as n (no, index, results, position)
  where c.expires_on = v_list.expires_on and c.account_id = v_list.account_id and c.job_id = v_list.id
    and c.generation = v_list.generation and c.no = n.no;
  get diagnostics v_count = row_count;

  delete from job_counts k where k.account_id = v_list.account_id and k.job_id = v_list.id;
  insert into job_counts (account_id, job_id, status, sub_status, count)
  select v_list.account_id, v_list.id, t.status, t.sub_status, sum(t.count)
  from result_chunks c cross join lateral jsonb_to_recordset(c.tally) as t (status text, sub_status text, count integer)
  where c.expires_on = v_list.expires_on and c.account_id = v_list.account_id and c.job_id = v_list.id
    and c.generation = v_list.generation
  group by t.status, t.sub_status;
  select coalesce(sum(k.count), 0) into v_done from job_counts k where k.account_id = v_list.account_id and k.job_id = v_list.id;
  if v_done <> (select j.done_count from jobs j where j.id = v_list.id) then
    raise exception 'the tallies of job % count % results after the merge of %', v_list.id, v_done, p_rerun;
  end if;

  update job_breakdowns b set tallies = p_breakdown where b.job_id = v_list.id;
  update jobs j set merged_at = clock_timestamp(), merger = null where j.id = p_rerun;
  return v_count;
end
$$;

-- ---- Rights ----

revoke execute on function
  claim_ordering, finish_ordering, begin_erasure, erase_results, claim_merge, begin_merge, merge_results
from public;

grant execute on function
  claim_ordering, finish_ordering, begin_erasure, erase_results, claim_merge, begin_merge, merge_results
to probity_app;

-- Webhooks: endpoints, events, deliveries, attempts and event streams, and the functions that emit events and process deliveries.
-- probity_app manages endpoints and reads the other tables; it writes events, deliveries, attempts and streams through the
-- security definer functions only. probity_operator sees the state and times of deliveries.

-- ---- Tables ----

-- One row per webhook endpoint of an account, and one per job whose callback was sent (job_id). probity_app can write the signing
-- secret and the private key but not read them: only claim_delivery returns them, to the worker that signs a request. A callback
-- is signed with the secret in callback_secrets instead.
create table webhook_endpoints (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts (id) on delete cascade,
  mode text not null check (mode in ('live', 'test')),
  url text not null check (octet_length(url) between 10 and 2048),
  description text not null default '' check (length(description) <= 200),
  events text[] not null default '{*}' check (cardinality(events) between 1 and 50), -- subscribed event types; * means all
  state text not null default 'enabled' check (state in ('enabled', 'disabled')),
  disabled_reason text check (disabled_reason in ('by_owner', 'gone', 'failing')),
  disabled_at timestamptz,
  failing_since timestamptz, -- first failed attempt since the last successful one
  secret text check (secret like 'whsec\_%'), -- HMAC
  private_key text check (private_key like 'whsk\_%'), -- Ed25519
  public_key text check (public_key like 'whpk\_%'),
  previous_secret text, -- signs together with the new secret until previous_until, like previous_private_key
  previous_private_key text,
  previous_until timestamptz,
  job_id uuid unique references jobs (id) on delete cascade, -- not null: the callback of this job
  created_at timestamptz not null default clock_timestamp(),
  check ((state = 'disabled') = (disabled_reason is not null)),
  check ((state = 'disabled') = (disabled_at is not null)),
  check ((previous_secret is null) = (previous_until is null)),
  check ((previous_secret is null) = (previous_private_key is null)),
  check (num_nonnulls(secret, private_key, public_key) = case when job_id is null then 3 else 0 end)
);

create index webhook_endpoints_by_account on webhook_endpoints (account_id, created_at desc);
create index webhook_endpoints_subscribed on webhook_endpoints (account_id) where job_id is null;

alter table webhook_endpoints enable row level security;
create policy tenant on webhook_endpoints using (account_id = app_account());
grant select (id, account_id, mode, url, description, events, state, disabled_reason, disabled_at, failing_since,
              previous_until, created_at, public_key, job_id) on webhook_endpoints to probity_app;
grant insert (account_id, mode, url, description, events, secret, private_key, public_key) on webhook_endpoints to probity_app;
grant update (url, description, events, state, disabled_reason, disabled_at, failing_since) on webhook_endpoints to probity_app;
grant delete on webhook_endpoints to probity_app;

-- One row per event with at least one delivery. Inserted in the transaction that causes the event, so that both
-- commit or neither does. Partitioned by expires_on, because some bodies contain an address and must expire.
create table webhook_events (
  expires_on date not null,
  account_id uuid not null,
  id uuid not null,
  mode text not null check (mode in ('live', 'test')),
  type text not null,
  -- The JSON text as sent; text, because each attempt must sign the same bytes. Null if discard_body is set and no delivery is
  -- pending.
  body text check (octet_length(body) <= 20480),
  discard_body boolean not null, -- the account has a retention of 0 days
  created_at timestamptz not null default clock_timestamp(),
  primary key (expires_on, id, account_id)
) partition by range (expires_on);

create index webhook_events_by_account on webhook_events (account_id, created_at, id);

alter table webhook_events enable row level security;
create policy tenant on webhook_events using (account_id = app_account());
grant select on webhook_events to probity_app;

-- One delivery of an event to an endpoint. It is due at next_at; a worker has claimed it until claimed_until. epoch increases
-- with each dispatch and claim, and only the latest claim can record a result.
-- Not partitioned: delete_expired_deliveries deletes rows whose event has expired.
create table webhook_deliveries (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null, -- no foreign key: only the functions below write rows
  endpoint_id uuid not null references webhook_endpoints (id) on delete cascade,
  expires_on date not null,
  event_id uuid not null,
  type text not null,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  attempts_begun smallint not null default 0, -- attempts started since the last (re)send
  attempts integer not null default 0, -- attempts completed in total
  next_at timestamptz,
  claimed_until timestamptz,
  epoch integer not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  check ((state = 'pending') = (finished_at is null)),
  check ((state = 'pending') = (next_at is not null)),
  check (state = 'pending' or claimed_until is null)
);

create index webhook_deliveries_by_endpoint on webhook_deliveries (endpoint_id, created_at desc);
create index webhook_deliveries_pending on webhook_deliveries (endpoint_id, next_at) where state = 'pending';
create index webhook_deliveries_claimed on webhook_deliveries (endpoint_id, claimed_until) where claimed_until is not null;
create index webhook_deliveries_by_event on webhook_deliveries (event_id);
create index webhook_deliveries_by_expiry on webhook_deliveries (expires_on);

alter table webhook_deliveries enable row level security;
create policy tenant on webhook_deliveries using (account_id = app_account());
grant select on webhook_deliveries to probity_app;
create policy operator on webhook_deliveries to probity_operator using (true);
grant select (account_id, state, next_at, claimed_until, created_at) on webhook_deliveries to probity_operator;

-- One row per completed attempt of a delivery. Of the response only the status is stored. Deleted with the delivery.
create table webhook_attempts (
  account_id uuid not null,
  delivery_id uuid not null references webhook_deliveries (id) on delete cascade,
  no integer not null,
  signed_at timestamptz not null, -- the webhook-timestamp header, in whole seconds
  signature text not null,
  status smallint,
  error text check (octet_length(error) <= 40),
  duration_ms integer not null,
  primary key (delivery_id, no),
  check ((status is null) = (error is not null))
);

alter table webhook_attempts enable row level security;
create policy tenant on webhook_attempts using (account_id = app_account());
grant select on webhook_attempts to probity_app;

-- One row per open event stream. The API process that serves it renews seen_at; a stream counts as open for 45 seconds after that.
-- Unlogged, as the next table: after a crash of PostgreSQL both are empty, and clients reconnect.
create unlogged table event_streams (
  id uuid primary key,
  account_id uuid not null references accounts (id) on delete cascade,
  mode text not null check (mode in ('live', 'test')),
  seen_at timestamptz not null default clock_timestamp()
);

create index event_streams_by_account on event_streams (account_id);

alter table event_streams enable row level security;
create policy tenant on event_streams using (account_id = app_account());
grant select on event_streams to probity_app;

-- Events on their way to an open stream. The API process deletes each one when it reads it, about once per second.
-- No foreign key: closing a stream must not fail the transaction that emits an event. delete_stale_streams deletes the rest.
create unlogged table stream_events (
  account_id uuid not null,
  stream_id uuid not null,
  no bigint generated always as identity,
  due_at timestamptz not null,
  event_id uuid not null,
  body text not null,
  primary key (stream_id, no)
);

alter table stream_events enable row level security;
create policy tenant on stream_events using (account_id = app_account());
grant select on stream_events to probity_app;

-- ---- Functions ----

-- Returns whether an event of the transaction's account is received: by an enabled endpoint that subscribes to its type, by an open
-- stream, or by the callback of a job. With it the API and workers build no event that is not received. Locks: none.
create function has_event_subscriber(p_mode text, p_type text, p_callback_job uuid default null) returns boolean
  language sql stable
  return exists (
    select from webhook_endpoints e
    where e.account_id = app_account() and e.mode = p_mode and e.state = 'enabled' and e.job_id is null
      and e.events && array['*', p_type]
  ) or exists (
    select from event_streams s
    where s.account_id = app_account() and s.mode = p_mode and s.seen_at > clock_timestamp() - interval '45 seconds'
  ) or exists (select from jobs j where j.id = p_callback_job and j.callback_url is not null);

-- Inserts an event of the transaction's account, without deliveries, and adds it to the open streams of the account and mode.
-- Input: p_at is the timestamp in the body. Events with p_holds_address expire with the account's retention, but after 1 day at
-- least; other events after 4 days at least, so that all promised attempts fit. Both expire after 30 days at most.
-- p_is_stored is false if no endpoint receives the event, p_is_streamed if it is for one endpoint only.
-- Output: the event row. Locks: none.
create function insert_event(
  p_mode text, p_type text, p_data json, p_holds_address boolean, p_at timestamptz, p_is_stored boolean, p_is_streamed boolean
) returns webhook_events
  language plpgsql as $$
declare
  v_event webhook_events;
begin
  select utc_today() + least(greatest(a.retention_days, case when p_holds_address then 1 else 4 end), 30), a.id,
    gen_random_uuid(), p_mode, p_type, null, a.retention_days = 0, clock_timestamp()
  into v_event from accounts a where a.id = app_account();
  v_event.body := json_build_object(
    'id', 'evt_' || v_event.id, 'type', p_type, 'api_version', 'v1', 'timestamp', rfc3339(p_at), 'livemode', p_mode = 'live',
    -- An oversized event must not fail the transaction.
    'data', case when octet_length(p_data::text) > 20000 then json_build_object('id', p_data -> 'id', 'omitted', true) else p_data end
  );
  if p_is_stored then
    insert into webhook_events select v_event.*;
  end if;
  if p_is_streamed then
    insert into stream_events (account_id, stream_id, due_at, event_id, body)
    select s.account_id, s.id, p_at, v_event.id, v_event.body from event_streams s
    where s.account_id = v_event.account_id and s.mode = p_mode and s.seen_at > clock_timestamp() - interval '45 seconds';
  end if;
  return v_event;
end
$$;

-- Emits an event of the transaction's account: adds it to open streams, and inserts it with one pending delivery for each enabled
-- endpoint that subscribes to it.
-- Input: p_only sends the event to that endpoint alone, whatever it subscribes to. p_at in the future delays the deliveries.
-- p_callback_job is the job that ends with this event; its callback is delivered, too.
-- Output: the event id, or null if no endpoint receives the event.
-- Locks: the endpoint rows (key share) until commit.
create function emit_event(
  p_mode text, p_type text, p_data json, p_holds_address boolean default false, p_only uuid default null,
  p_at timestamptz default clock_timestamp(), p_callback_job uuid default null
) returns uuid
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_callback uuid;
  v_endpoints uuid[];
  v_event webhook_events;
begin
  insert into webhook_endpoints (account_id, mode, url, events, job_id)
  select j.account_id, j.mode, j.callback_url, array[p_type], j.id from jobs j
  where j.id = p_callback_job and j.account_id = app_account() and j.callback_url is not null
  on conflict (job_id) do nothing
  returning id into v_callback;
  -- The key share lock prevents deletion of the endpoint until commit. Without it, the foreign key of a delivery could fail
  -- and abort the whole transaction.
  select array_agg(e.id) into v_endpoints from (
    select e.id from webhook_endpoints e
    where e.account_id = app_account() and e.mode = p_mode and e.state = 'enabled'
      and (case when p_only is null then e.job_id is null and e.events && array['*', p_type] else e.id = p_only end)
    for key share
  ) e;
  if v_callback is not null then
    v_endpoints := v_endpoints || v_callback;
  end if;
  v_event := insert_event(p_mode, p_type, p_data, p_holds_address, p_at, v_endpoints is not null, p_only is null);
  if v_endpoints is null then
    return null;
  end if;
  insert into webhook_deliveries (account_id, endpoint_id, expires_on, event_id, type, next_at)
  select v_event.account_id, e, v_event.expires_on, v_event.id, p_type, p_at from unnest(v_endpoints) e;
  return v_event.id;
end
$$;

-- Selects up to p_max due deliveries for the queue, those of failing endpoints last, otherwise longest due first. At most four
-- deliveries of an endpoint are claimed at once, one if the endpoint is failing, so that a slow endpoint delays only itself.
-- Output: the dispatched deliveries; none if another process is dispatching.
-- Locks: advisory lock 'probity webhooks' and the delivery rows (update) until commit. It never waits for a lock, so it cannot be
-- part of a deadlock.
create function dispatch_deliveries(p_max integer) returns table (account_id uuid, id uuid, epoch integer)
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not pg_try_advisory_xact_lock(hashtextextended('probity webhooks', 0)) then
    return;
  end if;
  return query
    with recursive endpoints (id) as ( -- loose index scan: endpoints with pending deliveries
      (select d.endpoint_id from webhook_deliveries d where d.state = 'pending' order by d.endpoint_id limit 1)
      union all
      select (
        select d.endpoint_id from webhook_deliveries d
        where d.state = 'pending' and d.endpoint_id > e.id order by d.endpoint_id limit 1
      ) from endpoints e where e.id is not null
    ), due as (
      select d.id from endpoints w join webhook_endpoints e on e.id = w.id and e.state = 'enabled'
      cross join lateral (
        select d.id, d.next_at from webhook_deliveries d
        where d.endpoint_id = e.id and d.state = 'pending' and d.next_at <= clock_timestamp()
          and (d.claimed_until is null or d.claimed_until < clock_timestamp())
        order by d.next_at
        limit greatest(0, (case when e.failing_since is null then 4 else 1 end) - (
          select count(*) from webhook_deliveries t where t.endpoint_id = e.id and t.claimed_until >= clock_timestamp()
        ))
        for update skip locked
      ) d
      order by e.failing_since is not null, d.next_at limit p_max
    )
    -- A worker must claim the delivery within 10 seconds; otherwise the queue has lost it and it is dispatched again.
    update webhook_deliveries d set claimed_until = clock_timestamp() + interval '10 seconds', epoch = d.epoch + 1
    from due where d.id = due.id
    returning d.account_id, d.id, d.epoch;
end
$$;

-- Claims a dispatched delivery for p_hold_s seconds and returns what the worker needs to sign and send it.
-- Output: one row; none if the delivery was dispatched again or has ended. body is null if it is no longer stored.
-- Locks: the delivery row until commit.
create function claim_delivery(p_id uuid, p_epoch integer, p_hold_s integer)
  returns table (
    account_id uuid, id uuid, epoch integer, attempts_begun smallint, mode text, type text, event_id uuid, body text, url text,
    secret text, previous_secret text, private_key text, previous_private_key text
  )
  language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
declare
  v_delivery webhook_deliveries;
begin
  update webhook_deliveries d set epoch = d.epoch + 1, attempts_begun = least(d.attempts_begun + 1, 32000),
    claimed_until = clock_timestamp() + make_interval(secs => p_hold_s)
  where d.id = p_id and d.epoch = p_epoch and d.state = 'pending'
  returning d.* into v_delivery;
  if not found then
    return;
  end if;
  return query
    select v_delivery.account_id, v_delivery.id, v_delivery.epoch, v_delivery.attempts_begun, e.mode, v_delivery.type,
      v_delivery.event_id, v.body, e.url, coalesce(e.secret, c.secret),
      case when coalesce(e.previous_until, c.previous_until) > clock_timestamp() then coalesce(e.previous_secret, c.previous_secret) end,
      e.private_key, case when e.previous_until > clock_timestamp() then e.previous_private_key end
    from webhook_endpoints e
    left join callback_secrets c on e.job_id is not null and c.account_id = e.account_id and c.mode = e.mode
    left join webhook_events v
      on v.expires_on = v_delivery.expires_on and v.id = v_delivery.event_id and v.account_id = v_delivery.account_id
    where e.id = v_delivery.endpoint_id;
end
$$;

-- Deletes the bodies of those events of the transaction's account that have discard_body set and no pending delivery.
-- Output: none. Locks: the updated event rows until commit.
create function discard_event_bodies(p_events uuid[]) returns void
  language plpgsql set plan_cache_mode = force_custom_plan as $$
begin
  update webhook_events v set body = null
  where v.expires_on >= utc_today() and v.account_id = app_account() and v.id = any (p_events) and v.discard_body
    and not exists (select from webhook_deliveries d where d.event_id = v.id and d.state = 'pending');
end
$$;

-- Disables an endpoint of the transaction's account and marks its pending deliveries as failed; they can be resent.
-- Unless the reason is by_owner, emits webhook.disabled to the account's other endpoints and adds it to this endpoint's
-- deliveries as failed, so that it appears in the log.
-- Output: false if the endpoint was not enabled.
-- Locks: the endpoint row, then its pending deliveries, then the other endpoint rows (key share), until commit.
create function disable_webhook(p_endpoint uuid, p_reason text) returns boolean
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_endpoint webhook_endpoints;
  v_events uuid[];
  v_event webhook_events;
begin
  update webhook_endpoints e set state = 'disabled', disabled_reason = p_reason, disabled_at = clock_timestamp()
  where e.id = p_endpoint and e.account_id = app_account() and e.state = 'enabled'
  returning * into v_endpoint;
  if not found then
    return false;
  end if;
  with ended as (
    update webhook_deliveries d set state = 'failed', next_at = null, claimed_until = null, finished_at = clock_timestamp()
    where d.endpoint_id = p_endpoint and d.state = 'pending'
    returning d.event_id
  )
  select array_agg(ended.event_id) into v_events from ended;
  perform discard_event_bodies(v_events);
  if p_reason = 'by_owner' then
    return true;
  end if;

  v_event := insert_event(v_endpoint.mode, 'webhook.disabled', json_build_object(
    'id', v_endpoint.id, 'url', v_endpoint.url, 'reason', p_reason, 'failing_since_at', rfc3339(v_endpoint.failing_since)
  ), false, clock_timestamp(), true, true);
  insert into webhook_deliveries (account_id, endpoint_id, expires_on, event_id, type, state, next_at, finished_at)
  select e.account_id, e.id, v_event.expires_on, v_event.id, v_event.type,
    case e.id when p_endpoint then 'failed' else 'pending' end,
    case e.id when p_endpoint then null else clock_timestamp() end,
    case e.id when p_endpoint then clock_timestamp() end
  from (
    select e.account_id, e.id from webhook_endpoints e
    where e.account_id = v_endpoint.account_id and e.mode = v_endpoint.mode and (e.id = p_endpoint or (
      e.state = 'enabled' and e.job_id is null and e.events && array['*', v_event.type]
    ))
    for key share
  ) e;
  return true;
end
$$;

-- Records the result of an attempt for the transaction's account. Disables the endpoint after outcome gone, or if it has been
-- failing for more than five days; the callback of a job has one delivery and is not disabled.
-- Input: p_outcome is delivered, again (retry after p_delay_ms), given_up or gone.
-- Output: settled, or lost if the delivery was dispatched again after the claim expired, or has ended.
-- Locks: the endpoint row (no key update), then the delivery row, until commit. disable_webhook and resend_deliveries lock in the
-- same order.
create function settle_delivery(
  p_id uuid, p_epoch integer, p_outcome text, p_delay_ms double precision,
  p_signed_at timestamptz, p_signature text, p_status integer, p_error text, p_duration_ms integer
) returns text
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_endpoint webhook_endpoints;
  v_delivery webhook_deliveries;
begin
  select e.* into v_endpoint from webhook_endpoints e
  where e.account_id = app_account() and e.id = (select d.endpoint_id from webhook_deliveries d where d.id = p_id)
  for no key update;
  update webhook_deliveries d set attempts = d.attempts + 1, claimed_until = null,
    state = case p_outcome when 'delivered' then 'delivered' when 'again' then 'pending' else 'failed' end,
    next_at = case p_outcome when 'again' then clock_timestamp() + make_interval(secs => p_delay_ms / 1000) end,
    finished_at = case p_outcome when 'again' then null else clock_timestamp() end
  where d.id = p_id and d.endpoint_id = v_endpoint.id and d.epoch = p_epoch and d.state = 'pending'
  returning * into v_delivery;
  if not found then
    return 'lost';
  end if;
  insert into webhook_attempts (account_id, delivery_id, no, signed_at, signature, status, error, duration_ms)
  values (v_delivery.account_id, p_id, v_delivery.attempts, p_signed_at, p_signature, p_status, p_error, p_duration_ms);

  if p_outcome = 'delivered' then
    update webhook_endpoints e set failing_since = null where e.id = v_endpoint.id and e.failing_since is not null;
  elsif v_endpoint.failing_since is null then
    update webhook_endpoints e set failing_since = clock_timestamp() where e.id = v_endpoint.id;
  end if;
  if v_endpoint.job_id is null and p_outcome = 'gone' then
    perform disable_webhook(v_endpoint.id, 'gone');
  elsif v_endpoint.job_id is null and p_outcome <> 'delivered' and v_endpoint.failing_since < clock_timestamp() - interval '5 days' then
    perform disable_webhook(v_endpoint.id, 'failing');
  end if;
  if v_delivery.state <> 'pending' then
    perform discard_event_bodies(array[v_delivery.event_id]);
  end if;
  return 'settled';
end
$$;

-- Resends deliveries of an endpoint of the transaction's account, with a new series of attempts. Skips deliveries that a worker
-- has claimed and deliveries whose event body is no longer stored.
-- Input: p_delivery resends this delivery in any state; if null, all deliveries created since p_since that failed.
-- Output: the number of deliveries. Locks: the endpoint row (no key update), then the delivery rows, until commit.
create function resend_deliveries(p_endpoint uuid, p_delivery uuid, p_since timestamptz) returns integer
  language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
declare
  v_count integer;
begin
  perform 1 from webhook_endpoints e where e.id = p_endpoint and e.account_id = app_account() for no key update;
  with again as (
    update webhook_deliveries d set state = 'pending', attempts_begun = 0, next_at = clock_timestamp(), finished_at = null, epoch = d.epoch + 1
    where d.endpoint_id = p_endpoint and d.account_id = app_account() and d.claimed_until is null
      and (case when p_delivery is null then d.state = 'failed' and d.created_at >= p_since else d.id = p_delivery end)
      and exists (
        select from webhook_events v
        where v.expires_on = d.expires_on and v.expires_on >= utc_today() and v.id = d.event_id and v.account_id = d.account_id
          and v.body is not null
      )
    returning 1
  )
  select count(*) into v_count from again;
  return v_count;
end
$$;

-- Deletes events of the transaction's account with their deliveries and attempts, for the erasure of an address.
-- Output: the number of events. Locks: the endpoint rows (no key update) in id order, then the deleted rows, until commit.
create function erase_events(p_events uuid[]) returns integer
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_count integer;
begin
  perform 1 from webhook_endpoints e
  where e.account_id = app_account()
    and e.id in (select d.endpoint_id from webhook_deliveries d where d.event_id = any (p_events))
  order by e.id for no key update;
  delete from webhook_deliveries d where d.account_id = app_account() and d.event_id = any (p_events);
  delete from webhook_events v
  where v.expires_on >= utc_today() and v.account_id = app_account() and v.id = any (p_events);
  get diagnostics v_count = row_count;
  return v_count;
end
$$;

-- Sets a new signing secret and key pair for an endpoint of the transaction's account. The previous ones also sign for p_hours, so
-- that receivers can switch without losing events. After two rotations within that time, the last two sign.
-- Output: false if the endpoint does not exist. Locks: the endpoint row until commit.
create function rotate_webhook_secret(p_endpoint uuid, p_secret text, p_private_key text, p_public_key text, p_hours integer)
  returns boolean
  language sql security definer set search_path = public, pg_temp
  begin atomic
    with rotated as (
      update webhook_endpoints e set secret = p_secret, previous_secret = e.secret, private_key = p_private_key,
        previous_private_key = e.private_key, public_key = p_public_key,
        previous_until = clock_timestamp() + make_interval(hours => p_hours)
      where e.id = p_endpoint and e.account_id = app_account() and e.job_id is null
      returning 1
    )
    select exists (select from rotated);
  end;

-- Deletes up to p_max deliveries whose event has expired, with their attempts, and the endpoint rows of callbacks among them.
-- Output: the number of deliveries deleted. Locks: the deleted rows; rows locked by other transactions are skipped.
create function delete_expired_deliveries(p_max integer) returns integer
  language sql security definer set search_path = public, pg_temp
  begin atomic
    with removed as (
      delete from webhook_deliveries d where d.id = any (array(
        select k.id from webhook_deliveries k where k.expires_on < utc_today() limit p_max for update skip locked
      ))
      returning d.endpoint_id
    ), callbacks as (
      delete from webhook_endpoints e using removed r where e.id = r.endpoint_id and e.job_id is not null
    )
    select count(*)::integer from removed;
  end;

-- Opens an event stream of the transaction's account.
-- Output: false if the account has p_max open streams. Locks: advisory lock 'event streams of <account>' until commit.
create function open_event_stream(p_id uuid, p_mode text, p_max integer) returns boolean
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('event streams of ' || app_account(), 0));
  if (select count(*) from event_streams s
      where s.account_id = app_account() and s.seen_at > clock_timestamp() - interval '45 seconds') >= p_max then
    return false;
  end if;
  insert into event_streams (id, account_id, mode) values (p_id, app_account(), p_mode);
  return true;
end
$$;

-- Closes an event stream of the transaction's account. Output: none. Locks: the deleted rows.
create function close_event_stream(p_id uuid) returns void
  language sql security definer set search_path = public, pg_temp
  begin atomic
    delete from stream_events e where e.stream_id = p_id and e.account_id = app_account();
    delete from event_streams s where s.id = p_id and s.account_id = app_account();
  end;

-- Renews the streams that an API process serves, and deletes and returns up to p_max of their due events.
-- Output: events in order; a stream that no longer exists is one row without event. Locks: the written rows.
create function take_stream_events(p_streams uuid[], p_max integer) returns table (stream_id uuid, event_id uuid, body text)
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update event_streams s set seen_at = clock_timestamp()
  where s.id = any (p_streams) and s.seen_at < clock_timestamp() - interval '10 seconds';
  return query
    select p.id, null::uuid, null::text from unnest(p_streams) p (id)
    where not exists (select from event_streams s where s.id = p.id);
  return query
    with taken as (
      delete from stream_events e using (
        select d.stream_id, d.no from stream_events d
        where d.stream_id = any (p_streams) and d.due_at <= clock_timestamp() order by d.no limit p_max
      ) due
      where e.stream_id = due.stream_id and e.no = due.no
      returning e.*
    )
    select t.stream_id, t.event_id, t.body from taken t order by t.no;
end
$$;

-- Deletes the streams of all accounts that no process renewed for a minute, and events without stream.
-- Output: none. Locks: the deleted rows.
create function delete_stale_streams() returns void
  language sql security definer set search_path = public, pg_temp
  begin atomic
    delete from event_streams s where s.seen_at < clock_timestamp() - interval '1 minute';
    delete from stream_events e where not exists (select from event_streams s where s.id = e.stream_id);
  end;

-- Queues an email notification to members when the system disables an endpoint. Trigger function.
-- Output: null. Locks: none.
create function notify_webhook_disabled() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform notify_members(new.account_id, 'webhook_failing', new.id || ' ' || new.disabled_at,
    jsonb_build_object('webhook_id', new.id, 'host', substring(new.url from '^https?://([^/?#]+)'), 'reason', new.disabled_reason));
  return null;
end
$$;

-- ---- Triggers ----

create trigger notify after update of state on webhook_endpoints for each row
  when (new.state = 'disabled' and old.state = 'enabled' and new.disabled_reason <> 'by_owner')
  execute function notify_webhook_disabled();

create trigger audit after insert or update on webhook_endpoints for each row when (new.job_id is null) execute function
  audit_row('webhook', 'url', 'description events state disabled_reason mode',
            'disabled_at failing_since private_key public_key previous_secret previous_private_key previous_until id account_id created_at');
create trigger audit_delete after delete on webhook_endpoints for each row when (old.job_id is null) execute function
  audit_row('webhook', 'url', '', '');

-- ---- Rights ----

revoke execute on function
  insert_event, emit_event, dispatch_deliveries, claim_delivery, discard_event_bodies, disable_webhook,
  settle_delivery, resend_deliveries, erase_events, rotate_webhook_secret, delete_expired_deliveries, notify_webhook_disabled,
  open_event_stream, close_event_stream, take_stream_events, delete_stale_streams
from public;

grant execute on function
  emit_event, dispatch_deliveries, claim_delivery, disable_webhook, settle_delivery, resend_deliveries,
  erase_events, rotate_webhook_secret, delete_expired_deliveries, open_event_stream, close_event_stream, take_stream_events
to probity_app;

-- Delivery feedback that accounts report: decayed sums by domain, by class and by predicted deliverability. No addresses.
-- Each sum is valid at counted_at and halves with every half-life after it; readers and writers apply decay_since to it.
-- Subtracting an earlier outcome can leave a value slightly below zero, which readers treat as zero.
-- Used by probity_app; sums over all accounts are read through security definer functions only.

-- ---- Tables ----

-- Per account and domain: decayed sums of delivered and bounced messages. Inserted or updated with each report, deleted by
-- delete_decayed_outcomes.
create table domain_outcomes (
  account_id uuid not null references accounts (id) on delete cascade,
  domain text not null check (octet_length(domain) <= 255),
  delivered double precision not null,
  bounced double precision not null,
  shapes double precision[] not null, -- delivered messages by local-part pattern
  counted_at timestamptz not null default clock_timestamp(),
  primary key (account_id, domain)
);

create index domain_outcomes_by_domain on domain_outcomes (domain);
create index domain_outcomes_by_age on domain_outcomes (counted_at);

alter table domain_outcomes enable row level security;
create policy tenant on domain_outcomes using (account_id = app_account());
grant select, insert on domain_outcomes to probity_app;
grant update (delivered, bounced, shapes, counted_at) on domain_outcomes to probity_app;

-- Per account, sub_status and mailbox provider: decayed sums of outcomes whose prediction was found. Deleted by
-- delete_decayed_outcomes.
create table class_outcomes (
  account_id uuid not null references accounts (id) on delete cascade,
  sub_status text not null check (octet_length(sub_status) <= 40),
  provider text not null check (octet_length(provider) <= 100),
  delivered double precision not null,
  bounced double precision not null,
  machine double precision not null, -- bounced messages with an auto-generated local part
  counted_at timestamptz not null default clock_timestamp(),
  primary key (account_id, sub_status, provider)
);

alter table class_outcomes enable row level security;
create policy tenant on class_outcomes using (account_id = app_account());
grant select, insert on class_outcomes to probity_app;
grant update (delivered, bounced, machine, counted_at) on class_outcomes to probity_app;

-- Predictions compared with outcomes, per account, provider and kind, in ten bins of predicted deliverability. An outcome can
-- have a weight above 1 if only part of the deliveries is reported. n is the unweighted number of outcomes; the other sums are
-- weighted. All are decayed sums. Deleted by delete_decayed_outcomes.
create table calibration (
  account_id uuid not null references accounts (id) on delete cascade,
  provider text not null check (octet_length(provider) <= 100),
  kind text not null check (kind in ('decided', 'weighed')), -- verdict by the mail server, or by scoring
  bin smallint not null check (bin between 0 and 9),
  n double precision not null,
  weight double precision not null,
  sum_p double precision not null,
  sum_squared_error double precision not null,
  delivered double precision not null,
  counted_at timestamptz not null default clock_timestamp(),
  primary key (account_id, provider, kind, bin)
);

create index calibration_by_provider on calibration (provider);

alter table calibration enable row level security;
create policy tenant on calibration using (account_id = app_account());
grant select, insert on calibration to probity_app;
grant update (n, weight, sum_p, sum_squared_error, delivered, counted_at) on calibration to probity_app;

-- One row per counted outcome, so that no outcome is counted twice and a late bounce can replace a counted delivery. mark is a
-- keyed hash (HMAC) of account, address and the day the message was sent. The other columns are what the replacement subtracts.
-- Partitioned by expires_on, so that expired marks are deleted by dropping a partition.
create table outcome_marks (
  expires_on date not null,
  account_id uuid not null, -- no foreign key: row-level security allows only the transaction's account
  mark bytea not null check (length(mark) = 32),
  outcome text not null check (outcome in ('delivered', 'bounced')),
  weight double precision not null check (weight >= 1),
  sub_status text,
  provider text,
  is_decided boolean,
  p double precision check (p between 0 and 1), -- null, like the three columns before it, if no prediction was found
  counted_at timestamptz not null default clock_timestamp(),
  primary key (expires_on, account_id, mark),
  check (num_nulls(sub_status, provider, is_decided, p) in (0, 4))
) partition by range (expires_on);

alter table outcome_marks enable row level security;
create policy tenant on outcome_marks using (account_id = app_account());
grant select, insert, delete on outcome_marks to probity_app; -- deleted by erasures of an address
grant update (outcome, weight, counted_at) on outcome_marks to probity_app;

-- ---- Functions ----

-- Returns the factor between 0 and 1 by which a sum counted at p_counted_at has decayed. VOLATILE because it reads the clock.
-- Locks: none.
create function decay_since(p_counted_at timestamptz, p_half_life_days double precision) returns double precision
  language sql volatile
  return power(
    0.5, greatest(extract(epoch from clock_timestamp() - p_counted_at)::double precision, 0) / 86400 / p_half_life_days
  );

-- Multiplies the array p_kept by p_factor and adds p_added element by element. Missing elements of the shorter array count as 0.
-- Output: the resulting array. Locks: none.
create function add_decayed(p_kept double precision[], p_factor double precision, p_added double precision[])
  returns double precision[]
  language sql immutable
  return array(
    select coalesce(t.kept, 0) * p_factor + coalesce(t.added, 0)
    from unnest(p_kept, p_added) with ordinality as t (kept, added, place) order by t.place
  );

-- Sums the outcomes that all other accounts have reported for the given domains.
-- Input: p_weight_max caps the outcomes of each account per domain, so that no single account determines the results of others.
-- Output: one row per domain with data; shapes is the sum per local-part pattern. Locks: none.
create function sum_domain_outcomes(p_domains text[], p_half_life_days double precision, p_weight_max double precision)
  returns table (domain text, delivered double precision, bounced double precision, shapes double precision[])
  language sql volatile security definer set search_path = public, pg_temp
  begin atomic
    with faded as materialized (
      select d.domain, d.delivered, d.bounced, d.shapes, decay_since(d.counted_at, p_half_life_days) as factor
      from domain_outcomes d
      where d.domain = any (p_domains) and d.account_id is distinct from app_account()
    ), capped as materialized (
      select f.domain, f.delivered, f.bounced, f.shapes,
        f.factor * least(1, p_weight_max / nullif((f.delivered + f.bounced) * f.factor, 0)) as factor
      from faded f
    ), by_shape as (
      select s.domain, array_agg(s.delivered order by s.place) as shapes from (
        select c.domain, t.place, sum(t.delivered * c.factor) as delivered
        from capped c cross join unnest(c.shapes) with ordinality as t (delivered, place)
        group by c.domain, t.place
      ) s group by s.domain
    )
    select c.domain, sum(c.delivered * c.factor), sum(c.bounced * c.factor), coalesce(min(b.shapes), '{}')
    from capped c left join by_shape b on b.domain = c.domain
    group by c.domain;
  end;

-- Sums the calibration bins of all accounts.
-- Input: p_n_max caps the outcomes of each other account per provider and kind; null means no cap. The transaction's own account
-- is not capped. p_providers null means all providers.
-- Output: one row per provider, kind and bin; counted_at is the latest update. Locks: none.
create function sum_calibration(p_half_life_days double precision, p_n_max double precision, p_providers text[])
  returns table (
    provider text, kind text, bin smallint, n double precision, weight double precision, sum_p double precision,
    sum_squared_error double precision, delivered double precision, counted_at timestamptz
  )
  language sql volatile security definer set search_path = public, pg_temp
  begin atomic
    with faded as materialized (
      select c.*, decay_since(c.counted_at, p_half_life_days) as factor from calibration c
      where p_providers is null or c.provider = any (p_providers)
    ), capped as materialized (
      select f.*, f.factor * case
        when p_n_max is null or f.account_id = app_account() then 1
        else least(1, p_n_max / nullif(sum(f.n * f.factor) over (partition by f.account_id, f.provider, f.kind), 0)) end as share
      from faded f
    )
    select c.provider, c.kind, c.bin, sum(c.n * c.share), sum(c.weight * c.share), sum(c.sum_p * c.share),
      sum(c.sum_squared_error * c.share), sum(c.delivered * c.share), max(c.counted_at)
    from capped c group by c.provider, c.kind, c.bin;
  end;

-- Deletes sums that have decayed below p_mass_min: up to p_max domain rows, and all such class and calibration rows.
-- Input: p_mass_min is at most 1/16. A sum is at least 1 when it is written, so domain rows younger than four half-lives are not
-- read. Output: the number of rows deleted. Locks: the deleted rows; domain rows locked by other transactions are skipped.
create function delete_decayed_outcomes(p_half_life_days double precision, p_mass_min double precision, p_max integer)
  returns integer
  language sql security definer set search_path = public, pg_temp
  begin atomic
    with domains as (
      delete from domain_outcomes d where (d.account_id, d.domain) in (
        select k.account_id, k.domain from domain_outcomes k
        where k.counted_at < clock_timestamp() - make_interval(secs => 4 * 86400 * p_half_life_days)
          and (k.delivered + k.bounced) * decay_since(k.counted_at, p_half_life_days) < p_mass_min
        limit p_max for update skip locked
      )
      returning 1
    ), classes as (
      delete from class_outcomes c where (c.delivered + c.bounced) * decay_since(c.counted_at, p_half_life_days) < p_mass_min
      returning 1
    ), bins as (
      delete from calibration c where c.weight * decay_since(c.counted_at, p_half_life_days) < p_mass_min
      returning 1
    )
    select ((select count(*) from domains) + (select count(*) from classes) + (select count(*) from bins))::integer;
  end;

-- ---- Rights ----

revoke execute on function
  sum_domain_outcomes, sum_calibration, delete_decayed_outcomes
from public;

grant execute on function
  sum_domain_outcomes, sum_calibration, delete_decayed_outcomes
to probity_app;

-- Ledger reconciliation: a scheduled check that balances, jobs, validations and results agree with the ledger.
-- A ledger mismatch puts the account on hold. Maintenance calls the functions every minute; they are security definer
-- because they read all accounts. probity_operator reads the time of the last run.

-- ---- Tables ----

-- Per account, the sum of its ledger up to and including row ledger_id, so that the next run adds only later rows. This is
-- correct because the ledger is append-only and the ids of one account are assigned in commit order (see ledger_post).
-- Written by store_ledger_sums; deleted with the account and when an operator ends a hold.
create table ledger_sums (
  account_id uuid primary key references accounts (id) on delete cascade,
  ledger_id bigint not null,
  available bigint not null,
  reserved bigint not null,
  spent bigint not null
);

alter table ledger_sums enable row level security;
create policy tenant on ledger_sums using (account_id = app_account());
grant select on ledger_sums to probity_app;

-- A single row: the time up to which reconciliation has covered all changes. Updated by end_reconciliation.
create table reconciliation_runs (
  id boolean primary key default true check (id),
  reconciled_until timestamptz not null
);

insert into reconciliation_runs (reconciled_until) values (clock_timestamp());

grant select on reconciliation_runs to probity_operator;

-- Accounts whose balances differ from the sum of their ledger, with the differences. Must always be empty. Used by tests:
-- it reads the whole ledger.
create view ledger_mismatches as
  select a.id as account_id,
         a.available - coalesce(sum(l.d_available), 0)::bigint as available,
         a.reserved - coalesce(sum(l.d_reserved), 0)::bigint as reserved,
         a.spent - coalesce(sum(l.d_spent), 0)::bigint as spent
  from accounts a left join ledger l on l.account_id = a.id
  group by a.id
  having a.available <> coalesce(sum(l.d_available), 0)
      or a.reserved <> coalesce(sum(l.d_reserved), 0)
      or a.spent <> coalesce(sum(l.d_spent), 0);

-- ---- Functions ----

-- One ledger mismatch. subject is the job or validation, or null for the account. expected and found are the compared values.
create type ledger_mismatch as (account_id uuid, kind text, subject uuid, expected bigint, found bigint);

-- Compares account balances with the ledger, and reserved credits with the unfinished jobs.
-- STABLE, so that the function sees one snapshot even if other transactions commit while it runs.
-- Input: p_whole adds up the whole ledger instead of starting from ledger_sums.
-- Output: one row per mismatch; none if all balances agree. Locks: none.
create function reconcile_accounts(p_accounts uuid[], p_whole boolean) returns setof ledger_mismatch
  language plpgsql stable security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
begin
  return query
    select a.id, f.kind, null::uuid, f.expected::bigint, f.found
    from accounts a
    left join ledger_sums s on s.account_id = a.id and not p_whole
    cross join lateral (
      select coalesce(s.available, 0) + coalesce(sum(l.d_available), 0) as available,
             coalesce(s.reserved, 0) + coalesce(sum(l.d_reserved), 0) as reserved,
             coalesce(s.spent, 0) + coalesce(sum(l.d_spent), 0) as spent
      from ledger l where l.account_id = a.id and l.id > coalesce(s.ledger_id, 0)
    ) l
    cross join lateral (
      select coalesce(sum((j.unique_count - j.done_count) * j.credits_per_email), 0) as reserved
      from jobs j where j.account_id = a.id and j.state in ('queued', 'planning', 'processing')
    ) j
    cross join lateral (values
      ('available_is_not_the_ledger', l.available, a.available),
      ('reserved_is_not_the_ledger', l.reserved, a.reserved),
      ('spent_is_not_the_ledger', l.spent, a.spent),
      ('reserved_is_not_the_jobs', j.reserved, a.reserved)
    ) as f (kind, expected, found)
    where a.id = any (p_accounts) and f.expected <> f.found;
end
$$;

-- Compares jobs with their ledger transactions, counts, results and queued batches. Results and batches are compared only until
-- expires_on, because their partitions are dropped afterward.
-- Output: one row per mismatch; none if all agree. Locks: none.
create function reconcile_jobs(p_jobs uuid[]) returns setof ledger_mismatch
  language plpgsql stable security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
begin
  return query
    select j.account_id, f.kind, j.id, f.expected::bigint, f.found::bigint
    from jobs j
    cross join lateral (
      select coalesce(sum(l.d_reserved) filter (where l.kind = 'reserve'), 0) as reserved,
             coalesce(sum(l.d_spent) filter (where l.kind = 'settle'), 0) as settled,
             coalesce(sum(l.d_available) filter (where l.kind = 'refund'), 0) as refunded,
             coalesce(sum(l.d_available) filter (where l.kind = 'release'), 0) as released,
             count(*) filter (where l.kind = 'settle' and not exists (
               select from result_chunks c
               where c.expires_on = j.expires_on and c.account_id = j.account_id and c.job_id = j.id and c.generation = 0
                 and c.no = l.part and c.size = l.d_spent
             )) as settled_without_chunk
      from ledger l
      where l.account_id = j.account_id and l.subject = j.id and l.kind in ('reserve', 'settle', 'refund', 'release')
    ) l
    cross join lateral (
      select j.expires_on >= utc_today() as is_kept, j.finished_at is not null as has_ended, j.unique_count - j.done_count as rest
    ) job
    cross join lateral (values
      ('job_reserved', j.unique_count * j.credits_per_email, l.reserved),
      ('job_settled', j.done_count * j.credits_per_email, l.settled),
      ('job_refunded', j.refunded_count * j.credits_per_email, l.refunded),
      ('job_released', case when job.has_ended then job.rest * j.credits_per_email else 0 end, l.released),
      ('job_counts', j.done_count, (
        select coalesce(sum(c.count), 0) from job_counts c where c.account_id = j.account_id and c.job_id = j.id
      )),
      ('job_not_ended', 0, case when job.rest = 0 and not job.has_ended then 1 else 0 end),
      -- Once the results are in row order, their chunks no longer have the numbers of the batches.
      ('job_settled_without_chunk', 0, case when job.is_kept and j.results_generation = 0 then l.settled_without_chunk end),
      ('job_results', j.done_count, case when job.is_kept then (
        select coalesce(sum(c.size), 0) from result_chunks c
        where c.expires_on = j.expires_on and c.account_id = j.account_id and c.job_id = j.id and c.generation = j.results_generation
      ) end),
      ('job_rows_lost', job.rest, case when job.is_kept and j.state = 'processing' then (
        select coalesce(sum(q.size), 0) from job_queue q where q.job_id = j.id
      ) end)
    ) as f (kind, expected, found)
    where j.id = any (p_jobs) and f.expected <> f.found;
end
$$;

-- Finds inconclusive validations whose refund in the ledger differs from the refund rule (validation_refunded), and validations
-- that are open for more than 25 hours (validation_overdue: reported without a hold). For validations created before the last
-- change of the plan or of its terms, the stored outcome of the rule is compared instead.
-- Input: p_account null means all accounts. p_since limits the refund check by finished_at. p_limit applies to each kind.
-- Output: one row per mismatch. Locks: none.
create function reconcile_validations(p_account uuid, p_since timestamptz, p_limit integer) returns setof ledger_mismatch
  language plpgsql stable security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
begin
  return query
    select v.account_id, 'validation_refunded', v.id, r.expected, f.found
    from validations v join accounts a on a.id = v.account_id join plans p on p.name = a.plan
    cross join lateral (
      select coalesce(sum(l.d_available), 0)::bigint as found from ledger l
      where l.account_id = v.account_id and l.kind = 'refund' and l.subject = v.id
    ) f
    cross join lateral (
      select (case when v.created_at > greatest(a.plan_since, p.changed_at)
        then is_refunded(p.refund_unknown, v.result ->> 'status', v.result ->> 'sub_status') else v.refunded end)::integer::bigint as expected
    ) r
    where v.state = 'final' and not v.conclusive and v.finished_at >= p_since
      and (p_account is null or v.account_id = p_account)
      and f.found <> r.expected
    limit p_limit;
  return query
    select v.account_id, 'validation_overdue', v.id, 0::bigint, 1::bigint from validations v
    where v.state = 'open' and v.created_at < now() - interval '25 hours' and (p_account is null or v.account_id = p_account)
    order by v.created_at limit p_limit;
end
$$;

-- Maps the time of day (UTC) to a point in the UUID range. Ids are random and evenly distributed, so equal intervals of the day
-- cover equal shares of the rows. Output: the lower bound as a UUID. Locks: none.
create function id_at_time(p_at timestamptz) returns uuid
  language sql immutable
  return rpad(lpad(to_hex(floor(extract(epoch from p_at) % 86400 / 86400 * 4294967296)::bigint), 8, '0'), 32, '0')::uuid;

-- Starts a reconciliation run and selects what it checks: everything that changed since the last run, unfinished jobs,
-- accounts on hold, and the share of all other rows that id_at_time assigns to the interval, so that each row is checked once
-- a day. After a pause, each run covers up to 30 minutes, starting at most one day back.
-- Output: account ids, job ids, the start for reconcile_validations and the end for end_reconciliation; no row if another run
-- is active. Locks: advisory lock 'probity audit' (not waited for) until commit.
create function begin_reconciliation()
  returns table (accounts uuid[], jobs uuid[], validations_since timestamptz, reconciled_until timestamptz)
  language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
declare
  v_from timestamptz;
  v_midnight timestamptz;
  v_until timestamptz;
  v_first uuid;
  v_beyond uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  v_moved_since timestamptz;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('probity audit', 0)) then
    return;
  end if;
  select greatest(r.reconciled_until, clock_timestamp() - interval '1 day') into v_from from reconciliation_runs r;
  v_midnight := date_trunc('day', v_from, 'utc') + interval '1 day';
  v_until := least(clock_timestamp(), v_from + interval '30 minutes', v_midnight);
  v_first := id_at_time(v_from);
  if v_until < v_midnight then
    v_beyond := id_at_time(v_until);
  end if;
  v_moved_since := v_from - interval '1 minute'; -- a ledger row gets its time before its transaction commits

  return query select
    array(
      select l.account_id from ledger l where l.at >= v_moved_since
      union
      select j.account_id from jobs j where j.state in ('queued', 'planning', 'processing')
      union
      select a.id from accounts a left join ledger_sums s on s.account_id = a.id
      where a.on_hold_since is not null or (a.id >= v_first and a.id < v_beyond)
        or (a.available, a.reserved, a.spent) is distinct from
           (coalesce(s.available, 0), coalesce(s.reserved, 0), coalesce(s.spent, 0))
    ),
    array(
      select j.id from jobs j where j.state in ('queued', 'planning', 'processing')
      union
      select j.id from jobs j where j.finished_at >= v_from - interval '10 minutes'
      union
      select j.id from jobs j where j.id >= v_first and j.id < v_beyond
    ),
    v_moved_since, v_until;
end
$$;

-- Returns the ids of all accounts and all jobs, for a full check. Input: p_account limits both to one account; null means all.
-- Output: one row with two arrays. Locks: none.
create function list_reconcilable(p_account uuid) returns table (accounts uuid[], jobs uuid[])
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select array(select a.id from accounts a where p_account is null or a.id = p_account),
           array(select j.id from jobs j where p_account is null or j.account_id = p_account);
  end;

-- Updates ledger_sums of the given accounts to their latest ledger rows, for the next run.
-- Output: none. Locks: the written ledger_sums rows until commit; begin_reconciliation excludes a concurrent run.
create function store_ledger_sums(p_accounts uuid[]) returns void
  language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
begin
  insert into ledger_sums as k (account_id, ledger_id, available, reserved, spent)
  select a.id, l.last, coalesce(s.available, 0) + l.available, coalesce(s.reserved, 0) + l.reserved, coalesce(s.spent, 0) + l.spent
  from accounts a
  left join ledger_sums s on s.account_id = a.id
  cross join lateral (
    select max(l.id) as last, sum(l.d_available) as available, sum(l.d_reserved) as reserved, sum(l.d_spent) as spent
    from ledger l where l.account_id = a.id and l.id > coalesce(s.ledger_id, 0)
  ) l
  where a.id = any (p_accounts) and l.last is not null
  on conflict (account_id) do update set
    ledger_id = excluded.ledger_id, available = excluded.available, reserved = excluded.reserved, spent = excluded.spent;
end
$$;

-- Records the time up to which reconciliation is complete. Output: none. Locks: the reconciliation_runs row until commit.
create function end_reconciliation(p_until timestamptz) returns void
  language sql security definer set search_path = public, pg_temp
  begin atomic
    update reconciliation_runs set reconciled_until = p_until;
  end;

-- Puts accounts on hold: ledger_post then rejects transactions that take credits from them.
-- Output: the ids of the accounts that were not on hold before.
-- Locks: the account rows (no key update) until commit, in id order, so that two calls cannot deadlock.
create function hold_accounts(p_accounts uuid[]) returns setof uuid
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform 1 from accounts a where a.id = any (p_accounts) order by a.id for no key update;
  return query
    update accounts a set on_hold_since = clock_timestamp()
    where a.id = any (p_accounts) and a.on_hold_since is null returning a.id;
end
$$;

-- ---- Rights ----

revoke execute on function
  reconcile_accounts, reconcile_jobs, reconcile_validations, id_at_time, begin_reconciliation, list_reconcilable,
  store_ledger_sums, end_reconciliation, hold_accounts
from public;

grant execute on function
  reconcile_accounts, reconcile_jobs, reconcile_validations, begin_reconciliation, list_reconcilable,
  store_ledger_sums, end_reconciliation, hold_accounts
to probity_app;

-- Rights of the worker program: of the worker and, in a process of its own, of maintenance. Contains all grants to probity_worker, which
-- probes mail servers, processes jobs, delivers webhooks and runs the doctor, and to probity_maintenance. data/worker-rights.ts and
-- data/maintenance-rights.ts in packages/database/src/connection list the same rights with the task that needs each; role-rights.test.ts
-- compares them with the catalog. The worker has no rights on users, sessions, operators, API keys, payments and the ledger. Row-level security
-- limits tables with an account_id to the account of the transaction.

-- ---- Rights of the worker ----

-- system
grant select on secrets, migrations to probity_worker;
create policy worker on secrets to probity_worker using (name in ('recent_results', 'doctor'));
grant select (made_at) on backups to probity_worker;
grant execute on function
  record_process, delete_process, find_probing, has_worker, find_heartbeat
to probity_worker;

-- operators
grant select (domain) on opted_out_domains to probity_worker;
grant select, insert on job_reviews to probity_worker;
grant select (provider, paused_at, rate_percent) on provider_controls to probity_worker;
grant select (egress, drained_at) on egress_controls to probity_worker;
grant execute on function
  record_unrecognized_replies, record_probes, begin_doctor_run, store_findings, list_due_samples, judge_sample
to probity_worker;

-- accounts
grant select (id, account_id, target, action) on overrides to probity_worker;
grant execute on function count_domain_addresses to probity_worker;

-- validations: finish_validations ends them, and refunds their credits.
grant select (expires_on, account_id, id, email_key, state, deferred_at, deferrals, retry_at) on validations to probity_worker;
grant update (deferred_at, claimed_until, retry_at, attempts, deferrals, provisional, egress) on validations to probity_worker;
grant select (account_id, validation_id), insert, delete on uncollected_results to probity_worker;
grant execute on function
  list_overdue_validations, claim_validations, list_unclaimed_validations, finish_validations
to probity_worker;

-- jobs: settle_batches and fail_job count and end them, and move their credits.
grant select on jobs to probity_worker;
grant update (paused_at, dispatch_limit) on jobs to probity_worker;
grant select on job_counts to probity_worker;
grant insert on job_batches to probity_worker;
grant select, insert on job_queue to probity_worker;
grant execute on function
  find_pending_work, record_heartbeat, release_claims, release_batch, claim_plan, start_processing, fail_job, dispatch_batches,
  claim_batches, settle_batches
to probity_worker;

-- results
grant select, insert on result_chunks to probity_worker;
grant execute on function claim_ordering, finish_ordering, claim_merge, begin_merge, merge_results to probity_worker;

-- webhooks: claim_delivery returns the signing secret and the private key of the endpoint.
grant select (account_id, mode, state, events, job_id) on webhook_endpoints to probity_worker;
grant select (account_id, mode, seen_at) on event_streams to probity_worker;
grant execute on function
  emit_event, dispatch_deliveries, claim_delivery, settle_delivery
to probity_worker;

-- feedback
grant select on domain_outcomes, class_outcomes, calibration to probity_worker;
grant execute on function
  sum_domain_outcomes, sum_calibration
to probity_worker;

-- ---- Rights of maintenance ----

-- probity_maintenance deletes expired data and closed accounts, manages partitions, reconciles the ledger, emits events for expired keys
-- and sends email notifications. Most tasks are functions that delete rows of all accounts; the tables are for the events of expired jobs.
-- The role has no rights on results, addresses, sessions, keys, webhook secrets and secrets, and posts credits only by ending expired jobs
-- and validations.

-- system
grant select on migrations to probity_maintenance;
grant execute on function
  record_process, delete_process, find_heartbeat, has_worker, make_partitions, drop_expired_partitions
to probity_maintenance;

-- operators
grant select (job_id, account_id, state) on job_reviews to probity_maintenance;
grant execute on function delete_old_audit_entries to probity_maintenance;

-- usage: the key.expired event.
grant execute on function list_expired_keys, mark_expired_key to probity_maintenance;

-- accounts
grant execute on function delete_closed_account, delete_old_domain_days to probity_maintenance;

-- billing
grant execute on function delete_old_payments to probity_maintenance;

-- users: claim_notifications returns the name and the email address of the recipient.
grant execute on function
  delete_ended_sessions, claim_notifications, settle_notification, delete_old_notifications
to probity_maintenance;

-- validations: ends expired ones and refunds them.
grant select (account_id, validation_id), delete on uncollected_results to probity_maintenance;
grant execute on function list_expired_validations, finish_validations to probity_maintenance;

-- jobs: ends expired ones and releases their credits. The event contains the job.
grant select on jobs to probity_maintenance;
grant select on job_counts to probity_maintenance;
grant select (job_id, account_id, size, retry_at, wait_reason) on job_queue to probity_maintenance;
grant execute on function
  list_expired_jobs, fail_job, list_expired_uploads, delete_expired_uploads, delete_ended_batches, notify_expiring_results
to probity_maintenance;

-- results: their number, for the job in the event.
grant select (expires_on, account_id, job_id, generation, settled_at, size) on result_chunks to probity_maintenance;

-- webhooks
grant select (account_id, mode, state, events, job_id) on webhook_endpoints to probity_maintenance;
grant select (account_id, mode, seen_at) on event_streams to probity_maintenance;
grant execute on function emit_event, delete_expired_deliveries, delete_stale_streams to probity_maintenance;

-- feedback
grant execute on function delete_decayed_outcomes to probity_maintenance;

-- reconciliation
grant execute on function
  begin_reconciliation, reconcile_accounts, reconcile_jobs, reconcile_validations, store_ledger_sums, end_reconciliation,
  hold_accounts
to probity_maintenance;

-- ---- First partitions ----

-- All partitioned tables exist now.
select make_partitions(p_max => 1000);
