-- Jobs: uploads, batches and results, and the functions that plan, dispatch, claim and settle them, for API and workers.
-- probity_operator sees states, counts and times, but no addresses and no results.

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
  has_header boolean not null,
  suggested_column text not null,
  row_count integer not null check (row_count > 0),
  email_count integer not null check (email_count between 1 and row_count), -- in the suggested column, like unique_count
  unique_count integer not null check (unique_count between 1 and email_count),
  storage_key text not null unique,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null default clock_timestamp() + interval '24 hours',
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
  -- paused is not a state but paused_at, so that a job resumes in the state it had.
  state text not null default 'queued' check (state in ('queued', 'planning', 'processing', 'completed', 'canceled', 'failed')),
  paused_at timestamptz,
  row_count integer not null check (row_count > 0),
  email_count integer not null check (email_count between 1 and row_count), -- rows that have an email
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
  dispatched bigint not null default 0, -- addresses dispatched; the job with the fewest is served first
  created_at timestamptz not null default clock_timestamp(),
  started_at timestamptz,
  finished_at timestamptz,
  ai boolean not null default true,
  catchall boolean not null default true,
  check ((state in ('completed', 'canceled', 'failed')) = (finished_at is not null)),
  check (state <> 'completed' or done_count = unique_count)
);

create index jobs_by_account on jobs (account_id, created_at desc);
create index jobs_unended on jobs (created_at) where state in ('queued', 'planning', 'processing');
create index jobs_ended on jobs (finished_at) where finished_at is not null;

alter table jobs enable row level security;
create policy tenant on jobs using (account_id = app_account());
grant select, insert, delete on jobs to probity_app;
grant update (state, paused_at, done_count, refunded_count, next_batch, dispatched, started_at, finished_at)
  on jobs to probity_app;
create policy operator on jobs to probity_operator using (true);
grant select (id, account_id, mode, state, paused_at, unique_count, done_count, expires_on, created_at, started_at, finished_at)
  on jobs to probity_operator;

-- Up to 100 addresses of a job that one worker processes together. claimed_by is valid while that worker sends heartbeats. epoch
-- increases with each claim, and only the latest claim can settle the batch. Partitioned so that expired rows are dropped.
create table job_batches (
  expires_on date not null,
  account_id uuid not null,
  job_id uuid not null,
  no integer not null, -- negative: the slowest addresses of batch -no - 1, which was settled without them
  site text not null check (octet_length(site) <= 260), -- provider or domain with a connection limit; '' for mixed batches
  site_max smallint not null, -- batches of the site that one worker may process at once
  row_nos integer[] not null, -- first row of each address, numbered as in a spreadsheet
  emails text[] not null, -- empty when done; the addresses are in job_results
  size smallint not null check (size between 1 and 100),
  state text not null default 'pending' check (state in ('pending', 'done')),
  deferrals smallint not null default 0, -- by mail servers
  throttles smallint not null default 0, -- by our rate limiter
  no_responses smallint not null default 0, -- from DNS or a mail server
  egress text check (octet_length(egress) <= 300), -- egress of the earlier probe, required for the retry
  wait_reason text, -- sub_status that caused retry_at
  retry_at timestamptz,
  queued_at timestamptz, -- last dispatch
  epoch integer not null default 0,
  attempts smallint not null default 0, -- claims that did not finish
  suspect boolean not null default false, -- part of a batch that was split; dispatched one at a time
  claimed_by uuid,
  claimed_at timestamptz,
  straggling boolean not null default false, -- its worker waits for it while it processes other batches
  done_at timestamptz,
  primary key (expires_on, account_id, job_id, no),
  check (cardinality(row_nos) = size),
  check (cardinality(emails) in (0, size))
) partition by range (expires_on);

create index job_batches_pending on job_batches (job_id, no) where state = 'pending';
create index job_batches_dispatched on job_batches (queued_at) where state = 'pending' and queued_at is not null;

alter table job_batches enable row level security;
create policy tenant on job_batches using (account_id = app_account());
grant select, insert, update, delete on job_batches to probity_app;
create policy operator on job_batches to probity_operator using (true);
grant select (expires_on, account_id, job_id, no, size, state, wait_reason, retry_at, queued_at, claimed_by, claimed_at, done_at)
  on job_batches to probity_operator;

-- One result per distinct address of a job; row_no is its first row in the file. Partitioned so that expired rows are dropped.
create table job_results (
  expires_on date not null,
  account_id uuid not null,
  job_id uuid not null,
  row_no integer not null,
  email text not null check (octet_length(email) <= 4096),
  status text not null,
  sub_status text not null,
  result json not null,
  -- Filter and count columns: parsing 100,000 results for one page would take seconds. Generated, so that they always match.
  provider text not null generated always as (coalesce(result #>> '{details,provider}', '')) stored,
  domain text not null generated always as (coalesce(result #>> '{details,domain}', '')) stored,
  safe_to_send boolean not null generated always as (coalesce((result ->> 'safe_to_send')::boolean, false)) stored,
  -- The override at validation time. Set by settle_batch, not generated: adding a generated column rewrites all partitions.
  override text check (override in ('allow', 'block')),
  primary key (expires_on, account_id, job_id, row_no)
) partition by range (expires_on);

alter table job_results enable row level security;
create policy tenant on job_results using (account_id = app_account());
grant select, insert, delete on job_results to probity_app;

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

-- One row per worker that processes jobs. Each worker updates seen_at every second (record_heartbeat).
create table job_workers (
  id uuid primary key,
  slots smallint not null,
  seen_at timestamptz not null default clock_timestamp()
);

grant select on job_workers to probity_operator;

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

-- Returns whether no worker processes a batch: unclaimed, worker dead, or claimed 3 min ago (no batch takes longer). Locks: none.
create function is_batch_unclaimed(p_claimed_by uuid, p_claimed_at timestamptz) returns boolean
  language sql stable
  return p_claimed_by is null or p_claimed_at < clock_timestamp() - interval '3 minutes' or not is_worker_alive(p_claimed_by);

-- Returns whether a batch can be dispatched: it never was, or its task was lost or its worker died 5 s or more ago. Locks: none.
create function is_batch_due(p_queued_at timestamptz, p_claimed_by uuid, p_claimed_at timestamptz) returns boolean
  language sql stable
  return p_queued_at is null
    or (p_queued_at < clock_timestamp() - interval '5 seconds' and is_batch_unclaimed(p_claimed_by, p_claimed_at));

-- Records a worker's heartbeat and number of slots; deletes workers unseen for an hour. Output: none. Locks: the written rows.
create function record_heartbeat(p_worker uuid, p_slots integer) returns void
  language sql security definer set search_path = public, pg_temp
  begin atomic
    delete from job_workers where seen_at < clock_timestamp() - interval '1 hour';
    insert into job_workers (id, slots) values (p_worker, p_slots)
    on conflict (id) do update set slots = excluded.slots, seen_at = clock_timestamp();
  end;

-- Releases all batches and plans of a worker that shuts down. They do not count as attempts and can be claimed at once.
-- Output: none. Locks: the batch rows, then the job rows, until commit.
create function release_claims(p_worker uuid) returns void
  language sql security definer set search_path = public, pg_temp
  begin atomic
    update job_batches set claimed_by = null, claimed_at = null, queued_at = null, attempts = greatest(attempts - 1, 0)
    where claimed_by = p_worker and state = 'pending' and queued_at is not null;
    update jobs set planner = null, plan_attempts = greatest(plan_attempts - 1, 0)
    where planner = p_worker and state = 'planning';
    delete from job_workers where id = p_worker;
  end;

-- Releases a batch after a failure unrelated to it; not counted as an attempt. Output: none. Locks: the batch row until commit.
create function release_batch(p_worker uuid, p_expires_on date, p_account uuid, p_job uuid, p_no integer) returns void
  language sql security definer set search_path = public, pg_temp
  begin atomic
    update job_batches b set claimed_by = null, claimed_at = null, queued_at = null, attempts = greatest(b.attempts - 1, 0)
    where b.expires_on = p_expires_on and b.account_id = p_account and b.job_id = p_job and b.no = p_no
      and b.claimed_by = p_worker and b.state = 'pending';
  end;

-- Claims the oldest job that no live worker plans. A worker plans one job at a time, so a job still claimed by p_worker is one
-- that failed; it becomes due again after 5 seconds per attempt, at most 60.
-- Output: the job and how to read its file; storage_key is null if the upload was deleted. No row if no job is due.
-- Locks: the job row (update) until commit; jobs locked by other transactions are skipped.
create function claim_plan(p_worker uuid)
  returns table (
    id uuid, account_id uuid, expires_on date, epoch integer, attempts smallint, mode text, unique_count integer,
    storage_key text, encoding text, delimiter text, has_header boolean, column_index integer
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
      u.storage_key, u.encoding, u.delimiter, u.has_header, array_position(u.columns, j.email_column) - 1;
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

-- Dispatches the next batches, up to 1.5 times the slots of all live workers. The account with the fewest dispatched addresses is
-- served first, and within it the job with the fewest. Skips accounts on hold, paused jobs and sites at their limit.
-- One account gets at most 75% of the capacity, so that another account can start at once. Suspect batches (split, or started
-- twice and not finished) are dispatched one at a time: one may crash its worker, which would count against the others.
-- Input: p_egresses are the egresses of the calling worker. Ten minutes after retry_at any worker receives a bound batch.
-- Output: the dispatched batches in order; none if another worker is dispatching.
-- Locks: advisory lock 'probity release' (not waited for), then batch, job and account_turns rows, until commit.
create function dispatch_batches(p_egresses text[]) returns setof dispatched_batch
  language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
declare
  v_workers bigint;
  v_capacity bigint;
  v_days date[]; -- known at plan time (custom plan), so that other partitions are pruned
  v_chosen dispatched_batch[];
begin
  if not pg_try_advisory_xact_lock(hashtextextended('probity release', 0)) then
    return;
  end if;
  select array_agg(distinct j.expires_on) into v_days from jobs j where j.state = 'processing' and j.expires_on >= utc_today();
  select count(*), coalesce(ceil(sum(w.slots) * 1.5), 0) into v_workers, v_capacity from job_workers w
  where w.seen_at > clock_timestamp() - interval '10 seconds';

  with in_flight as materialized (
    select b.account_id, b.site, b.site_max, b.straggling,
           b.suspect or b.attempts > (case when b.claimed_by is null then 1 else 2 end) as is_suspect -- includes this claim
    from job_batches b
    where b.state = 'pending' and b.queued_at is not null and b.expires_on = any (v_days)
      and not is_batch_due(b.queued_at, b.claimed_by, b.claimed_at)
  ), site_usage as materialized (
    select f.site, count(*) as batches, count(*) >= min(f.site_max) * v_workers as is_full from in_flight f
    where f.site <> '' group by f.site
  ), free_slots as materialized (
    select greatest(v_capacity - count(*), 0) as n from in_flight f where not f.straggling
  ), candidates as (
    select j.expires_on, j.account_id, j.id as job_id, b.no, b.epoch, b.egress, b.size, b.site, b.site_max, b.is_suspect,
           j.dispatched + sum(b.size) over (partition by j.id order by b.no) - b.size as job_dispatched
    from free_slots, jobs j join accounts a on a.id = j.account_id cross join lateral (
      select b.no, b.epoch, b.egress, b.size, b.site, b.site_max, b.suspect or b.attempts > 1 as is_suspect
      from job_batches b
      where b.expires_on = j.expires_on and b.expires_on = any (v_days) and b.account_id = j.account_id and b.job_id = j.id
        and b.state = 'pending' and (b.queued_at is null or is_batch_due(b.queued_at, b.claimed_by, b.claimed_at))
        and (b.retry_at is null or b.retry_at <= clock_timestamp())
        and (b.egress is null or b.egress = any (p_egresses) or b.retry_at < clock_timestamp() - interval '10 minutes')
        and not exists (select from site_usage u where u.site = b.site and u.is_full)
        and not ((b.suspect or b.attempts > 1) and exists (select from in_flight f where f.is_suspect))
      order by b.no limit (select free_slots.n from free_slots)
    ) b
    where j.state = 'processing' and j.paused_at is null and j.expires_on = any (v_days) and a.on_hold_since is null
  ), ranked as (
    select c.*,
      coalesce(t.dispatched, 0) + sum(c.size) over account_order - c.size as account_dispatched,
      row_number() over account_order
        + (select count(*) from in_flight f where f.account_id = c.account_id and not f.straggling) as account_rank
    from candidates c left join account_turns t on t.account_id = c.account_id
    window account_order as (partition by c.account_id order by c.job_dispatched, c.job_id, c.no)
  ), by_site as (
    select r.*, row_number() over (partition by r.site order by r.account_dispatched, r.job_id, r.no)
                + coalesce((select u.batches from site_usage u where u.site = r.site), 0) as site_rank,
           row_number() over (partition by r.is_suspect order by r.account_dispatched, r.job_id, r.no) as suspect_rank
    from ranked r where r.account_rank <= greatest(ceil(v_capacity * 0.75), 1)
  ), chosen as (
    select l.* from by_site l
    where (l.site = '' or l.site_rank <= l.site_max * v_workers) and (not l.is_suspect or l.suspect_rank = 1)
    order by l.account_dispatched, l.job_id, l.no limit (select n from free_slots)
  ), updated as (
    -- A batch that was dispatched before gets a new epoch, because a worker may still have the old task.
    update job_batches b set queued_at = clock_timestamp(), claimed_by = null, claimed_at = null, straggling = false,
      epoch = b.epoch + (case when b.queued_at is null then 0 else 1 end)
    from chosen c
    where b.expires_on = c.expires_on and b.expires_on = any (v_days) and b.account_id = c.account_id
      and b.job_id = c.job_id and b.no = c.no
    returning c.account_dispatched,
      row(b.expires_on, b.account_id, b.job_id, b.no, b.epoch, b.egress, b.size)::dispatched_batch as batch
  )
  select coalesce(array_agg(u.batch order by u.account_dispatched), '{}') into v_chosen from updated u;

  update jobs j set dispatched = j.dispatched + s.size
  from (select c.job_id, sum(c.size) as size from unnest(v_chosen) c group by c.job_id) s where j.id = s.job_id;
  insert into account_turns as t (account_id, dispatched)
  select c.account_id, sum(c.size) from unnest(v_chosen) c group by c.account_id
  on conflict (account_id) do update set dispatched = t.dispatched + excluded.dispatched;
  return query select * from unnest(v_chosen);
end
$$;

-- Claims a batch. A batch that was started twice and not finished is split in two instead, until an address that crashes its
-- worker is isolated; a half is split again after one failure.
-- Output: the batch and its settings; no row if it was split, is claimed, done or not due, or if the job is paused or finished.
-- Locks: the batch row, then for a split the job row, until commit.
create function claim_batch(p_worker uuid, p_expires_on date, p_account uuid, p_job uuid, p_no integer)
  returns table (
    epoch integer, attempts smallint, deferrals smallint, throttles smallint, no_responses smallint, egress text, site text,
    site_max smallint, row_nos integer[], emails text[], mode text, ai boolean, catchall boolean,
    send_threshold double precision, send_excludes text[]
  )
  language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
declare
  v_batch job_batches;
  v_half integer;
  v_no integer;
begin
  update job_batches b set epoch = b.epoch + 1, attempts = b.attempts + 1, claimed_by = p_worker, claimed_at = clock_timestamp(),
    queued_at = coalesce(b.queued_at, clock_timestamp())
  from jobs j
  where b.expires_on = p_expires_on and b.account_id = p_account and b.job_id = p_job and b.no = p_no
    and b.state = 'pending' and is_batch_unclaimed(b.claimed_by, b.claimed_at)
    and (b.retry_at is null or b.retry_at <= clock_timestamp())
    and j.id = b.job_id and j.state = 'processing' and j.paused_at is null
  returning b.* into v_batch;
  if not found then
    return;
  end if;

  if v_batch.size > 1 and v_batch.attempts > (case when v_batch.suspect then 1 else 2 end) then
    v_half := v_batch.size / 2;
    update jobs j set next_batch = j.next_batch + 1 where j.id = p_job returning j.next_batch - 1 into v_no;
    -- Without retry_at, a batch that is bound to an egress would never become available to workers with other egresses.
    insert into job_batches (expires_on, account_id, job_id, no, site, site_max, row_nos, emails, size, deferrals, throttles,
      no_responses, egress, retry_at, suspect)
    values (p_expires_on, p_account, p_job, v_no, v_batch.site, v_batch.site_max, v_batch.row_nos[v_half + 1:],
            v_batch.emails[v_half + 1:], v_batch.size - v_half, v_batch.deferrals, v_batch.throttles,
            v_batch.no_responses, v_batch.egress, coalesce(v_batch.retry_at, clock_timestamp()), true);
    update job_batches b set row_nos = v_batch.row_nos[:v_half], emails = v_batch.emails[:v_half], size = v_half,
      attempts = 0, suspect = true, queued_at = null, claimed_by = null, claimed_at = null
    where b.expires_on = p_expires_on and b.account_id = p_account and b.job_id = p_job and b.no = p_no;
    return;
  end if;

  return query
    select v_batch.epoch, v_batch.attempts, v_batch.deferrals, v_batch.throttles, v_batch.no_responses, v_batch.egress, v_batch.site, v_batch.site_max,
      v_batch.row_nos, v_batch.emails, j.mode, j.ai and p.ai_enhancement, j.catchall and p.catchall_detection,
      a.send_threshold, a.send_excludes
    from jobs j join accounts a on a.id = j.account_id join plans p on p.name = a.plan where j.id = p_job;
end
$$;

-- Lists unfinished jobs of all accounts whose expiry day is over, oldest first. Locks: none.
create function list_expired_jobs(p_limit integer) returns table (account_id uuid, id uuid)
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select j.account_id, j.id from jobs j
    where j.state in ('queued', 'planning', 'processing') and j.expires_on < utc_today()
    order by j.created_at limit p_limit;
  end;

-- Settles a batch of the transaction's account: stores and counts the results, advances the job and charges the rows inserted by
-- this call, so that a batch processed twice is charged once. Refunds results by the refund rule (is_refunded in billing.sql).
-- Input: p_later is how many batch numbers the job must allocate for deferred rows. p_results has one JSON result per line.
-- Output: settled, the first allocated number and whether the job is completed; or lost: the batch was claimed again, its job has
-- ended or its account is on hold. On lost the worker must roll back, because rows may be written.
-- Locks: the batch row, then the job row, then the account row, until commit; other functions here use the same order. The slow
-- inserts precede the job and account locks, for which other batches of the job wait.
create function settle_batch(
  p_expires_on date, p_job uuid, p_no integer, p_epoch integer, p_later integer,
  p_row_nos integer[], p_emails text[], p_statuses text[], p_sub_statuses text[],
  p_results text
) returns table (outcome text, first_no integer, completed boolean)
  language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
declare
  v_account uuid := app_account();
  v_job jobs;
  v_tally job_counts[];
  v_done integer;
  v_refunded integer;
  v_posting text := 'posted';
begin
  update job_batches b set state = 'done', emails = '{}', done_at = clock_timestamp(), claimed_by = null
  where b.expires_on = p_expires_on and b.account_id = v_account and b.job_id = p_job and b.no = p_no
    and b.epoch = p_epoch and b.state = 'pending';
  if not found then
    return query select 'lost', 0, false;
    return;
  end if;

  with inserted as (
    insert into job_results (expires_on, account_id, job_id, row_no, email, status, sub_status, result, override)
    select p_expires_on, v_account, p_job, r.row_no, r.email, r.status, r.sub_status, r.result::json, r.result::json ->> 'listed'
    from rows from (unnest(p_row_nos, p_emails, p_statuses, p_sub_statuses), string_to_table(p_results, E'\n'))
      as r (row_no, email, status, sub_status, result)
    on conflict do nothing
    returning status, sub_status
  ), tally as (
    select i.status, i.sub_status, count(*)::integer as count from inserted i group by i.status, i.sub_status
  )
  select coalesce(array_agg(row(v_account, p_job, t.status, t.sub_status, t.count)::job_counts), '{}'), coalesce(sum(t.count), 0),
    coalesce(sum(t.count) filter (where is_refunded(j.refund_unknown, t.status, t.sub_status)), 0)
  into v_tally, v_done, v_refunded from tally t, jobs j where j.id = p_job;

  update jobs j set
    next_batch = j.next_batch + p_later, done_count = j.done_count + v_done,
    refunded_count = j.refunded_count + v_refunded * j.credits_per_email,
    state = case when j.done_count + v_done = j.unique_count then 'completed' else j.state end,
    finished_at = case when j.done_count + v_done = j.unique_count then clock_timestamp() end
  where j.id = p_job and j.account_id = v_account and j.state = 'processing'
  returning * into v_job;
  if not found then -- the job has ended and released its reserved credits
    return query select 'lost', 0, false;
    return;
  end if;

  insert into job_counts as c select t.* from unnest(v_tally) t
  on conflict (account_id, job_id, status, sub_status) do update set count = c.count + excluded.count;

  if v_done * v_job.credits_per_email > 0 then
    select p.outcome into v_posting from ledger_post('settle', v_done * v_job.credits_per_email, p_job, p_no, v_job.key_id) p;
  end if;
  if v_posting = 'posted' and v_refunded * v_job.credits_per_email > 0 then
    select p.outcome into v_posting from ledger_post('refund', v_refunded * v_job.credits_per_email, p_job, p_no, v_job.key_id) p;
  end if;
  if v_posting not in ('posted', 'on_hold') then
    raise exception 'the credits of a batch were %', v_posting;
  end if;
  return query select case v_posting when 'on_hold' then 'lost' else 'settled' end, v_job.next_batch - p_later,
    v_job.state = 'completed';
end
$$;

-- Queues an email notification to members when a live job completes or fails. Trigger function. Output: null. Locks: none.
create function notify_job_end() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform notify_members(new.account_id, 'job_done', new.id::text,
    jsonb_build_object('job_id', new.id, 'filename', new.filename, 'state', new.state, 'count', new.unique_count));
  return null;
end
$$;

-- Queues email notifications for live jobs kept at least 7 days whose results are deleted in 3 days. Output: none. Locks: none.
create function notify_expiring_results() returns void
  language sql security definer set search_path = public, pg_temp
  begin atomic
    select notify_members(j.account_id, 'retention_warning', j.id::text,
      jsonb_build_object('job_id', j.id, 'filename', j.filename, 'on', j.expires_on + 1))
    from jobs j
    where j.mode = 'live' and j.state = 'completed' and j.expires_on = utc_today() + 2
      and j.expires_on - (j.created_at at time zone 'utc')::date >= 7;
  end;

-- Makes the dispatched but unclaimed batches of a job available for dispatch again, and writes an audit entry.
-- Output: the number of batches, or null if the job does not exist or has ended. Locks: the batch rows until commit.
create function requeue_job(p_job uuid) returns integer
  language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
declare
  v_job jobs;
  v_count integer;
begin
  select * into v_job from jobs j where j.id = p_job and j.state in ('queued', 'planning', 'processing');
  if not found then
    return null;
  end if;
  with again as (
    update job_batches b set queued_at = null
    where b.expires_on = v_job.expires_on and b.account_id = v_job.account_id and b.job_id = p_job and b.state = 'pending'
      and b.queued_at is not null and is_batch_unclaimed(b.claimed_by, b.claimed_at)
    returning 1
  )
  select count(*) into v_count from again;
  perform record_audit_entry(v_job.account_id, 'list.requeued', p_job::text, null, jsonb_build_object('batches', jsonb_build_array(null, v_count)));
  return v_count;
end
$$;

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

-- ---- Rights ----

revoke execute on function
  list_expired_uploads, delete_expired_uploads, is_worker_alive, is_batch_unclaimed, is_batch_due, record_heartbeat,
  release_claims, release_batch, claim_plan, start_processing, dispatch_batches, claim_batch, list_expired_jobs,
  notify_job_end, notify_expiring_results, requeue_job, find_pending_work
from public;

grant execute on function
  list_expired_uploads, delete_expired_uploads, record_heartbeat, release_claims, release_batch, claim_plan,
  start_processing, dispatch_batches, claim_batch, list_expired_jobs, notify_expiring_results, find_pending_work
to probity_app;

grant execute on function
  is_worker_alive, is_batch_unclaimed, requeue_job
to probity_operator;
