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
