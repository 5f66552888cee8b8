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
