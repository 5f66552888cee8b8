-- What the doctor found, as of its last look: one row for each check and thing it looked at. `host` is the host that looked, '' for what is the
-- same whoever looks. No row tells of a customer.
create table doctor_findings (
  host text not null check (octet_length(host) <= 300),
  check_id text not null check (octet_length(check_id) <= 100),
  subject text not null check (octet_length(subject) <= 1000),
  status text not null check (status in ('fail', 'warn', 'unknown', 'pass')),
  saw text not null,
  fix jsonb,
  looked_at timestamptz not null default clock_timestamp(),
  since timestamptz not null default clock_timestamp(),
  primary key (host, check_id, subject)
);
grant select on doctor_findings to probity_operator;

-- When each host looked last. Several workers on one host take turns.
create table doctor_rounds (
  host text primary key check (octet_length(host) <= 300),
  began_at timestamptz not null,
  ended_at timestamptz
);
-- When an operator last asked for another look.
create table doctor_wishes (only_one boolean primary key default true check (only_one), wanted_at timestamptz not null);
insert into doctor_wishes (wanted_at) values ('-infinity');
grant select on doctor_rounds, doctor_wishes to probity_operator;

-- Whether it is this worker's turn to look: nobody on its host began within the hour, or who did was stopped in the middle, or somebody asked for
-- it since.
create function begin_doctor_round(p_host text) returns boolean
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into doctor_rounds as r (host, began_at) values (p_host, clock_timestamp())
  on conflict (host) do update set began_at = clock_timestamp(), ended_at = null
  where r.began_at < clock_timestamp() - interval '1 hour' or r.began_at < (select wanted_at from doctor_wishes)
    or (r.ended_at is null and r.began_at < clock_timestamp() - interval '5 minutes');
  return found;
end
$$;

-- Puts what was found in the place of what the host found before, and says what has changed. `since` stays while the status does. What a host
-- found that has not looked for a day is removed.
create function keep_findings(p_host text, p_rows jsonb)
  returns table (check_id text, subject text, was text, status text)
  language plpgsql security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update doctor_rounds r set ended_at = clock_timestamp() where r.host = p_host;
  delete from doctor_rounds r where r.began_at < clock_timestamp() - interval '1 day';
  delete from doctor_findings f where f.looked_at < clock_timestamp() - interval '1 day';
  return query
  with found as (
    select case when r.shared then '' else p_host end as host, r.check_id, r.subject, r.status, r.saw, r.fix
    from jsonb_to_recordset(p_rows) as r (shared boolean, check_id text, subject text, status text, saw text, fix jsonb)
  ), before as (
    select f.host, f.check_id, f.subject, f.status from doctor_findings f where f.host in ('', p_host)
  ), gone as (
    delete from doctor_findings f
    where f.host in ('', p_host)
      and not exists (select from found n where (n.host, n.check_id, n.subject) = (f.host, f.check_id, f.subject))
  ), kept as (
    insert into doctor_findings as f (host, check_id, subject, status, saw, fix)
    select n.host, n.check_id, n.subject, n.status, n.saw, n.fix from found n
    order by n.host, n.check_id, n.subject -- in one order, so that two workers never wait for each other in a circle
    on conflict (host, check_id, subject) do update set
      status = excluded.status, saw = excluded.saw, fix = excluded.fix, looked_at = clock_timestamp(),
      since = case when f.status = excluded.status then f.since else clock_timestamp() end
  )
  select n.check_id, n.subject, b.status, n.status
  from found n left join before b on (b.host, b.check_id, b.subject) = (n.host, n.check_id, n.subject)
  where b.status is distinct from n.status;
end
$$;

-- Once a minute at most: a look asks mail servers, block lists and the public address.
create function want_doctor() returns boolean
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update doctor_wishes set wanted_at = clock_timestamp() where wanted_at < clock_timestamp() - interval '1 minute';
  return found;
end
$$;

revoke execute on function begin_doctor_round(text), keep_findings(text, jsonb), want_doctor() from public;
grant execute on function begin_doctor_round(text), keep_findings(text, jsonb) to probity_app;
grant execute on function want_doctor() to probity_operator;

-- By it the doctor shows the api that it is one of us, when it comes by the public address.
insert into secrets values ('doctor', sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'utf8')));
