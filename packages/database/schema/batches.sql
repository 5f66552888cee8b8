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
