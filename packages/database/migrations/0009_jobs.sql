-- A customer's list, from its confirmation on. The summary outlives the list's rows, which leave with their partitions.
create table jobs (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts (id) on delete cascade,
  mode text not null check (mode in ('live', 'test')),
  upload_id uuid not null unique, -- confirming twice makes one job; without a foreign key, since the upload leaves earlier
  key_id uuid, -- of the caller who confirmed it, for its monthly cap
  filename text not null check (length(filename) between 1 and 200),
  email_column text not null,
  -- How far it has got. `paused_at` stands beside it: a job goes on where it was.
  state text not null default 'queued' check (state in ('queued', 'planning', 'processing', 'completed', 'cancelled', 'failed')),
  paused_at timestamptz,
  row_count integer not null check (row_count > 0),
  email_count integer not null check (email_count between 1 and row_count), -- rows that have an email
  unique_count integer not null check (unique_count between 1 and email_count), -- what is validated and paid for
  done_count integer not null default 0 check (done_count between 0 and unique_count),
  refunded_count integer not null default 0 check (refunded_count between 0 and done_count),
  credits_per_email smallint not null check (credits_per_email in (0, 1)), -- none in the sandbox
  refund_unknown boolean not null, -- as the plan said when it was confirmed
  expires_on date not null, -- when its rows and results leave; fixed here, as the partition is chosen by it
  -- Who plans it at the moment. The epoch is the fence: only the latest planner's plan is kept.
  plan_epoch integer not null default 0,
  plan_attempts smallint not null default 0,
  plan_begun_at timestamptz,
  planner uuid,
  next_batch integer not null default 0,
  served bigint not null default 0, -- addresses that were released: the job with the fewest is next
  created_at timestamptz not null default clock_timestamp(),
  started_at timestamptz,
  finished_at timestamptz,
  check ((state in ('completed', 'cancelled', 'failed')) = (finished_at is not null)),
  check (state <> 'completed' or done_count = unique_count)
);

create index jobs_by_account on jobs (account_id, created_at desc);
create index jobs_unended on jobs (created_at) where state in ('queued', 'planning', 'processing');

alter table jobs enable row level security;
create policy tenant on jobs using (account_id = app_account());
grant select, insert, delete on jobs to probity_app;
grant update (state, paused_at, done_count, refunded_count, next_batch, served, started_at, finished_at) on jobs to probity_app;

-- Up to a hundred addresses of a job that are worked on together: the unit of work. Whoever holds one has it for as long as
-- their process shows that it lives. The epoch grows with each holder, and only the latest may close the batch.
create table job_batches (
  expires_on date not null,
  account_id uuid not null,
  job_id uuid not null,
  no integer not null, -- below zero: the rest of the batch -no - 1, which was settled without its slowest addresses
  lane text not null check (octet_length(lane) <= 260), -- what shares one budget of connections, a provider or a domain; '' for mixed ones
  lane_max smallint not null, -- how many of a lane one worker may have under way
  row_nos integer[] not null, -- of the file, as a spreadsheet numbers them: where each address occurs first
  emails text[] not null, -- empty once it is done: then the addresses stand in the results
  size smallint not null check (size between 1 and 100),
  state text not null default 'pending' check (state in ('pending', 'done')),
  tries smallint not null default 0, -- how often mail servers put these addresses off
  holds smallint not null default 0, -- how often our own pace did
  silences smallint not null default 0, -- how often nobody answered, DNS or a mail server
  egress text check (octet_length(egress) <= 300), -- the way out they were asked from, which must be the same again
  waits_for text, -- why it waits until not_before, as a sub_status
  not_before timestamptz,
  queued_at timestamptz, -- when it was last handed to the queue
  epoch integer not null default 0,
  attempts smallint not null default 0, -- how often it was begun and not brought to an end
  suspect boolean not null default false, -- whether it is a part of one that was not; such are worked on one at a time
  held_by uuid,
  held_at timestamptz,
  straggling boolean not null default false, -- a rest whose worker waits for it beside its other work
  done_at timestamptz,
  primary key (expires_on, account_id, job_id, no),
  check (cardinality(row_nos) = size),
  check (cardinality(emails) in (0, size))
) partition by range (expires_on);

create index job_batches_pending on job_batches (job_id, no) where state = 'pending';
create index job_batches_released on job_batches (queued_at) where state = 'pending' and queued_at is not null;

alter table job_batches enable row level security;
create policy tenant on job_batches using (account_id = app_account());
grant select, insert, update, delete on job_batches to probity_app;

-- One result for each different address of a list, by the row where it occurs first.
create table job_results (
  expires_on date not null,
  account_id uuid not null,
  job_id uuid not null,
  row_no integer not null,
  email text not null check (octet_length(email) <= 4096),
  status text not null,
  sub_status text not null,
  answer json not null,
  primary key (expires_on, account_id, job_id, row_no)
) partition by range (expires_on);

alter table job_results enable row level security;
create policy tenant on job_results using (account_id = app_account());
grant select, insert, delete on job_results to probity_app;

-- How many results of each kind a job has; stays when the results have left.
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

insert into partitioned_tables (name, days_ahead, follows_retention) values
  ('job_batches', 33, true),
  ('job_results', 33, true);
select make_partitions();

-- A confirmed upload is kept for longer.
grant update (expires_at) on uploads to probity_app;

-- The workers that live: each says so every second, together with how many batches it takes at once.
create table list_workers (
  id uuid primary key,
  slots smallint not null,
  seen_at timestamptz not null default clock_timestamp()
);

-- How many addresses of each account were released. The account with the fewest is next.
create table list_turns (
  account_id uuid primary key references accounts (id) on delete cascade,
  served bigint not null default 0
);

alter table list_turns enable row level security;
create policy tenant on list_turns using (account_id = app_account());
grant select on list_turns to probity_app;

-- Set where an account's books do not add up: from then on nothing is charged to it until somebody has looked.
alter table accounts add column charging_stopped_at timestamptz;

create function worker_lives(p_worker uuid) returns boolean
  language sql stable
  return exists (select from list_workers w where w.id = p_worker and w.seen_at > clock_timestamp() - interval '10 seconds');

-- Whether nobody works on a batch: its worker died or has been at it for longer than any batch takes.
create function batch_is_left(p_held_by uuid, p_held_at timestamptz) returns boolean
  language sql stable
  return p_held_by is null or p_held_at < clock_timestamp() - interval '3 minutes' or not worker_lives(p_held_by);

-- Whether a batch can be handed to the queue: it never was, or nobody came for it, because the queue lost it, or who came died.
create function batch_is_due(p_queued_at timestamptz, p_held_by uuid, p_held_at timestamptz) returns boolean
  language sql stable
  return p_queued_at is null
    or (p_queued_at < clock_timestamp() - interval '5 seconds' and batch_is_left(p_held_by, p_held_at));

create function beat(p_worker uuid, p_slots integer) returns void
  language sql security definer set search_path = public, pg_temp
  begin atomic
    delete from list_workers where seen_at < clock_timestamp() - interval '1 hour';
    insert into list_workers (id, slots) values (p_worker, p_slots)
    on conflict (id) do update set slots = excluded.slots, seen_at = clock_timestamp();
  end;

-- A worker that goes in good order: what it held can be had at once, and counts as never begun.
create function leave_work(p_worker uuid) returns void
  language sql security definer set search_path = public, pg_temp
  begin atomic
    update job_batches set held_by = null, held_at = null, queued_at = null, attempts = greatest(attempts - 1, 0)
    where held_by = p_worker and state = 'pending' and queued_at is not null;
    update jobs set planner = null, plan_attempts = greatest(plan_attempts - 1, 0)
    where planner = p_worker and state = 'planning';
    delete from list_workers where id = p_worker;
  end;

-- What a worker could not begin or bring to an end for reasons that are not the batch's: as if it had never had it.
create function give_back_batch(p_worker uuid, p_expires_on date, p_account uuid, p_job uuid, p_no integer) returns void
  language sql security definer set search_path = public, pg_temp
  begin atomic
    update job_batches b set held_by = null, held_at = null, queued_at = null, attempts = greatest(b.attempts - 1, 0)
    where b.expires_on = p_expires_on and b.account_id = p_account and b.job_id = p_job and b.no = p_no
      and b.held_by = p_worker and b.state = 'pending';
  end;

-- Gives the caller the oldest job that nobody plans, and what it needs to read the file. Who asks does not plan at that moment:
-- a job that is still the caller's own is one that it failed at, which waits a while, longer each time.
create function take_plan(p_worker uuid)
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
    and (j.planner is null or not worker_lives(j.planner)
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

-- Opens a planned job of the transaction's tenant for work, if the caller is still its planner. A newcomer starts level with
-- those who have had the least: neither behind for what others had before, nor ahead for having been away.
create function start_processing(p_job uuid, p_epoch integer, p_next_batch integer) returns boolean
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update jobs j set state = 'processing', planner = null, next_batch = p_next_batch,
    served = coalesce((select min(o.served) from jobs o where o.account_id = j.account_id and o.state = 'processing'), 0)
  where j.id = p_job and j.account_id = app_account() and j.plan_epoch = p_epoch and j.state = 'planning';
  if not found then
    return false;
  end if;
  insert into list_turns as t (account_id, served)
  select app_account(), coalesce(min(o.served), 0) from list_turns o
  where exists (select from jobs j where j.account_id = o.account_id and j.state = 'processing' and j.id <> p_job)
  on conflict (account_id) do update set served = greatest(t.served, excluded.served);
  return true;
end
$$;

create type released_batch as (
  expires_on date, account_id uuid, job_id uuid, no integer, epoch integer, egress text, size smallint
);

-- Lets out the next batches: as many as the living workers have room for, by turns between accounts and between the jobs of
-- one account, and no more of a lane than its budget bears. The turn is at whoever has had the fewest addresses so far. An
-- account alone gets three quarters of the room, so that there is some for whoever comes next. What was begun twice and never
-- ended goes out one at a time: one of them may be the cause, and the others must not be blamed for having been there. One
-- caller at a time: the others find nothing to do. What must go out by a certain egress is given to callers that have it.
create function release_batches(p_egresses text[]) returns setof released_batch
  language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
declare
  v_workers bigint;
  v_room bigint;
  v_days date[]; -- known before the planner looks, so that it passes over all other partitions
  v_chosen released_batch[];
begin
  if not pg_try_advisory_xact_lock(hashtextextended('probity release', 0)) then
    return;
  end if;
  select array_agg(distinct j.expires_on) into v_days from jobs j where j.state = 'processing' and j.expires_on >= utc_today();
  select count(*), coalesce(ceil(sum(w.slots) * 1.5), 0) into v_workers, v_room from list_workers w
  where w.seen_at > clock_timestamp() - interval '10 seconds';

  with released as materialized (
    select b.account_id, b.lane, b.lane_max, b.straggling,
           b.suspect or b.attempts > (case when b.held_by is null then 1 else 2 end) as is_suspect -- the present one counts
    from job_batches b
    where b.state = 'pending' and b.queued_at is not null and b.expires_on = any (v_days)
      and not batch_is_due(b.queued_at, b.held_by, b.held_at)
  ), lanes as materialized (
    select r.lane, count(*) as taken, count(*) >= min(r.lane_max) * v_workers as is_full from released r
    where r.lane <> '' group by r.lane
  ), room as materialized (
    select greatest(v_room - count(*), 0) as free from released r where not r.straggling
  ), candidates as (
    select j.expires_on, j.account_id, j.id as job_id, b.no, b.epoch, b.egress, b.size, b.lane, b.lane_max, b.is_suspect,
           j.served + sum(b.size) over (partition by j.id order by b.no) - b.size as job_turn
    from room, jobs j join accounts a on a.id = j.account_id cross join lateral (
      select b.no, b.epoch, b.egress, b.size, b.lane, b.lane_max, b.suspect or b.attempts > 1 as is_suspect
      from job_batches b
      where b.expires_on = j.expires_on and b.expires_on = any (v_days) and b.account_id = j.account_id and b.job_id = j.id
        and b.state = 'pending' and (b.queued_at is null or batch_is_due(b.queued_at, b.held_by, b.held_at))
        and (b.not_before is null or b.not_before <= clock_timestamp())
        and (b.egress is null or b.egress = any (p_egresses) or b.not_before < clock_timestamp() - interval '10 minutes')
        and not exists (select from lanes l where l.lane = b.lane and l.is_full)
        and not ((b.suspect or b.attempts > 1) and exists (select from released r where r.is_suspect))
      order by b.no limit (select room.free from room)
    ) b
    where j.state = 'processing' and j.paused_at is null and j.expires_on = any (v_days)
      and a.charging_stopped_at is null
  ), ranked as (
    select c.*,
      coalesce(t.served, 0) + sum(c.size) over account_order - c.size as turn,
      row_number() over account_order
        + (select count(*) from released r where r.account_id = c.account_id and not r.straggling) as account_rank
    from candidates c left join list_turns t on t.account_id = c.account_id
    window account_order as (partition by c.account_id order by c.job_turn, c.job_id, c.no)
  ), laned as (
    select r.*, row_number() over (partition by r.lane order by r.turn, r.job_id, r.no)
                + coalesce((select l.taken from lanes l where l.lane = r.lane), 0) as lane_rank,
           row_number() over (partition by r.is_suspect order by r.turn, r.job_id, r.no) as suspect_rank
    from ranked r where r.account_rank <= greatest(ceil(v_room * 0.75), 1)
  ), chosen as (
    select l.* from laned l
    where (l.lane = '' or l.lane_rank <= l.lane_max * v_workers) and (not l.is_suspect or l.suspect_rank = 1)
    order by l.turn, l.job_id, l.no limit (select free from room)
  ), marked as (
    -- With a new epoch where it was let out before: a task of the old one may still be with somebody who does nothing about it.
    update job_batches b set queued_at = clock_timestamp(), held_by = null, held_at = null, straggling = false,
      epoch = b.epoch + (case when b.queued_at is null then 0 else 1 end)
    from chosen c
    where b.expires_on = c.expires_on and b.expires_on = any (v_days) and b.account_id = c.account_id and b.job_id = c.job_id and b.no = c.no
    returning c.turn, row(b.expires_on, b.account_id, b.job_id, b.no, b.epoch, b.egress, b.size)::released_batch as batch
  )
  select coalesce(array_agg(m.batch order by m.turn), '{}') into v_chosen from marked m;

  update jobs j set served = j.served + s.size
  from (select c.job_id, sum(c.size) as size from unnest(v_chosen) c group by c.job_id) s where j.id = s.job_id;
  insert into list_turns as t (account_id, served)
  select c.account_id, sum(c.size) from unnest(v_chosen) c group by c.account_id
  on conflict (account_id) do update set served = t.served + excluded.served;
  return query select * from unnest(v_chosen);
end
$$;

-- Takes a batch, if it is there to be had. One that was begun twice and never ended is not handed out but cut in two, so that
-- an address that brings workers down stands alone in the end; each part need fail but once more.
create function claim_batch(p_worker uuid, p_expires_on date, p_account uuid, p_job uuid, p_no integer)
  returns table (
    epoch integer, attempts smallint, tries smallint, holds smallint, silences smallint, egress text, lane text, lane_max smallint,
    row_nos integer[], emails text[], mode text
  )
  language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
declare
  v_batch job_batches;
  v_half integer;
  v_no integer;
begin
  update job_batches b set epoch = b.epoch + 1, attempts = b.attempts + 1, held_by = p_worker, held_at = clock_timestamp(),
    queued_at = coalesce(b.queued_at, clock_timestamp())
  from jobs j
  where b.expires_on = p_expires_on and b.account_id = p_account and b.job_id = p_job and b.no = p_no
    and b.state = 'pending' and batch_is_left(b.held_by, b.held_at)
    and (b.not_before is null or b.not_before <= clock_timestamp())
    and j.id = b.job_id and j.state = 'processing' and j.paused_at is null
  returning b.* into v_batch;
  if not found then
    return;
  end if;

  if v_batch.size > 1 and v_batch.attempts > (case when v_batch.suspect then 1 else 2 end) then
    v_half := v_batch.size / 2;
    update jobs j set next_batch = j.next_batch + 1 where j.id = p_job returning j.next_batch - 1 into v_no;
    insert into job_batches (expires_on, account_id, job_id, no, lane, lane_max, row_nos, emails, size, tries, holds, silences, egress, suspect)
    values (p_expires_on, p_account, p_job, v_no, v_batch.lane, v_batch.lane_max, v_batch.row_nos[v_half + 1:],
            v_batch.emails[v_half + 1:], v_batch.size - v_half, v_batch.tries, v_batch.holds, v_batch.silences, v_batch.egress, true);
    update job_batches b set row_nos = v_batch.row_nos[:v_half], emails = v_batch.emails[:v_half], size = v_half,
      attempts = 0, suspect = true, queued_at = null, held_by = null, held_at = null
    where b.expires_on = p_expires_on and b.account_id = p_account and b.job_id = p_job and b.no = p_no;
    return;
  end if;

  return query
    select v_batch.epoch, v_batch.attempts, v_batch.tries, v_batch.holds, v_batch.silences, v_batch.egress, v_batch.lane, v_batch.lane_max,
      v_batch.row_nos, v_batch.emails, j.mode
    from jobs j where j.id = p_job;
end
$$;

revoke execute on function
  worker_lives(uuid), batch_is_left(uuid, timestamptz), batch_is_due(timestamptz, uuid, timestamptz),
  beat(uuid, integer), leave_work(uuid), give_back_batch(uuid, date, uuid, uuid, integer), take_plan(uuid),
  start_processing(uuid, integer, integer),
  release_batches(text[]), claim_batch(uuid, date, uuid, uuid, integer) from public;
grant execute on function
  beat(uuid, integer), leave_work(uuid), give_back_batch(uuid, date, uuid, uuid, integer), take_plan(uuid),
  start_processing(uuid, integer, integer),
  release_batches(text[]), claim_batch(uuid, date, uuid, uuid, integer) to probity_app;
