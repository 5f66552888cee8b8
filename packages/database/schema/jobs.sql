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
