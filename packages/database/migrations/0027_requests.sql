-- Requests as they were answered: what was asked for by its pattern, and what came of it. No address, no body and no query is here, so
-- rows leave by the operator's setting and not by the account's retention. The day is fixed when a row is inserted.
create table requests (
  expires_on date not null,
  account_id uuid not null, -- without a foreign key: only the function below writes here
  id uuid not null, -- of the Request-Id, what follows req_
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
-- Few are refused, and those are what is looked for.
create index requests_refused on requests (account_id, mode, at desc, id desc) where status >= 400;

alter table requests enable row level security;
create policy tenant on requests using (account_id = app_account());
grant select on requests to probity_app;

insert into partitioned_tables (name, days_ahead, follows_retention) values ('requests', 33, false);
select make_partitions();

-- What addresses were answered with, by day, for requests; lists have counts of their own.
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

-- The report of a process, for all accounts. What it reports twice, since it did not hear that it was taken, is there once.
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

-- In the order of the key, so that two processes never wait for each other.
create function record_verdicts(p_rows jsonb) returns void
  language sql security definer set search_path = public, pg_temp as $$
  insert into verdict_days (account_id, mode, day, status, count)
  select r.account_id, r.mode, r.day, r.status, r.count
  from jsonb_to_recordset(p_rows) as r (account_id uuid, mode text, day date, status text, count bigint)
  order by r.account_id, r.mode, r.day, r.status
  on conflict (account_id, mode, day, status) do update set count = verdict_days.count + excluded.count
$$;

revoke execute on function record_requests(jsonb, integer), record_verdicts(jsonb) from public;
grant execute on function record_requests(jsonb, integer), record_verdicts(jsonb) to probity_app;
