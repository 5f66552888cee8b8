-- Where customers want to be told of what happens. The secrets sign what is sent; the role of the product writes them and never
-- reads them: only claim_delivery hands them out, to whoever is about to sign.
create table webhook_endpoints (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts (id) on delete cascade,
  mode text not null check (mode in ('live', 'test')),
  url text not null check (octet_length(url) between 10 and 2048),
  description text not null default '' check (length(description) <= 200),
  events text[] not null default '{}' check (cardinality(events) <= 50), -- the types that are wanted; none named: all of them
  state text not null default 'enabled' check (state in ('enabled', 'disabled')),
  disabled_reason text check (disabled_reason in ('by_owner', 'gone', 'failing')),
  disabled_at timestamptz,
  failing_since timestamptz, -- the first failure that no success has followed
  secret text not null check (secret like 'whsec\_%'),
  previous_secret text, -- signs beside the new one until its time is over
  previous_until timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  check ((state = 'disabled') = (disabled_reason is not null)),
  check ((state = 'disabled') = (disabled_at is not null)),
  check ((previous_secret is null) = (previous_until is null))
);

create index webhook_endpoints_by_account on webhook_endpoints (account_id, created_at desc);

alter table webhook_endpoints enable row level security;
create policy tenant on webhook_endpoints using (account_id = app_account());
grant select (id, account_id, mode, url, description, events, state, disabled_reason, disabled_at, failing_since,
              previous_until, created_at) on webhook_endpoints to probity_app;
grant insert (account_id, mode, url, description, events, secret) on webhook_endpoints to probity_app;
grant update (url, description, events, state, disabled_reason, disabled_at, failing_since) on webhook_endpoints to probity_app;
grant delete on webhook_endpoints to probity_app;

-- What happened, as it is told. Inserted in the transaction that made it happen, so that neither is there without the other, and
-- only where somebody wants to know. Some bodies hold an address, so these rows leave with their partition.
create table webhook_events (
  expires_on date not null,
  account_id uuid not null,
  id uuid not null,
  mode text not null check (mode in ('live', 'test')),
  type text not null,
  -- The JSON as it is sent, the same bytes each time, since they are signed; null where the account keeps nothing and nobody waits
  -- for it any more.
  body text check (octet_length(body) <= 20480),
  forget boolean not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (expires_on, id, account_id)
) partition by range (expires_on);

alter table webhook_events enable row level security;
create policy tenant on webhook_events using (account_id = app_account());
grant select on webhook_events to probity_app;

insert into partitioned_tables (name, days_ahead, follows_retention) values ('webhook_events', 33, false);
select make_partitions();

-- One event on its way to one endpoint. Due from next_at on; whoever works on it has it until taken_until. The epoch grows each
-- time it is handed on, and only the latest holder's word counts.
create table webhook_deliveries (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null, -- without a foreign key: only the functions below write here
  endpoint_id uuid not null references webhook_endpoints (id) on delete cascade,
  expires_on date not null,
  event_id uuid not null,
  type text not null,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  tries smallint not null default 0, -- begun, since it was last set going: sending it again begins anew
  attempts integer not null default 0, -- brought to an end, in all
  next_at timestamptz,
  taken_until timestamptz,
  epoch integer not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  check ((state = 'pending') = (finished_at is null)),
  check ((state = 'pending') = (next_at is not null)),
  check (state = 'pending' or taken_until is null)
);

create index webhook_deliveries_by_endpoint on webhook_deliveries (endpoint_id, created_at desc);
create index webhook_deliveries_pending on webhook_deliveries (endpoint_id, next_at) where state = 'pending';
create index webhook_deliveries_taken on webhook_deliveries (endpoint_id, taken_until) where taken_until is not null;
create index webhook_deliveries_by_event on webhook_deliveries (event_id);
create index webhook_deliveries_by_expiry on webhook_deliveries (expires_on);

alter table webhook_deliveries enable row level security;
create policy tenant on webhook_deliveries using (account_id = app_account());
grant select on webhook_deliveries to probity_app;

-- What came of each try. Nothing of what the other side said but its status.
create table webhook_attempts (
  account_id uuid not null,
  delivery_id uuid not null references webhook_deliveries (id) on delete cascade,
  no integer not null,
  signed_at timestamptz not null, -- to the second, as it was told in webhook-timestamp
  signature text not null,
  status smallint,
  error text check (octet_length(error) <= 40),
  duration_ms integer not null,
  primary key (delivery_id, no),
  check ((status is null) = (error is not null))
);

alter table webhook_attempts enable row level security;
create policy tenant on webhook_attempts using (account_id = app_account());
grant select on webhook_attempts to probity_app;

-- A time as the interface writes it.
create function rfc3339(p_at timestamptz) returns text
  language sql stable
  return to_char(p_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- Whether anybody wants to hear of this, so that nobody writes it down in vain. One look into an index for most accounts.
create function is_event_wanted(p_mode text, p_type text) returns boolean
  language sql stable
  return exists (
    select from webhook_endpoints e
    where e.account_id = app_account() and e.mode = p_mode and e.state = 'enabled'
      and (cardinality(e.events) = 0 or p_type = any (e.events))
  );

-- An event of the transaction's tenant, told to nobody yet. What holds an address leaves with the account's retention; the rest stays
-- for long enough to be tried as often as we promise.
create function insert_event(p_mode text, p_type text, p_data json, p_holds_address boolean, p_at timestamptz) returns webhook_events
  language sql
  begin atomic
    insert into webhook_events (expires_on, account_id, id, mode, type, body, forget)
    select utc_today() + least(greatest(a.retention_days, case when p_holds_address then 1 else 4 end), 30), a.id,
      gen_random_uuid(), p_mode, p_type,
      json_build_object('type', p_type, 'timestamp', rfc3339(p_at), 'livemode', p_mode = 'live', 'data',
        -- Whatever somebody writes into a file's name or a column's, what is told of must not fail for the telling.
        case when octet_length(p_data::text) > 20000 then json_build_object('id', p_data -> 'id', 'omitted', true) else p_data end
      )::text,
      a.retention_days = 0
    from accounts a where a.id = app_account()
    returning *;
  end;

-- Tells the endpoints of the transaction's tenant that want it, or the one that is named, of something that happens in this very
-- transaction, or at a later time that is known already. Null where nobody wants it.
create function emit_event(
  p_mode text, p_type text, p_data json, p_holds_address boolean default false, p_only uuid default null,
  p_at timestamptz default clock_timestamp()
) returns uuid
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_endpoints uuid[];
  v_event webhook_events;
begin
  -- Locked against removal until the commit: a delivery to an endpoint that is gone would take the whole transaction down.
  select array_agg(e.id) into v_endpoints from (
    select e.id from webhook_endpoints e
    where e.account_id = app_account() and e.mode = p_mode and e.state = 'enabled'
      and (case when p_only is null then cardinality(e.events) = 0 or p_type = any (e.events) else e.id = p_only end)
    for key share
  ) e;
  if v_endpoints is null then
    return null;
  end if;
  v_event := insert_event(p_mode, p_type, p_data, p_holds_address, p_at);
  insert into webhook_deliveries (account_id, endpoint_id, expires_on, event_id, type, next_at)
  select v_event.account_id, e, v_event.expires_on, v_event.id, p_type, p_at from unnest(v_endpoints) e;
  return v_event.id;
end
$$;

-- Lets the next deliveries out: those that are due, the longest due first, but of one endpoint no more than four at a time, and one
-- where it fails: a slow or dead endpoint keeps nobody waiting but itself. One caller at a time; the others find nothing to do.
-- Never waits for a lock, so that nobody who waits for this one waits in a circle.
create function release_deliveries(p_max integer) returns table (account_id uuid, id uuid, epoch integer)
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not pg_try_advisory_xact_lock(hashtextextended('probity webhooks', 0)) then
    return;
  end if;
  return query
    with recursive endpoints (id) as ( -- those with anything to deliver, one look into the index for each
      (select d.endpoint_id from webhook_deliveries d where d.state = 'pending' order by d.endpoint_id limit 1)
      union all
      select (
        select d.endpoint_id from webhook_deliveries d
        where d.state = 'pending' and d.endpoint_id > e.id order by d.endpoint_id limit 1
      ) from endpoints e where e.id is not null
    ), due as (
      select d.id from endpoints w join webhook_endpoints e on e.id = w.id and e.state = 'enabled'
      cross join lateral (
        select d.id, d.next_at from webhook_deliveries d
        where d.endpoint_id = e.id and d.state = 'pending' and d.next_at <= clock_timestamp()
          and (d.taken_until is null or d.taken_until < clock_timestamp())
        order by d.next_at
        limit greatest(0, (case when e.failing_since is null then 4 else 1 end) - (
          select count(*) from webhook_deliveries t where t.endpoint_id = e.id and t.taken_until >= clock_timestamp()
        ))
        for update skip locked
      ) d
      order by e.failing_since is not null, d.next_at limit p_max
    )
    -- Time enough to be fetched from the queue. What is not was lost there, and is let out again.
    update webhook_deliveries d set taken_until = clock_timestamp() + interval '10 seconds', epoch = d.epoch + 1
    from due where d.id = due.id
    returning d.account_id, d.id, d.epoch;
end
$$;

-- Takes a delivery that was let out, and what it needs to be sent. No row where it is another's by now or has ended.
create function claim_delivery(p_id uuid, p_epoch integer, p_hold_s integer)
  returns table (
    account_id uuid, id uuid, epoch integer, tries smallint, mode text, type text, event_id uuid, body text, url text,
    secret text, previous_secret text
  )
  language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
declare
  v_delivery webhook_deliveries;
begin
  update webhook_deliveries d set epoch = d.epoch + 1, tries = least(d.tries + 1, 32000),
    taken_until = clock_timestamp() + make_interval(secs => p_hold_s)
  where d.id = p_id and d.epoch = p_epoch and d.state = 'pending'
  returning d.* into v_delivery;
  if not found then
    return;
  end if;
  return query
    select v_delivery.account_id, v_delivery.id, v_delivery.epoch, v_delivery.tries, e.mode, v_delivery.type,
      v_delivery.event_id, v.body, e.url, e.secret,
      case when e.previous_until > clock_timestamp() then e.previous_secret end
    from webhook_endpoints e left join webhook_events v
      on v.expires_on = v_delivery.expires_on and v.id = v_delivery.event_id and v.account_id = v_delivery.account_id
    where e.id = v_delivery.endpoint_id;
end
$$;

-- Removes the bodies of events of the transaction's tenant, where it keeps nothing and nobody waits for them.
create function forget_events(p_events uuid[]) returns void
  language plpgsql set plan_cache_mode = force_custom_plan as $$
begin
  update webhook_events v set body = null
  where v.expires_on >= utc_today() and v.account_id = app_account() and v.id = any (p_events) and v.forget
    and not exists (select from webhook_deliveries d where d.event_id = v.id and d.state = 'pending');
end
$$;

-- Sends nothing more to an endpoint of the transaction's tenant. What was on its way has failed and can be recovered. Where it was
-- not the owner's wish, notice of it stands in the endpoint's own log and goes to the account's other endpoints. False where it was
-- disabled before.
create function disable_webhook(p_endpoint uuid, p_reason text) returns boolean
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_endpoint webhook_endpoints;
  v_events uuid[];
  v_event webhook_events;
begin
  update webhook_endpoints e set state = 'disabled', disabled_reason = p_reason, disabled_at = clock_timestamp()
  where e.id = p_endpoint and e.account_id = app_account() and e.state = 'enabled'
  returning * into v_endpoint;
  if not found then
    return false;
  end if;
  with ended as (
    update webhook_deliveries d set state = 'failed', next_at = null, taken_until = null, finished_at = clock_timestamp()
    where d.endpoint_id = p_endpoint and d.state = 'pending'
    returning d.event_id
  )
  select array_agg(ended.event_id) into v_events from ended;
  perform forget_events(v_events);
  if p_reason = 'by_owner' then
    return true;
  end if;

  v_event := insert_event(v_endpoint.mode, 'webhook.disabled', json_build_object(
    'id', v_endpoint.id, 'url', v_endpoint.url, 'reason', p_reason, 'failing_since', rfc3339(v_endpoint.failing_since)
  ), false, clock_timestamp());
  insert into webhook_deliveries (account_id, endpoint_id, expires_on, event_id, type, state, next_at, finished_at)
  select e.account_id, e.id, v_event.expires_on, v_event.id, v_event.type,
    case e.id when p_endpoint then 'failed' else 'pending' end,
    case e.id when p_endpoint then null else clock_timestamp() end,
    case e.id when p_endpoint then clock_timestamp() end
  from (
    select e.account_id, e.id from webhook_endpoints e
    where e.account_id = v_endpoint.account_id and e.mode = v_endpoint.mode and (e.id = p_endpoint or (
      e.state = 'enabled' and (cardinality(e.events) = 0 or v_event.type = any (e.events))
    ))
    for key share
  ) e;
  return true;
end
$$;

-- Writes down what came of a try, for the transaction's tenant. Outcomes: `delivered`; `again`, after p_delay_ms; `given_up`; and
-- `gone`, which disables the endpoint. So do five days of nothing but failures. Answers `lost` where the delivery is another's by
-- now: it was taken for dead. The endpoint is locked before the delivery, here and by whoever disables or removes it.
create function settle_delivery(
  p_id uuid, p_epoch integer, p_outcome text, p_delay_ms double precision,
  p_signed_at timestamptz, p_signature text, p_status integer, p_error text, p_duration_ms integer
) returns text
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_endpoint webhook_endpoints;
  v_delivery webhook_deliveries;
begin
  select e.* into v_endpoint from webhook_endpoints e
  where e.account_id = app_account() and e.id = (select d.endpoint_id from webhook_deliveries d where d.id = p_id)
  for no key update;
  update webhook_deliveries d set attempts = d.attempts + 1, taken_until = null,
    state = case p_outcome when 'delivered' then 'delivered' when 'again' then 'pending' else 'failed' end,
    next_at = case p_outcome when 'again' then clock_timestamp() + make_interval(secs => p_delay_ms / 1000) end,
    finished_at = case p_outcome when 'again' then null else clock_timestamp() end
  where d.id = p_id and d.endpoint_id = v_endpoint.id and d.epoch = p_epoch and d.state = 'pending'
  returning * into v_delivery;
  if not found then
    return 'lost';
  end if;
  insert into webhook_attempts (account_id, delivery_id, no, signed_at, signature, status, error, duration_ms)
  values (v_delivery.account_id, p_id, v_delivery.attempts, p_signed_at, p_signature, p_status, p_error, p_duration_ms);

  if p_outcome = 'delivered' then
    update webhook_endpoints e set failing_since = null where e.id = v_endpoint.id and e.failing_since is not null;
  elsif v_endpoint.failing_since is null then
    update webhook_endpoints e set failing_since = clock_timestamp() where e.id = v_endpoint.id;
  end if;
  if p_outcome = 'gone' then
    perform disable_webhook(v_endpoint.id, 'gone');
  elsif p_outcome <> 'delivered' and v_endpoint.failing_since < clock_timestamp() - interval '5 days' then
    perform disable_webhook(v_endpoint.id, 'failing');
  end if;
  if v_delivery.state <> 'pending' then
    perform forget_events(array[v_delivery.event_id]);
  end if;
  return 'settled';
end
$$;

-- Sends deliveries of an endpoint of the transaction's tenant again, as if for the first time: the one that is named, however it
-- ended, or all that failed since a time. Says how many there are. What has left with its event cannot be sent.
create function resend_deliveries(p_endpoint uuid, p_delivery uuid, p_since timestamptz) returns integer
  language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
declare
  v_count integer;
begin
  perform 1 from webhook_endpoints e where e.id = p_endpoint and e.account_id = app_account() for no key update;
  with again as (
    update webhook_deliveries d set state = 'pending', tries = 0, next_at = clock_timestamp(), finished_at = null, epoch = d.epoch + 1
    where d.endpoint_id = p_endpoint and d.account_id = app_account() and d.taken_until is null
      and (case when p_delivery is null then d.state = 'failed' and d.created_at >= p_since else d.id = p_delivery end)
      and exists (
        select from webhook_events v
        where v.expires_on = d.expires_on and v.expires_on >= utc_today() and v.id = d.event_id and v.account_id = d.account_id
          and v.body is not null
      )
    returning 1
  )
  select count(*) into v_count from again;
  return v_count;
end
$$;

-- A new secret for an endpoint of the transaction's tenant. The one before signs beside it for a while, so that receivers can
-- change over without losing an event; of two rotations within that while the last two secrets count.
create function rotate_webhook_secret(p_endpoint uuid, p_secret text, p_hours integer) returns boolean
  language sql security definer set search_path = public, pg_temp
  begin atomic
    with rotated as (
      update webhook_endpoints e set secret = p_secret, previous_secret = e.secret,
        previous_until = clock_timestamp() + make_interval(hours => p_hours)
      where e.id = p_endpoint and e.account_id = app_account()
      returning 1
    )
    select exists (select from rotated);
  end;

-- Removes deliveries whose event has left, so many at a time.
create function remove_expired_deliveries(p_max integer) returns integer
  language sql security definer set search_path = public, pg_temp
  begin atomic
    with removed as (
      delete from webhook_deliveries d where d.id = any (array(
        select k.id from webhook_deliveries k where k.expires_on < utc_today() limit p_max for update skip locked
      ))
      returning 1
    )
    select count(*)::integer from removed;
  end;

-- When an account is told that its credits run low: below low_credits, or else below a tenth of the last grant, or below a hundred
-- where nothing was ever granted. Told once, and again only after the balance was above it.
alter table accounts
  add column low_credits bigint check (low_credits >= 0),
  add column last_grant bigint,
  add column credits_low boolean not null default true; -- an account begins with nothing, and need not be told

grant update (low_credits) on accounts to probity_app;

create function low_credits_of(p_account accounts) returns bigint
  language sql immutable
  return coalesce(p_account.low_credits, ceil(p_account.last_grant / 10.0)::bigint, 100);

-- Moves an account's balances, and the day's usage with them, by what was written to its ledger in the same transaction.
create or replace function balance_move(p_account uuid, p_kind ledger_kinds, p_credits bigint, p_key uuid) returns void
  language plpgsql as $$
declare
  v_was_low boolean;
  v_account accounts;
begin
  -- The callers hold the account's lock, so that what is read of it beside the update is what is updated.
  select a.credits_low into v_was_low from accounts a where a.id = p_account;
  update accounts a set
    available = a.available + p_credits * p_kind.available,
    reserved = a.reserved + p_credits * p_kind.reserved,
    spent = a.spent + p_credits * p_kind.spent,
    last_grant = case p_kind.kind when 'grant' then p_credits else a.last_grant end,
    credits_low = not a.unlimited and a.available + p_credits * p_kind.available < case
      when p_kind.kind = 'grant' then coalesce(a.low_credits, ceil(p_credits / 10.0)::bigint) else low_credits_of(a) end
  where a.id = p_account
  returning a.* into v_account;
  if v_account.credits_low and not v_was_low then
    perform emit_event('live', 'credits.low', json_build_object(
      'available', v_account.available, 'threshold', low_credits_of(v_account), 'reserved', v_account.reserved
    ));
  end if;

  if p_kind.kind not in ('grant', 'adjust') then
    insert into usage_days (account_id, day, key_id, credits_used, credits_committed)
    values (p_account, utc_today(), coalesce(p_key, '00000000-0000-0000-0000-000000000000'),
            p_credits * p_kind.spent, -p_credits * p_kind.available)
    on conflict (account_id, day, key_id) do update set
      credits_used = usage_days.credits_used + excluded.credits_used,
      credits_committed = usage_days.credits_committed + excluded.credits_committed;
  end if;
end
$$;

revoke execute on function
  insert_event(text, text, json, boolean, timestamptz), emit_event(text, text, json, boolean, uuid, timestamptz), release_deliveries(integer),
  claim_delivery(uuid, integer, integer), forget_events(uuid[]), disable_webhook(uuid, text),
  settle_delivery(uuid, integer, text, double precision, timestamptz, text, integer, text, integer),
  resend_deliveries(uuid, uuid, timestamptz), rotate_webhook_secret(uuid, text, integer), remove_expired_deliveries(integer)
  from public;
grant execute on function
  emit_event(text, text, json, boolean, uuid, timestamptz), release_deliveries(integer), claim_delivery(uuid, integer, integer),
  disable_webhook(uuid, text),
  settle_delivery(uuid, integer, text, double precision, timestamptz, text, integer, text, integer),
  resend_deliveries(uuid, uuid, timestamptz), rotate_webhook_secret(uuid, text, integer), remove_expired_deliveries(integer)
  to probity_app;
