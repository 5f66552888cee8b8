-- Usage of the API: requests, credits and verdicts per account, for the usage pages and the request log;
-- addresses per mail domain, for the abuse limits.
-- probity_app reads the rows of its account and writes only through functions; probity_operator reads usage_days.

-- ---- Tables ----

-- A row is the usage of one API key on one day (UTC). It is deleted with its account.
-- apply_to_balance writes the credits in the transaction that changes the balance, so they are exact. Each process counts
-- requests in memory and reports them in batches; a killed process loses the counts of its last seconds.
create table usage_days (
  account_id uuid not null references accounts (id) on delete cascade,
  day date not null,
  key_id uuid not null, -- all zeros for usage without a key, for example in the web app
  requests bigint not null default 0,
  credits_used bigint not null default 0, -- charges and settlements minus refunds
  credits_committed bigint not null default 0, -- charges and reservations minus releases and refunds; the monthly cap uses it
  -- Refunds on this day. credits_used already subtracts them; a refund can belong to a charge of an earlier day.
  credits_refunded bigint not null default 0,
  primary key (account_id, day, key_id)
);

alter table usage_days enable row level security;
create policy tenant on usage_days using (account_id = app_account());
grant select on usage_days to probity_app;
create policy operator on usage_days to probity_operator using (true);
grant select on usage_days to probity_operator;

-- A row is one API request: the route pattern and the outcome, without address, body and query string.
-- The operator's setting REQUEST_LOG_DAYS, not the account's retention, sets expires_on when the row is written.
-- Partitioned by expires_on: rows are deleted by dropping the partition of an expired day.
create table requests (
  expires_on date not null,
  account_id uuid not null, -- no foreign key: only record_requests writes rows
  id uuid not null, -- the Request-Id without the prefix req_
  at timestamptz not null,
  mode text not null check (mode in ('live', 'test')),
  source text not null check (octet_length(source) <= 20),
  method text not null check (octet_length(method) <= 10),
  route text not null check (octet_length(route) <= 200),
  status smallint not null,
  code text check (octet_length(code) <= 60),
  key_id uuid,
  duration_ms integer not null check (duration_ms >= 0),
  verdict text check (octet_length(verdict) <= 20),
  sub_status text check (octet_length(sub_status) <= 60),
  credits integer,
  validation_id uuid,
  primary key (expires_on, account_id, id)
) partition by range (expires_on);

create index requests_by_time on requests (account_id, mode, at desc, id desc);
-- Partial: rejected requests are rare, and searches in the request log are mostly for them.
create index requests_refused on requests (account_id, mode, at desc, id desc) where status >= 400;

alter table requests enable row level security;
create policy tenant on requests using (account_id = app_account());
grant select on requests to probity_app;

-- A row counts the verdicts with one status that an account received in synchronous requests on one day.
-- It is deleted with its account. Jobs are not included; job_counts has their counts.
create table verdict_days (
  account_id uuid not null references accounts (id) on delete cascade,
  mode text not null check (mode in ('live', 'test')),
  day date not null,
  status text not null check (octet_length(status) <= 20),
  count bigint not null,
  primary key (account_id, mode, day, status)
);

alter table verdict_days enable row level security;
create policy tenant on verdict_days using (account_id = app_account());
grant select on verdict_days to probity_app;

-- A row counts the addresses of a mail domain (registrable domain, not of a free provider) that an account has submitted on a UTC
-- day, while the abuse limits are on. Written by count_domain_addresses; deleted after the day by delete_old_domain_days.
create table account_domain_days (
  account_id uuid not null references accounts (id) on delete cascade,
  day date not null,
  domain text not null check (octet_length(domain) <= 253),
  addresses integer not null check (addresses > 0),
  primary key (account_id, day, domain)
);

create index account_domain_days_by_day on account_domain_days (day);

alter table account_domain_days enable row level security;
create policy tenant on account_domain_days using (account_id = app_account());
grant select on account_domain_days to probity_app;

-- ---- Functions ----

-- Adds the requests that one process counted since its last report, for keys of any account.
-- Input: parallel arrays, one element per key; an element of p_last_requests is null if there is no last request to store.
-- Output: none. Keys that do not exist are ignored.
-- Locks: the key rows (no key update) in id order, then the usage_days rows in key order, until commit.
create function record_key_use(p_keys uuid[], p_requests bigint[], p_last_used timestamptz[], p_last_requests jsonb[])
  returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  -- All processes lock keys in the same order, which prevents deadlocks between two reports.
  perform 1 from api_keys where id = any (p_keys) order by id for no key update;

  update api_keys k set last_used_at = greatest(k.last_used_at, u.last_used)
  from unnest(p_keys, p_last_used) as u (key_id, last_used) where k.id = u.key_id;

  insert into usage_days (account_id, day, key_id, requests)
  select k.account_id, utc_today(), k.id, u.requests
  from unnest(p_keys, p_requests) as u (key_id, requests) join api_keys k on k.id = u.key_id
  order by k.account_id, k.id
  on conflict (account_id, day, key_id) do update set requests = usage_days.requests + excluded.requests;

  -- All timestamps have the format of rfc3339, so their text order is their time order.
  update api_keys k set last_request = u.last_request
  from unnest(p_keys, p_last_requests) as u (key_id, last_request)
  where k.id = u.key_id and u.last_request is not null
    and (k.last_request is null or u.last_request ->> 'occurred_at' >= k.last_request ->> 'occurred_at');
end
$$;

-- Writes the requests that one process reports, for any accounts.
-- Input: p_rows is an array of objects with the columns of requests; p_days is added to the request's day to get expires_on.
-- Output: none. Rows that exist are ignored, so a process can repeat a report whose success it could not confirm.
-- Locks: none beyond the inserted rows.
create function record_requests(p_rows jsonb, p_days integer) returns void
  language sql security definer set search_path = public, pg_temp as $$
  insert into requests (expires_on, account_id, id, at, mode, source, method, route, status, code, key_id, duration_ms, verdict,
                        sub_status, credits, validation_id)
  select (r.at at time zone 'utc')::date + p_days, r.account_id, r.id, r.at, r.mode, r.source, r.method, r.route, r.status, r.code,
         r.key_id, r.duration_ms, r.verdict, r.sub_status, r.credits, r.validation_id
  from jsonb_to_recordset(p_rows) as r (
    account_id uuid, id uuid, at timestamptz, mode text, source text, method text, route text, status smallint, code text, key_id uuid,
    duration_ms integer, verdict text, sub_status text, credits integer, validation_id uuid
  )
  on conflict do nothing
$$;

-- Adds the verdicts that one process counted since its last report, for any accounts.
-- Input: p_rows is an array of objects with the columns of verdict_days.
-- Output: none.
-- Locks: the verdict_days rows in key order, which prevents deadlocks between two reports.
create function record_verdict_days(p_rows jsonb) returns void
  language sql security definer set search_path = public, pg_temp as $$
  insert into verdict_days (account_id, mode, day, status, count)
  select r.account_id, r.mode, r.day, r.status, r.count
  from jsonb_to_recordset(p_rows) as r (account_id uuid, mode text, day date, status text, count bigint)
  order by r.account_id, r.mode, r.day, r.status
  on conflict (account_id, mode, day, status) do update set count = verdict_days.count + excluded.count
$$;

-- Returns the credits of a key lineage that remain in the current UTC month: the monthly cap of its newest key, less the credits
-- that its keys and the keys that they created have committed (charged and reserved, less releases and refunds).
-- Output: null if the lineage has no cap; negative if the cap was lowered below the committed credits.
-- Locks: none.
create function remaining_key_credits(p_account uuid, p_lineage uuid) returns bigint
  language sql stable
  return (
    select k.monthly_cap - (
      select coalesce(sum(u.credits_committed), 0)::bigint from api_keys f join usage_days u on u.key_id = f.id
      where f.account_id = p_account and f.lineages @> array[p_lineage]
        and u.account_id = p_account and u.day >= date_trunc('month', utc_today())::date
    )
    from api_keys k
    where k.account_id = p_account and k.lineages[1] = p_lineage and k.replaced_by is null and k.monthly_cap is not null
  );

-- Returns the credits that an API key can still commit in the current UTC month, within its own cap and the caps of the keys
-- that created it. Output: null if there is no cap. Locks: none.
create function remaining_key_cap(p_account uuid, p_key uuid) returns bigint
  language sql stable
  return (
    select min(remaining_key_credits(p_account, l)) from api_keys k cross join unnest(k.lineages) l
    where k.id = p_key and k.account_id = p_account
  );

-- Lists keys of all accounts that have expired and whose key.expired event was not emitted. Locks: none.
create function list_expired_keys(p_max integer) returns table (account_id uuid, id uuid)
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select k.account_id, k.id from api_keys k
    where k.expires_at <= clock_timestamp() and k.revoked_at is null and k.expired_event_at is null
    order by k.expires_at limit p_max;
  end;

-- Marks the key.expired event of a key of the transaction's account as emitted.
-- Output: the key without its hash, for the event; no row if the event was emitted before. Locks: the key row until commit.
create function mark_expired_key(p_key uuid)
  returns table (
    id uuid, name text, mode text, hint text, scopes text[], created_at timestamptz, expires_at timestamptz,
    paused_at timestamptz, revoked_at timestamptz, replaces uuid, replaced_by uuid
  )
  language sql security definer set search_path = public, pg_temp
  begin atomic
    update api_keys k set expired_event_at = clock_timestamp()
    where k.id = p_key and k.account_id = app_account() and k.expires_at <= clock_timestamp() and k.revoked_at is null
      and k.expired_event_at is null
    returning k.id, k.name, k.mode, k.hint, k.scopes, k.created_at, k.expires_at, k.paused_at, k.revoked_at, k.replaces, k.replaced_by;
  end;

-- Counts addresses of mail domains toward the daily limit per domain of the transaction's account. The limit is p_base plus one
-- address for every ten credits that the account has bought.
-- Input: parallel arrays of distinct domains and numbers of addresses.
-- Output: the domain that exceeds the limit most, with its addresses of the day and the limit; no row if none exceeds it. The caller
-- must hold the job for review.
-- Locks: the counted rows, in the order of their domains, until commit.
create function count_domain_addresses(p_domains text[], p_counts integer[], p_base integer)
  returns table (domain text, addresses integer, addresses_max bigint)
  language plpgsql security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  v_account uuid := app_account();
  v_max bigint := p_base + paid_credits(v_account) / 10;
begin
  return query
    with counted as (
      insert into account_domain_days as d (account_id, day, domain, addresses)
      select v_account, utc_today(), n.domain, n.count from unnest(p_domains, p_counts) as n (domain, count)
      order by n.domain
      on conflict (account_id, day, domain) do update set addresses = d.addresses + excluded.addresses
      returning d.domain, d.addresses
    )
    select c.domain, c.addresses, v_max from counted c where c.addresses > v_max order by c.addresses desc, c.domain limit 1;
end
$$;

-- Counts addresses of mail domains as count_domain_addresses does, but only those within the limit.
-- Input: as count_domain_addresses.
-- Output: the number of addresses beyond the limit, for each domain that exceeds it. The caller must not probe these addresses.
-- Locks: the counted rows, in the order of their domains, until commit.
create function admit_domain_addresses(p_domains text[], p_counts integer[], p_base integer)
  returns table (domain text, excess integer)
  language plpgsql security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  v_account uuid := app_account();
  v_max bigint := p_base + paid_credits(v_account) / 10;
begin
  for domain, excess in
    with counted as (
      insert into account_domain_days as d (account_id, day, domain, addresses)
      select v_account, utc_today(), n.domain, n.count from unnest(p_domains, p_counts) as n (domain, count)
      order by n.domain
      on conflict (account_id, day, domain) do update set addresses = d.addresses + excluded.addresses
      returning d.domain, d.addresses
    )
    -- A list that an operator released can have counted more than the limit.
    select c.domain, least(n.count, c.addresses - v_max)
    from counted c join unnest(p_domains, p_counts) as n (domain, count) on n.domain = c.domain
    where c.addresses > v_max
  loop
    update account_domain_days d set addresses = d.addresses - excess
    where d.account_id = v_account and d.day = utc_today() and d.domain = admit_domain_addresses.domain;
    return next;
  end loop;
end
$$;

-- Deletes the counts of past days of all accounts.
-- Output: the number of deleted rows.
-- Locks: the deleted rows.
create function delete_old_domain_days() returns bigint
  language sql security definer set search_path = public, pg_temp
  begin atomic
    with gone as (
      delete from account_domain_days where day < utc_today() returning 1
    )
    select count(*) from gone;
  end;

-- ---- Rights ----

revoke execute on function
  record_key_use, record_requests, record_verdict_days, list_expired_keys, mark_expired_key
from public;

grant execute on function
  record_key_use, record_requests, record_verdict_days
to probity_app;

revoke execute on function remaining_key_credits, remaining_key_cap from public;
grant execute on function remaining_key_credits, remaining_key_cap to probity_app;

revoke execute on function count_domain_addresses, admit_domain_addresses, delete_old_domain_days from public;
grant execute on function count_domain_addresses, admit_domain_addresses, delete_old_domain_days to probity_app;
