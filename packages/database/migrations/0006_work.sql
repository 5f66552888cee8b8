-- How work on an open validation is shared out. A worker takes a row for a while; when the while is over and the row is still
-- open, the worker is taken for dead and the row may be had again.
alter table validations
  add column taken_until timestamptz,
  add column attempts smallint not null default 0,
  add column next_attempt_at timestamptz;

grant update (taken_until, next_attempt_at) on validations to probity_app;

-- Takes open rows of one day, whoever owns them, and tells the worker what to do. Rows that another worker holds, that have
-- ended or that must not be tried yet are left out.
create function take_validations(p_expires_on date, p_accounts uuid[], p_ids uuid[], p_hold_s integer)
  returns table (
    expires_on date, account_id uuid, id uuid, email text, email_key text, attempts smallint,
    refund_unknown boolean, retention_days smallint
  )
  -- Planned anew each time: with the day in hand the planner looks at one partition, without it at all of them.
  language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
begin
  return query
    update validations v set
      taken_until = clock_timestamp() + make_interval(secs => p_hold_s),
      attempts = least(v.attempts + 1, 32000)
    from accounts a, plans p
    -- By lists, so that the primary key finds each row: a join may be taken for a reason to read the whole day.
    where v.expires_on = p_expires_on and v.account_id = any (p_accounts) and v.id = any (p_ids)
      and v.state = 'open'
      and (v.taken_until is null or v.taken_until < clock_timestamp())
      and (v.next_attempt_at is null or v.next_attempt_at <= clock_timestamp())
      and a.id = v.account_id and p.name = a.plan
    returning v.expires_on, v.account_id, v.id, v.email, v.email_key, v.attempts, p.refund_unknown, a.retention_days;
end
$$;

-- Open rows that nobody holds and that have waited a while: the queue lost them, or there was no queue. Oldest first.
create function list_waiting_validations(p_older_than_ms integer, p_limit integer)
  returns table (expires_on date, account_id uuid, id uuid)
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select v.expires_on, v.account_id, v.id from validations v
    where v.state = 'open' and v.expires_on >= utc_today()
      and v.created_at < clock_timestamp() - make_interval(secs => p_older_than_ms / 1000.0)
      and (v.taken_until is null or v.taken_until < clock_timestamp())
      and (v.next_attempt_at is null or v.next_attempt_at <= clock_timestamp())
    order by v.created_at limit p_limit;
  end;

revoke execute on function
  take_validations(date, uuid[], uuid[], integer), list_waiting_validations(integer, integer) from public;
grant execute on function
  take_validations(date, uuid[], uuid[], integer), list_waiting_validations(integer, integer) to probity_app;

-- Refunds one credit for each of several validations of the transaction's tenant: ledger_post for a crowd, with one lock and
-- one movement of the balance. A validation that was refunded before is passed over.
create function ledger_refund_each(p_subjects uuid[], p_key uuid) returns bigint
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_kind ledger_kinds;
  v_account uuid;
  v_count bigint;
begin
  select * into strict v_kind from ledger_kinds k where k.kind = 'refund';
  select a.id into strict v_account from accounts a where a.id = app_account() for no key update;

  with posted as (
    insert into ledger (account_id, kind, subject, part, d_available, d_reserved, d_spent, key_id)
    select v_account, v_kind.kind, s, 0, v_kind.available, v_kind.reserved, v_kind.spent, p_key
    from unnest(p_subjects) as s
    on conflict (account_id, kind, subject, part) do nothing
    returning 1
  )
  select count(*) into v_count from posted;
  if v_count > 0 then
    perform balance_move(v_account, v_kind, v_count, p_key);
  end if;
  return v_count;
end
$$;
revoke execute on function ledger_refund_each(uuid[], uuid) from public;
grant execute on function ledger_refund_each(uuid[], uuid) to probity_app;

-- Secrets of this installation, made here so that nobody has to think of them. What is kept in Redis under an address is kept
-- under its HMAC with such a secret, which Redis does not know.
create table secrets (
  name text primary key,
  value bytea not null
);
insert into secrets values
  ('recent_results', sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'utf8')));
grant select on secrets to probity_app;

-- Wakes the workers where Redis cannot.
create function call_workers() returns void
  language sql
  begin atomic
    select pg_notify('validations', '');
  end;
grant execute on function call_workers() to probity_app;

-- The door also learns how many validations the account may have under way and what its plan switches on.
drop function find_api_key(bytea);
create function find_api_key(p_hash bytea)
  returns table (
    id uuid, account_id uuid, mode text, name text, scopes text[], ip_allow_list text[],
    expires_at timestamptz, paused_at timestamptz, revoked_at timestamptz, retention_days smallint,
    plan text, api_access boolean, requests_per_window integer, window_s integer, interactive_in_flight integer,
    refund_unknown boolean
  )
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select k.id, k.account_id, k.mode, k.name, k.scopes, k.ip_allow_list,
           k.expires_at, k.paused_at, k.revoked_at, a.retention_days,
           p.name, p.api_access, p.requests_per_window, p.window_s, p.interactive_in_flight,
           p.refund_unknown
    from api_keys k join accounts a on a.id = k.account_id join plans p on p.name = a.plan
    where k.hash = p_hash;
  end;
revoke execute on function find_api_key(bytea) from public;
grant execute on function find_api_key(bytea) to probity_app;
