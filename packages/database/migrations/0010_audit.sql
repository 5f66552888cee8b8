-- Kinds of movements that take from a customer. They wait while the account's books do not add up; what gives back goes on.
alter table ledger_kinds add column needs_sound_books boolean not null default false;
update ledger_kinds set needs_sound_books = true where kind in ('charge', 'reserve', 'settle');

-- The only way credits move. Works on the transaction's own tenant. Outcomes:
--   posted        the balances moved and the row was written
--   replayed      this subject was posted before with the same credits; nothing moved
--   stopped       the account's books do not add up, and nothing is taken from it until somebody has looked; nothing moved
--   insufficient  the balance does not hold that much; nothing moved
--   over_cap      the key's monthly cap does not allow it; nothing moved
create or replace function ledger_post(
  p_kind text, p_credits bigint, p_subject uuid, p_part integer default 0, p_key uuid default null, p_note text default null
) returns table (outcome text, available bigint)
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_kind ledger_kinds;
  v_account accounts;
  v_before bigint;
  v_short bigint;
  v_cap bigint;
begin
  select * into strict v_kind from ledger_kinds k where k.kind = p_kind;
  if p_credits is null or p_credits = 0 or (p_credits < 0 and p_kind <> 'adjust') then
    raise exception 'a % of % credits makes no sense', p_kind, p_credits;
  end if;

  -- One account's movements stand in a queue here, so all that is read below stays true until the commit. That its rows get
  -- their ids in the order of their commits is what the auditor's remembered sums rest on.
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

  if v_kind.needs_sound_books and v_account.charging_stopped_at is not null then
    return query select 'stopped', v_account.available;
    return;
  end if;

  if p_key is not null and v_kind.needs_key_within_cap then
    select k.monthly_cap into v_cap from api_keys k where k.id = p_key and k.account_id = v_account.id;
    if v_cap is not null and key_committed_this_month(v_account.id, p_key) + p_credits > v_cap then
      return query select 'over_cap', v_account.available;
      return;
    end if;
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
  return query select 'posted', a.available from accounts a where a.id = v_account.id;
end
$$;

-- What an account's ledger came to, up to and with one row. The ledger is append only and an account's rows are committed in the
-- order of their ids, so that whoever adds them up again need begin only after that row.
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

insert into ledger_sums (account_id, ledger_id, available, reserved, spent)
select l.account_id, max(l.id), sum(l.d_available), sum(l.d_reserved), sum(l.d_spent)
from ledger l join accounts a on a.id = l.account_id group by l.account_id;

-- Up to when the books were audited. One row.
create table audit_rounds (
  id boolean primary key default true check (id),
  audited_until timestamptz not null
);
insert into audit_rounds (audited_until) values (clock_timestamp());

-- Which accounts moved of late. The rows lie in the order of their time, so a few bytes for many pages will do.
create index ledger_by_time on ledger using brin (at) with (pages_per_range = 32, autosummarize = on);
-- Which validations decided nothing of late.
create index validations_indefinite on validations (finished_at) where state = 'final' and not definite;

-- Which jobs ended of late.
create index jobs_ended on jobs (finished_at) where finished_at is not null;

-- Since when an account has had the terms it has: what ended before cannot be held against them.
alter table plans add column changed_at timestamptz not null default clock_timestamp();
alter table accounts add column plan_since timestamptz not null default clock_timestamp();

create function plans_note_change() returns trigger
  language plpgsql as $$
begin
  new.changed_at := clock_timestamp();
  return new;
end
$$;
create trigger note_change before update on plans for each row execute function plans_note_change();

create function accounts_note_plan() returns trigger
  language plpgsql as $$
begin
  new.plan_since := clock_timestamp();
  return new;
end
$$;
create trigger note_plan before update of plan on accounts for each row execute function accounts_note_plan();

-- Where the books do not add up: the subject is the job or the validation, or null for the account itself.
create type audit_fault as (account_id uuid, kind text, subject uuid, expected bigint, found bigint);

-- Adds up accounts. Stable, so that the whole of it sees one moment, whoever commits meanwhile. From the remembered sums on, or
-- the whole ledger.
create function audit_accounts(p_accounts uuid[], p_whole boolean) returns setof audit_fault
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

-- Adds up jobs: what the ledger moved for them, what is kept of them and what they say of themselves must agree. Rows are counted
-- until their day is over; from then on they may be gone.
create function audit_jobs(p_jobs uuid[]) returns setof audit_fault
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
               select from job_batches b
               where b.expires_on = j.expires_on and b.account_id = j.account_id and b.job_id = j.id and b.no = l.part
                 and b.state = 'done' and b.size >= l.d_spent
             )) as settled_without_batch
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
      ('job_settled_without_batch', 0, case when job.is_kept then l.settled_without_batch end),
      ('job_results', j.done_count, case when job.is_kept then (
        select count(*) from job_results r where r.expires_on = j.expires_on and r.account_id = j.account_id and r.job_id = j.id
      ) end),
      ('job_rows_lost', job.rest, case when job.is_kept and j.state = 'processing' then (
        select coalesce(sum(b.size), 0) from job_batches b
        where b.expires_on = j.expires_on and b.account_id = j.account_id and b.job_id = j.id and b.state = 'pending'
      ) end)
    ) as f (kind, expected, found)
    where j.id = any (p_jobs) and f.expected <> f.found;
end
$$;

-- Validations, of one account or of all, that decided nothing since a time and whose credit did not go back as their plan says,
-- and those that are open long after somebody should have ended them.
create function audit_validations(p_account uuid, p_since timestamptz, p_limit integer) returns setof audit_fault
  language plpgsql stable security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
begin
  return query
    select v.account_id, 'validation_refunded', v.id, 1::bigint, f.found::bigint
    from validations v join accounts a on a.id = v.account_id join plans p on p.name = a.plan
    cross join lateral (
      select coalesce(sum(l.d_available), 0) as found from ledger l
      where l.account_id = v.account_id and l.kind = 'refund' and l.subject = v.id
    ) f
    where v.state = 'final' and not v.definite and v.finished_at >= p_since
      and (p_account is null or v.account_id = p_account)
      and p.refund_unknown and v.created_at > greatest(a.plan_since, p.changed_at) and f.found <> 1
    limit p_limit;
  return query
    select v.account_id, 'validation_overdue', v.id, 0::bigint, 1::bigint from validations v
    where v.state = 'open' and v.created_at < now() - interval '25 hours' and (p_account is null or v.account_id = p_account)
    order by v.created_at limit p_limit;
end
$$;

-- Where a time lies in its day, as an id. Ids are spread evenly, so each minute has its share of them.
create function id_at(p_at timestamptz) returns uuid
  language sql immutable
  return rpad(lpad(to_hex(floor(extract(epoch from p_at) % 86400 / 86400 * 4294967296)::bigint), 8, '0'), 32, '0')::uuid;

-- Begins an audit, one at a time until the transaction ends: no row means that another is at it. What moved since the last one is
-- due, what is under way, and such a share of all the rest that everything has its turn once a day. An audit that was kept from
-- running makes up for it, half an hour at a time.
create function begin_audit()
  returns table (accounts uuid[], jobs uuid[], validations_since timestamptz, audited_until timestamptz)
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
  select greatest(r.audited_until, clock_timestamp() - interval '1 day') into v_from from audit_rounds r;
  v_midnight := date_trunc('day', v_from, 'utc') + interval '1 day';
  v_until := least(clock_timestamp(), v_from + interval '30 minutes', v_midnight);
  v_first := id_at(v_from);
  if v_until < v_midnight then
    v_beyond := id_at(v_until);
  end if;
  v_moved_since := v_from - interval '1 minute'; -- a row has its time before its transaction is committed

  return query select
    array(
      select l.account_id from ledger l where l.at >= v_moved_since
      union
      select j.account_id from jobs j where j.state in ('queued', 'planning', 'processing')
      union
      select a.id from accounts a left join ledger_sums s on s.account_id = a.id
      where a.charging_stopped_at is not null or (a.id >= v_first and a.id < v_beyond)
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

-- Everything there is to audit: of one account, or of all.
create function list_audited(p_account uuid) returns table (accounts uuid[], jobs uuid[])
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select array(select a.id from accounts a where p_account is null or a.id = p_account),
           array(select j.id from jobs j where p_account is null or j.account_id = p_account);
  end;

-- Remembers what the ledgers of accounts come to, for the next audit.
create function remember_ledger_sums(p_accounts uuid[]) returns void
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

create function end_audit(p_until timestamptz) returns void
  language sql security definer set search_path = public, pg_temp
  begin atomic
    update audit_rounds set audited_until = p_until;
  end;

-- From now on nothing is taken from these accounts. Says which of them were not stopped before.
create function stop_charging(p_accounts uuid[]) returns setof uuid
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform 1 from accounts a where a.id = any (p_accounts) order by a.id for no key update;
  return query
    update accounts a set charging_stopped_at = clock_timestamp()
    where a.id = any (p_accounts) and a.charging_stopped_at is null returning a.id;
end
$$;

-- The jobs whose rows' day is over and which have not ended, whoever owns them.
create function list_expired_jobs(p_limit integer) returns table (account_id uuid, id uuid)
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select j.account_id, j.id from jobs j
    where j.state in ('queued', 'planning', 'processing') and j.expires_on < utc_today()
    order by j.created_at limit p_limit;
  end;

-- The validations that are still open though their day is over, and what their end means for the money.
create function list_expired_validations(p_limit integer)
  returns table (expires_on date, account_id uuid, id uuid, refund_unknown boolean)
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select v.expires_on, v.account_id, v.id, p.refund_unknown
    from validations v join accounts a on a.id = v.account_id join plans p on p.name = a.plan
    where v.state = 'open' and v.expires_on < utc_today()
    limit p_limit;
  end;

-- Makes the partitions that are missing, for the longest retention of any account or one that is to be, so many at a time and no more: each takes locks until the commit, and a year of them
-- at once would be more locks than a server has. A partition is built apart and then attached, because attaching lets readers
-- and writers of the parent go on while creating in place would stop them.
drop function make_partitions();
create function make_partitions(p_retention_days integer default 0, p_max integer default 100) returns integer
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_table record;
  v_day date;
  v_partition text;
  v_made integer := 0;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('probity partitions', 0)) then
    return 0; -- another process is at it
  end if;
  for v_table in
    select t.name, case when t.follows_retention
      then greatest(t.days_ahead, 3 + (select greatest(p_retention_days, max(a.retention_days)) from accounts a))
      else t.days_ahead end as days_ahead
    from partitioned_tables t
  loop
    for v_day in select utc_today() + n from generate_series(0, v_table.days_ahead) as n loop
      exit when v_made >= p_max;
      v_partition := format('%s_%s', v_table.name, to_char(v_day, 'YYYYMMDD'));
      if to_regclass(v_partition) is null then
        -- Rows are inserted once and changed two or three times: room on the page keeps the changes there.
        execute format('create table %I (like %I including defaults including constraints) with (fillfactor = 60)',
                       v_partition, v_table.name);
        execute format('alter table %I attach partition %I for values from (%L) to (%L)',
                       v_table.name, v_partition, v_day, v_day + 1);
        v_made := v_made + 1;
      end if;
    end loop;
  end loop;
  return v_made;
end
$$;

revoke execute on function
  audit_accounts(uuid[], boolean), audit_jobs(uuid[]), audit_validations(uuid, timestamptz, integer), begin_audit(),
  list_audited(uuid), remember_ledger_sums(uuid[]), end_audit(timestamptz), stop_charging(uuid[]),
  list_expired_jobs(integer), list_expired_validations(integer), make_partitions(integer, integer) from public;
grant execute on function
  audit_accounts(uuid[], boolean), audit_jobs(uuid[]), audit_validations(uuid, timestamptz, integer), begin_audit(),
  list_audited(uuid), remember_ledger_sums(uuid[]), end_audit(timestamptz), stop_charging(uuid[]),
  list_expired_jobs(integer), list_expired_validations(integer), make_partitions(integer, integer) to probity_app;
