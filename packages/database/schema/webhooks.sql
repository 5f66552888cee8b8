-- Webhooks: endpoints, events, deliveries and attempts, and the functions that emit events and process deliveries.
-- probity_app manages endpoints and reads the other tables; it writes events, deliveries and attempts through the security
-- definer functions only. probity_operator sees the state and times of deliveries.

-- ---- Tables ----

-- One row per webhook endpoint of an account. probity_app can write the signing secret but not read it: only claim_delivery
-- returns it, to the worker that signs a request.
create table webhook_endpoints (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts (id) on delete cascade,
  mode text not null check (mode in ('live', 'test')),
  url text not null check (octet_length(url) between 10 and 2048),
  description text not null default '' check (length(description) <= 200),
  events text[] not null default '{}' check (cardinality(events) <= 50), -- subscribed event types; empty means all
  state text not null default 'enabled' check (state in ('enabled', 'disabled')),
  disabled_reason text check (disabled_reason in ('by_owner', 'gone', 'failing')),
  disabled_at timestamptz,
  failing_since timestamptz, -- first failed attempt since the last successful one
  secret text not null check (secret like 'whsec\_%'),
  previous_secret text, -- signs together with the new secret until previous_until
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

-- One row per event with at least one delivery. Inserted in the transaction that causes the event, so that both
-- commit or neither does. Partitioned by expires_on, because some bodies contain an address and must expire.
create table webhook_events (
  expires_on date not null,
  account_id uuid not null,
  id uuid not null,
  mode text not null check (mode in ('live', 'test')),
  type text not null,
  -- The JSON text as sent; text, because each attempt must sign the same bytes. Null if discard_body is set and no delivery is
  -- pending.
  body text check (octet_length(body) <= 20480),
  discard_body boolean not null, -- the account has a retention of 0 days
  created_at timestamptz not null default clock_timestamp(),
  primary key (expires_on, id, account_id)
) partition by range (expires_on);

alter table webhook_events enable row level security;
create policy tenant on webhook_events using (account_id = app_account());
grant select on webhook_events to probity_app;

-- One delivery of an event to an endpoint. It is due at next_at; a worker has claimed it until claimed_until. epoch increases
-- with each dispatch and claim, and only the latest claim can record a result.
-- Not partitioned: delete_expired_deliveries deletes rows whose event has expired.
create table webhook_deliveries (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null, -- no foreign key: only the functions below write rows
  endpoint_id uuid not null references webhook_endpoints (id) on delete cascade,
  expires_on date not null,
  event_id uuid not null,
  type text not null,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  attempts_begun smallint not null default 0, -- attempts started since the last (re)send
  attempts integer not null default 0, -- attempts completed in total
  next_at timestamptz,
  claimed_until timestamptz,
  epoch integer not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  check ((state = 'pending') = (finished_at is null)),
  check ((state = 'pending') = (next_at is not null)),
  check (state = 'pending' or claimed_until is null)
);

create index webhook_deliveries_by_endpoint on webhook_deliveries (endpoint_id, created_at desc);
create index webhook_deliveries_pending on webhook_deliveries (endpoint_id, next_at) where state = 'pending';
create index webhook_deliveries_claimed on webhook_deliveries (endpoint_id, claimed_until) where claimed_until is not null;
create index webhook_deliveries_by_event on webhook_deliveries (event_id);
create index webhook_deliveries_by_expiry on webhook_deliveries (expires_on);

alter table webhook_deliveries enable row level security;
create policy tenant on webhook_deliveries using (account_id = app_account());
grant select on webhook_deliveries to probity_app;
create policy operator on webhook_deliveries to probity_operator using (true);
grant select (account_id, state, next_at, claimed_until, created_at) on webhook_deliveries to probity_operator;

-- One row per completed attempt of a delivery. Of the response only the status is stored. Deleted with the delivery.
create table webhook_attempts (
  account_id uuid not null,
  delivery_id uuid not null references webhook_deliveries (id) on delete cascade,
  no integer not null,
  signed_at timestamptz not null, -- the webhook-timestamp header, in whole seconds
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

-- ---- Functions ----

-- Returns whether an enabled endpoint of the transaction's account subscribes to the event type, so that the API and workers
-- build no event in vain. Locks: none.
create function has_event_subscriber(p_mode text, p_type text) returns boolean
  language sql stable
  return exists (
    select from webhook_endpoints e
    where e.account_id = app_account() and e.mode = p_mode and e.state = 'enabled'
      and (cardinality(e.events) = 0 or p_type = any (e.events))
  );

-- Inserts an event of the transaction's account, without deliveries.
-- Input: p_at is the timestamp in the body. Events with p_holds_address expire with the account's retention, but after 1 day at
-- least; other events after 4 days at least, so that all promised attempts fit. Both expire after 30 days at most.
-- Output: the event row. Locks: none.
create function insert_event(p_mode text, p_type text, p_data json, p_holds_address boolean, p_at timestamptz)
  returns webhook_events
  language sql
  begin atomic
    insert into webhook_events (expires_on, account_id, id, mode, type, body, discard_body)
    select utc_today() + least(greatest(a.retention_days, case when p_holds_address then 1 else 4 end), 30), a.id,
      gen_random_uuid(), p_mode, p_type,
      json_build_object('type', p_type, 'timestamp', rfc3339(p_at), 'livemode', p_mode = 'live', 'data',
        -- Data can contain file and column names of any length. An oversized event must not fail the transaction.
        case when octet_length(p_data::text) > 20000 then json_build_object('id', p_data -> 'id', 'omitted', true) else p_data end
      )::text,
      a.retention_days = 0
    from accounts a where a.id = app_account()
    returning *;
  end;

-- Inserts an event of the transaction's account and one pending delivery for each enabled endpoint that subscribes to it.
-- Input: p_only sends the event to that endpoint alone, whatever it subscribes to. p_at in the future delays the deliveries.
-- Output: the event id, or null if no endpoint receives the event.
-- Locks: the endpoint rows (key share) until commit.
create function emit_event(
  p_mode text, p_type text, p_data json, p_holds_address boolean default false, p_only uuid default null,
  p_at timestamptz default clock_timestamp()
) returns uuid
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_endpoints uuid[];
  v_event webhook_events;
begin
  -- The key share lock prevents deletion of the endpoint until commit. Without it, the foreign key of a delivery could fail
  -- and abort the whole transaction.
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

-- Selects up to p_max due deliveries for the queue, those of failing endpoints last, otherwise longest due first. At most four
-- deliveries of an endpoint are claimed at once, one if the endpoint is failing, so that a slow endpoint delays only itself.
-- Output: the dispatched deliveries; none if another process is dispatching.
-- Locks: advisory lock 'probity webhooks' and the delivery rows (update) until commit. It never waits for a lock, so it cannot be
-- part of a deadlock.
create function dispatch_deliveries(p_max integer) returns table (account_id uuid, id uuid, epoch integer)
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not pg_try_advisory_xact_lock(hashtextextended('probity webhooks', 0)) then
    return;
  end if;
  return query
    with recursive endpoints (id) as ( -- loose index scan: endpoints with pending deliveries
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
          and (d.claimed_until is null or d.claimed_until < clock_timestamp())
        order by d.next_at
        limit greatest(0, (case when e.failing_since is null then 4 else 1 end) - (
          select count(*) from webhook_deliveries t where t.endpoint_id = e.id and t.claimed_until >= clock_timestamp()
        ))
        for update skip locked
      ) d
      order by e.failing_since is not null, d.next_at limit p_max
    )
    -- A worker must claim the delivery within 10 seconds; otherwise the queue has lost it and it is dispatched again.
    update webhook_deliveries d set claimed_until = clock_timestamp() + interval '10 seconds', epoch = d.epoch + 1
    from due where d.id = due.id
    returning d.account_id, d.id, d.epoch;
end
$$;

-- Claims a dispatched delivery for p_hold_s seconds and returns what the worker needs to sign and send it.
-- Output: one row; none if the delivery was dispatched again or has ended. body is null if it is no longer stored.
-- Locks: the delivery row until commit.
create function claim_delivery(p_id uuid, p_epoch integer, p_hold_s integer)
  returns table (
    account_id uuid, id uuid, epoch integer, attempts_begun smallint, mode text, type text, event_id uuid, body text, url text,
    secret text, previous_secret text
  )
  language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
declare
  v_delivery webhook_deliveries;
begin
  update webhook_deliveries d set epoch = d.epoch + 1, attempts_begun = least(d.attempts_begun + 1, 32000),
    claimed_until = clock_timestamp() + make_interval(secs => p_hold_s)
  where d.id = p_id and d.epoch = p_epoch and d.state = 'pending'
  returning d.* into v_delivery;
  if not found then
    return;
  end if;
  return query
    select v_delivery.account_id, v_delivery.id, v_delivery.epoch, v_delivery.attempts_begun, e.mode, v_delivery.type,
      v_delivery.event_id, v.body, e.url, e.secret,
      case when e.previous_until > clock_timestamp() then e.previous_secret end
    from webhook_endpoints e left join webhook_events v
      on v.expires_on = v_delivery.expires_on and v.id = v_delivery.event_id and v.account_id = v_delivery.account_id
    where e.id = v_delivery.endpoint_id;
end
$$;

-- Deletes the bodies of those events of the transaction's account that have discard_body set and no pending delivery.
-- Output: none. Locks: the updated event rows until commit.
create function discard_event_bodies(p_events uuid[]) returns void
  language plpgsql set plan_cache_mode = force_custom_plan as $$
begin
  update webhook_events v set body = null
  where v.expires_on >= utc_today() and v.account_id = app_account() and v.id = any (p_events) and v.discard_body
    and not exists (select from webhook_deliveries d where d.event_id = v.id and d.state = 'pending');
end
$$;

-- Disables an endpoint of the transaction's account and marks its pending deliveries as failed; they can be resent.
-- Unless the reason is by_owner, emits webhook.disabled to the account's other endpoints and adds it to this endpoint's
-- deliveries as failed, so that it appears in the log.
-- Output: false if the endpoint was not enabled.
-- Locks: the endpoint row, then its pending deliveries, then the other endpoint rows (key share), until commit.
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
    update webhook_deliveries d set state = 'failed', next_at = null, claimed_until = null, finished_at = clock_timestamp()
    where d.endpoint_id = p_endpoint and d.state = 'pending'
    returning d.event_id
  )
  select array_agg(ended.event_id) into v_events from ended;
  perform discard_event_bodies(v_events);
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

-- Records the result of an attempt for the transaction's account. Disables the endpoint after outcome gone, or if it has been
-- failing for more than five days.
-- Input: p_outcome is delivered, again (retry after p_delay_ms), given_up or gone.
-- Output: settled, or lost if the delivery was dispatched again after the claim expired, or has ended.
-- Locks: the endpoint row (no key update), then the delivery row, until commit. disable_webhook and resend_deliveries lock in the
-- same order.
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
  update webhook_deliveries d set attempts = d.attempts + 1, claimed_until = null,
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
    perform discard_event_bodies(array[v_delivery.event_id]);
  end if;
  return 'settled';
end
$$;

-- Resends deliveries of an endpoint of the transaction's account, with a new series of attempts. Skips deliveries that a worker
-- has claimed and deliveries whose event body is no longer stored.
-- Input: p_delivery resends this delivery in any state; if null, all deliveries created since p_since that failed.
-- Output: the number of deliveries. Locks: the endpoint row (no key update), then the delivery rows, until commit.
create function resend_deliveries(p_endpoint uuid, p_delivery uuid, p_since timestamptz) returns integer
  language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
declare
  v_count integer;
begin
  perform 1 from webhook_endpoints e where e.id = p_endpoint and e.account_id = app_account() for no key update;
  with again as (
    update webhook_deliveries d set state = 'pending', attempts_begun = 0, next_at = clock_timestamp(), finished_at = null, epoch = d.epoch + 1
    where d.endpoint_id = p_endpoint and d.account_id = app_account() and d.claimed_until is null
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

-- Sets a new signing secret for an endpoint of the transaction's account. The previous secret also signs for p_hours, so that
-- receivers can switch without losing events. After two rotations within that time, the last two secrets sign.
-- Output: false if the endpoint does not exist. Locks: the endpoint row until commit.
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

-- Deletes up to p_max deliveries whose event has expired, with their attempts.
-- Output: the number of deliveries deleted. Locks: the deleted rows; rows locked by other transactions are skipped.
create function delete_expired_deliveries(p_max integer) returns integer
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

-- Queues an email notification to members when the system disables an endpoint. Trigger function.
-- Output: null. Locks: none.
create function notify_webhook_disabled() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform notify_members(new.account_id, 'webhook_failing', new.id || ' ' || new.disabled_at,
    jsonb_build_object('webhook_id', new.id, 'host', substring(new.url from '^https?://([^/?#]+)'), 'reason', new.disabled_reason));
  return null;
end
$$;

-- ---- Triggers ----

create trigger notify after update of state on webhook_endpoints for each row
  when (new.state = 'disabled' and old.state = 'enabled' and new.disabled_reason <> 'by_owner')
  execute function notify_webhook_disabled();

create trigger audit after insert or update or delete on webhook_endpoints for each row execute function
  audit_row('webhook', 'url', 'description events state disabled_reason mode',
            'disabled_at failing_since previous_secret previous_until id account_id created_at');

-- ---- Rights ----

revoke execute on function
  insert_event, emit_event, dispatch_deliveries, claim_delivery, discard_event_bodies, disable_webhook,
  settle_delivery, resend_deliveries, rotate_webhook_secret, delete_expired_deliveries, notify_webhook_disabled
from public;

grant execute on function
  emit_event, dispatch_deliveries, claim_delivery, disable_webhook, settle_delivery, resend_deliveries,
  rotate_webhook_secret, delete_expired_deliveries
to probity_app;
