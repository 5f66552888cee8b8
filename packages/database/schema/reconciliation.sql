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
