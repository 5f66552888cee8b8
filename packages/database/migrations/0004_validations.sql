-- Single validations, from the moment they are paid for until they expire. A row is `open` while work on it may go on and
-- `final` once its answer stands. Partitioned by the day its account's retention ends, a date fixed when it is inserted:
-- what has expired leaves by dropping a partition, and nothing is deleted row by row.
create table validations (
  expires_on date not null,
  account_id uuid not null, -- without a foreign key: row-level security lets in only the tenant of the transaction
  id uuid not null,
  key_id uuid,
  email text not null check (octet_length(email) <= 4096),
  email_key text not null check (octet_length(email_key) <= 4096), -- by this two spellings are the same address
  state text not null default 'open' check (state in ('open', 'final')),
  definite boolean, -- whether the final answer decided anything; what did not was refunded
  answer json, -- kept as it was written: nobody searches in it
  created_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  -- When the caller was told "not yet". An answer that came later is collected by the next request for it, free, once.
  left_open_at timestamptz,
  collected_at timestamptz,
  -- When the last request that waits for the result stops waiting. Until then the API does not withdraw a validation that no worker has claimed.
  awaited_until timestamptz,
  -- The id before the account: of many rows of one account some are looked for by their ids, and an index that led there by
  -- the account would make the planner read them all.
  primary key (expires_on, id, account_id),
  check ((state = 'final') = (finished_at is not null)),
  check ((state = 'final') = (definite is not null)),
  check (collected_at is null or left_open_at is not null)
) partition by range (expires_on);

create index validations_open on validations (created_at) where state = 'open';

alter table validations enable row level security;
create policy tenant on validations using (account_id = app_account());
grant select, insert on validations to probity_app;
grant update (state, definite, answer, finished_at, left_open_at, collected_at, awaited_until) on validations to probity_app;

-- The validations that were left open and whose answer nobody has collected yet: few at any time, and looked at by every
-- request, which must not search the partitions of a whole retention period.
create table waiting_answers (
  account_id uuid not null references accounts (id),
  email_key text not null,
  validation_id uuid not null,
  expires_on date not null,
  primary key (account_id, validation_id)
);
create index waiting_answers_by_email on waiting_answers (account_id, email_key);

alter table waiting_answers enable row level security;
create policy tenant on waiting_answers using (account_id = app_account());
grant select, insert, delete on waiting_answers to probity_app;

create function list_overdue_validations(p_hours integer, p_limit integer)
  returns table (expires_on date, account_id uuid, id uuid, email text, refund_unknown boolean)
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select v.expires_on, v.account_id, v.id, v.email, p.refund_unknown
    from validations v join accounts a on a.id = v.account_id join plans p on p.name = a.plan
    where v.state = 'open' and v.expires_on >= utc_today()
      and v.created_at < clock_timestamp() - make_interval(hours => p_hours)
    order by v.created_at limit p_limit;
  end;
revoke execute on function list_overdue_validations(integer, integer) from public;
grant execute on function list_overdue_validations(integer, integer) to probity_app;

-- What was answered to a request with an Idempotency-Key, for 24 hours. The caller's key is kept as a hash only: people put
-- all sorts of things into it. The subject is fixed by the first request and reused by whoever resumes it, so that the
-- ledger knows a second attempt for what it is.
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

-- Claims an Idempotency-Key for the transaction's tenant, or says what became of it. Outcomes: claimed, resumed (an earlier
-- attempt died: go on with its subject), in_progress, mismatch (another request body), replay (here is the answer).
create function claim_idempotency(p_route text, p_key_hash bytea, p_fingerprint bytea, p_lock_s integer)
  returns table (outcome text, expires_on date, subject uuid, lock text, status smallint, headers jsonb, body text)
  language plpgsql as $$
declare
  v_now timestamptz;
  v_record idempotency_records;
  v_outcome text;
begin
  -- A record may stand in today's partition or in tomorrow's, where no unique key spans both: the lock makes it one.
  perform pg_advisory_xact_lock(hashtextextended(app_account() || p_route || encode(p_key_hash, 'hex'), 0));
  v_now := clock_timestamp();

  select r.* into v_record from idempotency_records r
  where r.expires_on >= utc_today() and r.account_id = app_account() and r.route = p_route
    and r.key_hash = p_key_hash and r.expires_at > v_now;

  if not found then
    insert into idempotency_records (expires_on, account_id, route, key_hash, fingerprint, locked_until, expires_at)
    values (((v_now + interval '24 hours') at time zone 'utc')::date, app_account(), p_route, p_key_hash, p_fingerprint,
            v_now + make_interval(secs => p_lock_s), v_now + interval '24 hours')
    -- The same key may stand here from 24 hours ago to the second: then it begins anew.
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
