-- The installation itself: secrets, running processes, backups, and helper functions that the other files use.
-- probity_app reads secrets and backups and writes processes through functions; probity_operator reads processes.

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
  'doctor'          -- proves to the API that a request comes from the doctor
]) as name;

grant select on secrets to probity_app;

-- A row is a running API or worker process. The process writes it every ten seconds (heartbeat) and deletes it on shutdown.
-- record_process deletes rows without a heartbeat for a day.
create table processes (
  id uuid primary key,
  kind text not null check (kind in ('api', 'worker')),
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
-- A worker that does not report facts.probing has mode smtp if it has an egress. If no worker can probe, a blocked port
-- takes precedence over a missing HELO name, because other workers have a HELO name then.
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
    order by w.mode = 'smtp' desc, w.reason = 'no_helo_name', w.reason
    limit 1;
  end;

-- Whether a worker has a heartbeat. Without one, validations do not start and jobs make no progress.
-- Locks: none.
create function has_worker() returns boolean
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select exists (select from processes where kind = 'worker' and seen_at > clock_timestamp() - interval '35 seconds');
  end;

-- ---- Rights ----

revoke execute on function
  record_process, delete_process, find_probing, has_worker
from public;

grant execute on function
  record_process, delete_process, find_probing, has_worker
to probity_app;

grant select on migrations to probity_app, probity_operator;
