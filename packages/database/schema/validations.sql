-- Single validations, results waiting for collection, and records of idempotent requests.
-- Used by probity_app: the API inserts validations, the workers claim and finish them. Functions that work across accounts are
-- security definer. probity_operator sees states and times of validations, but no addresses and no results.

-- ---- Tables ----

-- One row per single validation. The API inserts it when it charges the credit. state is open until the result is final.
-- Partitioned by expires_on, which is fixed at insert from the account's retention: dropping a partition deletes expired rows.
-- Single rows are deleted only by delete_closed_account and by erasures of an address.
create table validations (
  expires_on date not null,
  account_id uuid not null, -- no foreign key: row-level security allows only the transaction's account
  id uuid not null,
  key_id uuid,
  email text not null check (octet_length(email) <= 4096),
  email_key text not null check (octet_length(email_key) <= 4096), -- normalized address and disabled options
  state text not null default 'open' check (state in ('open', 'final')),
  conclusive boolean, -- whether the result is definite, so that its credit is never refunded
  refunded boolean, -- the outcome of is_refunded (billing.sql) for an inconclusive result, stored with the result
  result json, -- json, not jsonb: stored as written and never searched
  created_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  -- When the API returned a deferred result. The next request for the address collects the final result once, without charge.
  deferred_at timestamptz,
  collected_at timestamptz,
  -- When the last request that waits for the result stops waiting. Until then the API does not withdraw an unclaimed validation.
  awaited_until timestamptz,
  -- A worker claims an open row until claimed_until. If the row is still open then, the worker is considered dead and another
  -- worker can claim the row.
  claimed_until timestamptz,
  attempts smallint not null default 0, -- claims since the last deferral
  retry_at timestamptz,
  -- A mail server can defer a probe. The row then stays open, the client receives the provisional result, and a worker retries
  -- at retry_at.
  deferrals smallint not null default 0,
  -- The egress of the deferred probe. Greylisting accepts a retry only from the same source.
  egress text check (octet_length(egress) <= 300),
  provisional json, -- the result returned while the validation is deferred
  -- Options of the request. catchall: whether to test for a catch-all domain.
  ai boolean not null default true,
  catchall boolean not null default true,
  mailbox boolean not null default true, -- whether to probe a mail server
  domain_limited boolean not null default false, -- not probed because the account exceeded the daily limit of the domain
  reference text check (octet_length(reference) <= 800), -- reference text of the client, returned with the result
  -- id precedes account_id because rows are looked up by id. With account_id first, the planner would read all rows of the
  -- account.
  primary key (expires_on, id, account_id),
  check ((state = 'final') = (finished_at is not null)),
  check ((state = 'final') = (conclusive is not null)),
  check ((state = 'final') = (refunded is not null)),
  check (not (conclusive and refunded)),
  check (collected_at is null or deferred_at is not null)
) partition by range (expires_on);

create index validations_open on validations (created_at) where state = 'open';
-- For reconcile_validations: recent validations without a conclusive result.
create index validations_inconclusive on validations (finished_at) where state = 'final' and not conclusive;
-- For erasures: the validations of an address, and those of its typos, have its local part. A hash, because a key can be longer than an
-- index entry. Keys of texts that are no address begin with a space; such a text can contain the address anywhere.
create index validations_by_local_part on validations (account_id, hashtextextended(split_part(email_key, '@', 1), 0), id);
create index validations_malformed on validations (account_id, id) where starts_with(email_key, ' ');

alter table validations enable row level security;
create policy tenant on validations using (account_id = app_account());
grant select, insert, delete on validations to probity_app;
grant update (state, conclusive, refunded, result, finished_at, deferred_at, collected_at, awaited_until, claimed_until, retry_at, attempts, deferrals,
              egress, provisional) on validations to probity_app;
-- Operators see the number and age of validations of all accounts, not their contents.
create policy operator on validations to probity_operator using (true);
grant select (expires_on, account_id, id, state, created_at, finished_at, claimed_until, retry_at)
  on validations to probity_operator;

-- One row per deferred validation whose result the client has not collected. Deleted when a request collects the result, when
-- the validation ends without a conclusive result, or when it expires. A small table of its own, because every request looks
-- up its addresses here and must not scan the partitions of a whole retention period.
create table uncollected_results (
  account_id uuid not null references accounts (id),
  email_key text not null,
  validation_id uuid not null,
  expires_on date not null,
  primary key (account_id, validation_id)
);

create index uncollected_results_by_email on uncollected_results (account_id, email_key);

alter table uncollected_results enable row level security;
create policy tenant on uncollected_results using (account_id = app_account());
grant select, insert, delete on uncollected_results to probity_app;

-- One row per request with an Idempotency-Key, with its response once there is one; valid for 24 hours. The key is stored as a
-- hash only, because clients put all kinds of data into it. The first request fixes subject; a request that resumes it uses
-- the same subject, so that the ledger recognizes the second charge as a replay.
-- Partitioned by expires_on, so that expired records are deleted by dropping a partition.
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

-- ---- Functions ----

-- Lists open validations of all accounts that are older than p_hours and not expired, oldest first.
-- Output: key and address. Locks: none.
create function list_overdue_validations(p_hours integer, p_limit integer)
  returns table (expires_on date, account_id uuid, id uuid, email text)
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select v.expires_on, v.account_id, v.id, v.email from validations v
    where v.state = 'open' and v.expires_on >= utc_today()
      and v.created_at < clock_timestamp() - make_interval(hours => p_hours)
    order by v.created_at limit p_limit;
  end;

-- Claims an Idempotency-Key for the transaction's account, or returns the state of the earlier request.
-- Input: p_fingerprint is a hash of the request. p_lock_s is how long the claim excludes other requests with the same key.
-- Output: the record and an outcome. lock is the end of the claim as text; the API passes it back when it saves the response.
--   claimed      the key is new
--   resumed      an earlier request did not finish in time; continue with its subject
--   in_progress  another request with this key is being processed
--   mismatch     the key was used for a different request
--   replay       the stored response is returned
-- Locks: an advisory lock on account, route and key hash, until commit.
create function claim_idempotency(p_route text, p_key_hash bytea, p_fingerprint bytea, p_lock_s integer)
  returns table (outcome text, expires_on date, subject uuid, lock text, status smallint, headers jsonb, body text)
  language plpgsql as $$
declare
  v_now timestamptz;
  v_record idempotency_records;
  v_outcome text;
begin
  -- The record can be in today's or in tomorrow's partition, and no unique constraint spans both. The lock replaces it.
  perform pg_advisory_xact_lock(hashtextextended(app_account() || p_route || encode(p_key_hash, 'hex'), 0));
  v_now := clock_timestamp();

  select r.* into v_record from idempotency_records r
  where r.expires_on >= utc_today() and r.account_id = app_account() and r.route = p_route
    and r.key_hash = p_key_hash and r.expires_at > v_now;

  if not found then
    insert into idempotency_records (expires_on, account_id, route, key_hash, fingerprint, locked_until, expires_at)
    values (((v_now + interval '24 hours') at time zone 'utc')::date, app_account(), p_route, p_key_hash, p_fingerprint,
            v_now + make_interval(secs => p_lock_s), v_now + interval '24 hours')
    -- A conflicting record is expired, otherwise it would have been found above. The key then starts again with a new subject.
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

-- Charges a group of single validations of the transaction's account, one credit each, and inserts the rows of those that a
-- worker is to validate. Replaces five statements of the API: the group takes one round trip, and its plans stay cached.
-- Input: p_subject is the ledger subject of the group, p_recent the number of validations with a recent result, which need no
-- row. p_rows is an array of objects with id, email, email_key, ai, catchall, mailbox, domain_limited, timeout_ms and reference;
-- timeout_ms is how long the request waits. p_names are addresses and domains to look up in overrides.
-- Output: one row. outcome is that of ledger_post, and only posted changes anything; or uncollected, if an earlier validation
-- of one of the addresses has a result to collect or is still being validated. Then nothing is charged or inserted.
-- expires_on is the partition of the inserted rows. overrides maps those of p_names that are in overrides to their action.
-- Locks: as ledger_post.
create function charge_validations(
  p_subject uuid, p_key uuid, p_retention_days integer, p_recent integer, p_rows json, p_names text[]
) returns table (outcome text, available bigint, expires_on date, overrides json)
  language plpgsql as $$
declare
  v_rows integer := json_array_length(p_rows);
begin
  if v_rows > 0 and exists (
    select from uncollected_results u
    where u.account_id = app_account()
      and u.email_key = any (array(select r.value ->> 'email_key' from json_array_elements(p_rows) r))
  ) then
    outcome := 'uncollected';
    return next;
    return;
  end if;

  select l.outcome, l.available into outcome, available
  from ledger_post('charge', v_rows + p_recent, p_subject, 0, p_key) l;
  if outcome = 'posted' then
    -- A validation is processed for up to 24 hours, so even an account without retention keeps the row for that long.
    expires_on := utc_today() + greatest(p_retention_days, 1);
    if v_rows > 0 then
      insert into validations (
        expires_on, account_id, key_id, id, email, email_key, ai, catchall, mailbox, domain_limited, reference, awaited_until)
      select charge_validations.expires_on, app_account(), p_key, r.id, r.email, r.email_key, r.ai, r.catchall, r.mailbox,
             r.domain_limited, r.reference, clock_timestamp() + make_interval(secs => r.timeout_ms / 1000.0)
      from json_to_recordset(p_rows) as r (
        id uuid, email text, email_key text, ai boolean, catchall boolean, mailbox boolean, domain_limited boolean,
        timeout_ms integer, reference text
      );
    end if;
    select json_object_agg(o.target, o.action) into overrides from overrides o
    where o.account_id = app_account() and o.target = any (p_names);
  end if;
  return next;
end
$$;

-- Claims open validations of any account for one worker and returns what the worker needs to process them.
-- Skips validations that are final, claimed by another worker, not yet due, or bound to an egress not in p_egresses. Ten
-- minutes after retry_at any worker can claim them.
-- Input: p_accounts and p_ids belong to partition p_expires_on. p_hold_s is the duration of the claim.
-- Output: the claimed rows. ai and catchall are true only if both the request and the plan allow them.
-- Locks: the claimed rows until commit.
create function claim_validations(p_expires_on date, p_accounts uuid[], p_ids uuid[], p_hold_s integer, p_egresses text[])
  returns table (
    expires_on date, account_id uuid, id uuid, email text, email_key text, attempts smallint, deferrals smallint, egress text,
    retention_days smallint, ai boolean, catchall boolean, send_threshold double precision,
    excluded_traits text[], mailbox boolean, domain_limited boolean
  )
  -- A custom plan knows p_expires_on and reads one partition; a generic plan would consider all of them.
  language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
begin
  return query
    update validations v set
      claimed_until = clock_timestamp() + make_interval(secs => p_hold_s),
      attempts = least(v.attempts + 1, 32000)
    from accounts a, plans p
    -- Arrays, so that the planner uses the primary key. For a join it can choose to scan the whole partition.
    where v.expires_on = p_expires_on and v.account_id = any (p_accounts) and v.id = any (p_ids)
      and v.state = 'open'
      and (v.claimed_until is null or v.claimed_until < clock_timestamp())
      and (v.retry_at is null or v.retry_at <= clock_timestamp())
      and (v.egress is null or v.egress = any (p_egresses) or v.retry_at < clock_timestamp() - interval '10 minutes')
      and a.id = v.account_id and p.name = a.plan
    returning v.expires_on, v.account_id, v.id, v.email, v.email_key, v.attempts, v.deferrals, v.egress,
      a.retention_days, v.ai and p.ai_enhancement, v.catchall and p.catchall_detection,
      a.send_threshold, a.excluded_traits, v.mailbox, v.domain_limited;
end
$$;

-- Ends open validations of the transaction's account. Refunds inconclusive results by the refund rule (is_refunded in billing.sql).
-- In one call, for workers that end groups. security definer: the only way in which the worker and maintenance end validations and
-- refund their credits. A validation was charged when its row was inserted, ends once, and is refunded at most once.
-- Input: p_days are the partitions of the validations. The other arrays are parallel, one element per validation. Without p_deferred,
-- validations whose client collects the result later stay open.
-- Output: the validations that were ended, whether each was refunded, and of deferred ones the key and the reference. Those that
-- ended before are not among them.
-- Locks: the ended rows; if any is refunded, also those of ledger_refund_validations, in the order of key ids.
create function finish_validations(
  p_days date[], p_ids uuid[], p_conclusive boolean[], p_results json[], p_deferred boolean
) returns table (validation_id uuid, refunded boolean, deferred boolean, email_key text, reference text)
  -- A custom plan knows p_days and updates their partitions; a generic plan would lock all of them.
  language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
declare
  v_refunds_unknown boolean;
  v_key uuid;
  v_ids uuid[];
  v_refunds uuid[] := '{}'; -- the validations to refund
  v_keys uuid[] := '{}'; -- their keys
begin
  select p.refund_unknown into v_refunds_unknown from accounts a join plans p on p.name = a.plan where a.id = app_account();

  for validation_id, v_key, refunded, deferred, email_key, reference in
    update validations v set
      state = 'final', conclusive = e.conclusive, result = e.result, finished_at = clock_timestamp(),
      refunded = case when e.conclusive then false
        else is_refunded(v_refunds_unknown, e.result ->> 'status', e.result ->> 'sub_status') end
    from unnest(p_ids, p_conclusive, p_results) as e (id, conclusive, result)
    -- p_ids again, so that the planner uses the primary key.
    where v.expires_on = any (p_days) and v.account_id = app_account() and v.id = any (p_ids) and v.id = e.id
      and v.state = 'open' and (p_deferred or v.deferred_at is null)
    returning v.id, v.key_id, v.refunded, v.deferred_at is not null, case when v.deferred_at is not null then v.email_key end,
      case when v.deferred_at is not null then v.reference end
  loop
    if refunded then
      v_keys := v_keys || v_key;
      v_refunds := v_refunds || validation_id;
    end if;
    return next;
  end loop;

  -- record_key_use locks the same rows of usage_days in this order, which prevents deadlocks.
  for v_key, v_ids in
    select r.key_id, array_agg(r.id) from unnest(v_keys, v_refunds) as r (key_id, id)
    group by r.key_id order by r.key_id nulls first
  loop
    perform ledger_refund_validations(v_ids, v_key);
  end loop;
end
$$;

-- Lists open validations of all accounts that no worker has claimed and that are due, oldest first.
-- Input: p_older_than_ms is the minimum age; p_egresses as in claim_validations. Output: the keys. Locks: none.
-- Every worker calls this every second. PL/pgSQL with a generic plan keeps the plan for the lifetime of the connection. An SQL
-- function was planned on each call over all partitions, which took ten times as long as its execution.
create function list_unclaimed_validations(p_older_than_ms integer, p_limit integer, p_egresses text[])
  returns table (expires_on date, account_id uuid, id uuid)
  language plpgsql stable security definer set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  return query
    select v.expires_on, v.account_id, v.id from validations v
    where v.state = 'open' and v.expires_on >= utc_today()
      and v.created_at < clock_timestamp() - make_interval(secs => p_older_than_ms / 1000.0)
      and (v.claimed_until is null or v.claimed_until < clock_timestamp())
      and (v.retry_at is null or v.retry_at <= clock_timestamp())
      and (v.egress is null or v.egress = any (p_egresses) or v.retry_at < clock_timestamp() - interval '10 minutes')
    order by v.created_at limit p_limit;
end
$$;

-- Notifies the workers through PostgreSQL (channel validations) that validations are waiting, for when Redis is unavailable.
-- Output: none. Locks: none.
create function wake_workers() returns void
  language sql
  begin atomic
    select pg_notify('validations', '');
  end;

-- Lists validations of all accounts that are still open although their expiry day is over. Maintenance ends them before it drops
-- their partition. Output: the keys. Locks: none.
create function list_expired_validations(p_limit integer)
  returns table (expires_on date, account_id uuid, id uuid)
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select v.expires_on, v.account_id, v.id from validations v
    where v.state = 'open' and v.expires_on < utc_today()
    limit p_limit;
  end;

-- Lists validations of the transaction's account that can contain an address: those with the local part of the key p_key, or if it is
-- null, those of texts that are no address. security definer, because row-level security keeps conditions on email_key from using an index.
-- Output: up to p_limit rows of partition p_expires_on after the id p_after, by id. Locks: none.
create function list_erasable_validations(p_expires_on date, p_key text, p_after uuid, p_limit integer)
  returns table (id uuid, email text, result json, provisional json)
  language plpgsql stable security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
begin
  if p_key is null then
    return query
      select v.id, v.email, v.result, v.provisional from validations v
      where v.expires_on = p_expires_on and v.account_id = app_account() and starts_with(v.email_key, ' ') and v.id > p_after
      order by v.id limit p_limit;
  else
    return query
      select v.id, v.email, v.result, v.provisional from validations v
      where v.expires_on = p_expires_on and v.account_id = app_account() and v.id > p_after
        and hashtextextended(split_part(v.email_key, '@', 1), 0) = hashtextextended(split_part(p_key, '@', 1), 0)
      order by v.id limit p_limit;
  end if;
end
$$;

-- ---- Rights ----

revoke execute on function
  charge_validations, finish_validations, list_overdue_validations, claim_idempotency, claim_validations, list_unclaimed_validations,
  wake_workers, list_expired_validations, list_erasable_validations
from public;

grant execute on function
  charge_validations, finish_validations, list_overdue_validations, claim_idempotency, claim_validations, list_unclaimed_validations,
  wake_workers, list_expired_validations, list_erasable_validations
to probity_app;
