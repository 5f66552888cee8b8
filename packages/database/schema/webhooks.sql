-- Webhooks: endpoints, events, deliveries, attempts and event streams, and the functions that emit events and process deliveries.
-- probity_app manages endpoints and reads the other tables; it writes events, deliveries, attempts and streams through the
-- security definer functions only. probity_operator sees the state and times of deliveries.

-- ---- Tables ----

-- One row per webhook endpoint of an account, and one per job whose callback was sent (job_id). probity_app can write the signing
-- secret and the private key but not read them: only claim_delivery returns them, to the worker that signs a request. A callback
-- is signed with the secret in callback_secrets instead.
create table webhook_endpoints (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts (id) on delete cascade,
  mode text not null check (mode in ('live', 'test')),
  url text not null check (octet_length(url) between 10 and 2048),
  description text not null default '' check (length(description) <= 200),
  events text[] not null default '{*}' check (cardinality(events) between 1 and 50), -- subscribed event types; * means all
  state text not null default 'enabled' check (state in ('enabled', 'disabled')),
  disabled_reason text check (disabled_reason in ('by_owner', 'gone', 'failing')),
  disabled_at timestamptz,
  failing_since timestamptz, -- first failed attempt since the last successful one
  secret text check (secret like 'whsec\_%'), -- HMAC
  private_key text check (private_key like 'whsk\_%'), -- Ed25519
  public_key text check (public_key like 'whpk\_%'),
  previous_secret text, -- signs together with the new secret until previous_until, like previous_private_key
  previous_private_key text,
  previous_until timestamptz,
  job_id uuid unique references jobs (id) on delete cascade, -- not null: the callback of this job
  created_at timestamptz not null default clock_timestamp(),
  check ((state = 'disabled') = (disabled_reason is not null)),
  check ((state = 'disabled') = (disabled_at is not null)),
  check ((previous_secret is null) = (previous_until is null)),
  check ((previous_secret is null) = (previous_private_key is null)),
  check (num_nonnulls(secret, private_key, public_key) = case when job_id is null then 3 else 0 end)
);

create index webhook_endpoints_by_account on webhook_endpoints (account_id, created_at desc);
create index webhook_endpoints_subscribed on webhook_endpoints (account_id) where job_id is null;

alter table webhook_endpoints enable row level security;
create policy tenant on webhook_endpoints using (account_id = app_account());
grant select (id, account_id, mode, url, description, events, state, disabled_reason, disabled_at, failing_since,
              previous_until, created_at, public_key, job_id) on webhook_endpoints to probity_app;
grant insert (account_id, mode, url, description, events, secret, private_key, public_key) on webhook_endpoints to probity_app;
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

create index webhook_events_by_account on webhook_events (account_id, created_at, id);

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

-- One row per open event stream. The API process that serves it renews seen_at; a stream counts as open for 45 seconds after that.
-- Unlogged, as the next table: after a crash of PostgreSQL both are empty, and clients reconnect.
create unlogged table event_streams (
  id uuid primary key,
  account_id uuid not null references accounts (id) on delete cascade,
  mode text not null check (mode in ('live', 'test')),
  seen_at timestamptz not null default clock_timestamp()
);

create index event_streams_by_account on event_streams (account_id);

alter table event_streams enable row level security;
create policy tenant on event_streams using (account_id = app_account());
grant select on event_streams to probity_app;

-- Events on their way to an open stream. The API process deletes each one when it reads it, about once per second.
-- No foreign key: closing a stream must not fail the transaction that emits an event. delete_stale_streams deletes the rest.
create unlogged table stream_events (
  account_id uuid not null,
  stream_id uuid not null,
  no bigint generated always as identity,
  due_at timestamptz not null,
  event_id uuid not null,
  body text not null,
  primary key (stream_id, no)
);

alter table stream_events enable row level security;
create policy tenant on stream_events using (account_id = app_account());
grant select on stream_events to probity_app;

-- ---- Functions ----

-- Returns whether an event of the transaction's account is received: by an enabled endpoint that subscribes to its type, by an open
-- stream, or by the callback of a job. With it the API and workers build no event that is not received. Locks: none.
create function has_event_subscriber(p_mode text, p_type text, p_callback_job uuid default null) returns boolean
  language sql stable
  return exists (
    select from webhook_endpoints e
    where e.account_id = app_account() and e.mode = p_mode and e.state = 'enabled' and e.job_id is null
      and e.events && array['*', p_type]
  ) or exists (
    select from event_streams s
    where s.account_id = app_account() and s.mode = p_mode and s.seen_at > clock_timestamp() - interval '45 seconds'
  ) or exists (select from jobs j where j.id = p_callback_job and j.callback_url is not null);

-- Inserts an event of the transaction's account, without deliveries, and adds it to the open streams of the account and mode.
-- Input: p_at is the timestamp in the body. Events with p_holds_address expire with the account's retention, but after 1 day at
-- least; other events after 4 days at least, so that all promised attempts fit. Both expire after 30 days at most.
-- p_is_stored is false if no endpoint receives the event, p_is_streamed if it is for one endpoint only.
-- Output: the event row. Locks: none.
create function insert_event(
  p_mode text, p_type text, p_data json, p_holds_address boolean, p_at timestamptz, p_is_stored boolean, p_is_streamed boolean
) returns webhook_events
  language plpgsql as $$
declare
  v_event webhook_events;
begin
  select utc_today() + least(greatest(a.retention_days, case when p_holds_address then 1 else 4 end), 30), a.id,
    gen_random_uuid(), p_mode, p_type, null, a.retention_days = 0, clock_timestamp()
  into v_event from accounts a where a.id = app_account();
  v_event.body := json_build_object(
    'id', 'evt_' || v_event.id, 'type', p_type, 'api_version', 'v1', 'timestamp', rfc3339(p_at), 'livemode', p_mode = 'live',
    -- An oversized event must not fail the transaction.
    'data', case when octet_length(p_data::text) > 20000 then json_build_object('id', p_data -> 'id', 'omitted', true) else p_data end
  );
  if p_is_stored then
    insert into webhook_events select v_event.*;
  end if;
  if p_is_streamed then
    insert into stream_events (account_id, stream_id, due_at, event_id, body)
    select s.account_id, s.id, p_at, v_event.id, v_event.body from event_streams s
    where s.account_id = v_event.account_id and s.mode = p_mode and s.seen_at > clock_timestamp() - interval '45 seconds';
  end if;
  return v_event;
end
$$;

-- Emits an event of the transaction's account: adds it to open streams, and inserts it with one pending delivery for each enabled
-- endpoint that subscribes to it.
-- Input: p_only sends the event to that endpoint alone, whatever it subscribes to. p_at in the future delays the deliveries.
-- p_callback_job is the job that ends with this event; its callback is delivered, too.
-- Output: the event id, or null if no endpoint receives the event.
-- Locks: the endpoint rows (key share) until commit.
create function emit_event(
  p_mode text, p_type text, p_data json, p_holds_address boolean default false, p_only uuid default null,
  p_at timestamptz default clock_timestamp(), p_callback_job uuid default null
) returns uuid
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_callback uuid;
  v_endpoints uuid[];
  v_event webhook_events;
begin
  insert into webhook_endpoints (account_id, mode, url, events, job_id)
  select j.account_id, j.mode, j.callback_url, array[p_type], j.id from jobs j
  where j.id = p_callback_job and j.account_id = app_account() and j.callback_url is not null
  on conflict (job_id) do nothing
  returning id into v_callback;
  -- The key share lock prevents deletion of the endpoint until commit. Without it, the foreign key of a delivery could fail
  -- and abort the whole transaction.
  select array_agg(e.id) into v_endpoints from (
    select e.id from webhook_endpoints e
    where e.account_id = app_account() and e.mode = p_mode and e.state = 'enabled'
      and (case when p_only is null then e.job_id is null and e.events && array['*', p_type] else e.id = p_only end)
    for key share
  ) e;
  if v_callback is not null then
    v_endpoints := v_endpoints || v_callback;
  end if;
  v_event := insert_event(p_mode, p_type, p_data, p_holds_address, p_at, v_endpoints is not null, p_only is null);
  if v_endpoints is null then
    return null;
  end if;
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
    secret text, previous_secret text, private_key text, previous_private_key text
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
      v_delivery.event_id, v.body, e.url, coalesce(e.secret, c.secret),
      case when coalesce(e.previous_until, c.previous_until) > clock_timestamp() then coalesce(e.previous_secret, c.previous_secret) end,
      e.private_key, case when e.previous_until > clock_timestamp() then e.previous_private_key end
    from webhook_endpoints e
    left join callback_secrets c on e.job_id is not null and c.account_id = e.account_id and c.mode = e.mode
    left join webhook_events v
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
    'id', v_endpoint.id, 'url', v_endpoint.url, 'reason', p_reason, 'failing_since_at', rfc3339(v_endpoint.failing_since)
  ), false, clock_timestamp(), true, true);
  insert into webhook_deliveries (account_id, endpoint_id, expires_on, event_id, type, state, next_at, finished_at)
  select e.account_id, e.id, v_event.expires_on, v_event.id, v_event.type,
    case e.id when p_endpoint then 'failed' else 'pending' end,
    case e.id when p_endpoint then null else clock_timestamp() end,
    case e.id when p_endpoint then clock_timestamp() end
  from (
    select e.account_id, e.id from webhook_endpoints e
    where e.account_id = v_endpoint.account_id and e.mode = v_endpoint.mode and (e.id = p_endpoint or (
      e.state = 'enabled' and e.job_id is null and e.events && array['*', v_event.type]
    ))
    for key share
  ) e;
  return true;
end
$$;

-- Records the result of an attempt for the transaction's account. Disables the endpoint after outcome gone, or if it has been
-- failing for more than five days; the callback of a job has one delivery and is not disabled.
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
  if v_endpoint.job_id is null and p_outcome = 'gone' then
    perform disable_webhook(v_endpoint.id, 'gone');
  elsif v_endpoint.job_id is null and p_outcome <> 'delivered' and v_endpoint.failing_since < clock_timestamp() - interval '5 days' then
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

-- Deletes events of the transaction's account with their deliveries and attempts, for the erasure of an address.
-- Output: the number of events. Locks: the endpoint rows (no key update) in id order, then the deleted rows, until commit.
create function erase_events(p_events uuid[]) returns integer
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_count integer;
begin
  perform 1 from webhook_endpoints e
  where e.account_id = app_account()
    and e.id in (select d.endpoint_id from webhook_deliveries d where d.event_id = any (p_events))
  order by e.id for no key update;
  delete from webhook_deliveries d where d.account_id = app_account() and d.event_id = any (p_events);
  delete from webhook_events v
  where v.expires_on >= utc_today() and v.account_id = app_account() and v.id = any (p_events);
  get diagnostics v_count = row_count;
  return v_count;
end
$$;

-- Sets a new signing secret and key pair for an endpoint of the transaction's account. The previous ones also sign for p_hours, so
-- that receivers can switch without losing events. After two rotations within that time, the last two sign.
-- Output: false if the endpoint does not exist. Locks: the endpoint row until commit.
create function rotate_webhook_secret(p_endpoint uuid, p_secret text, p_private_key text, p_public_key text, p_hours integer)
  returns boolean
  language sql security definer set search_path = public, pg_temp
  begin atomic
    with rotated as (
      update webhook_endpoints e set secret = p_secret, previous_secret = e.secret, private_key = p_private_key,
        previous_private_key = e.private_key, public_key = p_public_key,
        previous_until = clock_timestamp() + make_interval(hours => p_hours)
      where e.id = p_endpoint and e.account_id = app_account() and e.job_id is null
      returning 1
    )
    select exists (select from rotated);
  end;

-- Deletes up to p_max deliveries whose event has expired, with their attempts, and the endpoint rows of callbacks among them.
-- Output: the number of deliveries deleted. Locks: the deleted rows; rows locked by other transactions are skipped.
create function delete_expired_deliveries(p_max integer) returns integer
  language sql security definer set search_path = public, pg_temp
  begin atomic
    with removed as (
      delete from webhook_deliveries d where d.id = any (array(
        select k.id from webhook_deliveries k where k.expires_on < utc_today() limit p_max for update skip locked
      ))
      returning d.endpoint_id
    ), callbacks as (
      delete from webhook_endpoints e using removed r where e.id = r.endpoint_id and e.job_id is not null
    )
    select count(*)::integer from removed;
  end;

-- Opens an event stream of the transaction's account.
-- Output: false if the account has p_max open streams. Locks: advisory lock 'event streams of <account>' until commit.
create function open_event_stream(p_id uuid, p_mode text, p_max integer) returns boolean
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('event streams of ' || app_account(), 0));
  if (select count(*) from event_streams s
      where s.account_id = app_account() and s.seen_at > clock_timestamp() - interval '45 seconds') >= p_max then
    return false;
  end if;
  insert into event_streams (id, account_id, mode) values (p_id, app_account(), p_mode);
  return true;
end
$$;

-- Closes an event stream of the transaction's account. Output: none. Locks: the deleted rows.
create function close_event_stream(p_id uuid) returns void
  language sql security definer set search_path = public, pg_temp
  begin atomic
    delete from stream_events e where e.stream_id = p_id and e.account_id = app_account();
    delete from event_streams s where s.id = p_id and s.account_id = app_account();
  end;

-- Renews the streams that an API process serves, and deletes and returns up to p_max of their due events.
-- Output: events in order; a stream that no longer exists is one row without event. Locks: the written rows.
create function take_stream_events(p_streams uuid[], p_max integer) returns table (stream_id uuid, event_id uuid, body text)
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update event_streams s set seen_at = clock_timestamp()
  where s.id = any (p_streams) and s.seen_at < clock_timestamp() - interval '10 seconds';
  return query
    select p.id, null::uuid, null::text from unnest(p_streams) p (id)
    where not exists (select from event_streams s where s.id = p.id);
  return query
    with taken as (
      delete from stream_events e using (
        select d.stream_id, d.no from stream_events d
        where d.stream_id = any (p_streams) and d.due_at <= clock_timestamp() order by d.no limit p_max
      ) due
      where e.stream_id = due.stream_id and e.no = due.no
      returning e.*
    )
    select t.stream_id, t.event_id, t.body from taken t order by t.no;
end
$$;

-- Deletes the streams of all accounts that no process renewed for a minute, and events without stream.
-- Output: none. Locks: the deleted rows.
create function delete_stale_streams() returns void
  language sql security definer set search_path = public, pg_temp
  begin atomic
    delete from event_streams s where s.seen_at < clock_timestamp() - interval '1 minute';
    delete from stream_events e where not exists (select from event_streams s where s.id = e.stream_id);
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

create trigger audit after insert or update on webhook_endpoints for each row when (new.job_id is null) execute function
  audit_row('webhook', 'url', 'description events state disabled_reason mode',
            'disabled_at failing_since private_key public_key previous_secret previous_private_key previous_until id account_id created_at');
create trigger audit_delete after delete on webhook_endpoints for each row when (old.job_id is null) execute function
  audit_row('webhook', 'url', '', '');

-- ---- Rights ----

revoke execute on function
  insert_event, emit_event, dispatch_deliveries, claim_delivery, discard_event_bodies, disable_webhook,
  settle_delivery, resend_deliveries, erase_events, rotate_webhook_secret, delete_expired_deliveries, notify_webhook_disabled,
  open_event_stream, close_event_stream, take_stream_events, delete_stale_streams
from public;

grant execute on function
  emit_event, dispatch_deliveries, claim_delivery, disable_webhook, settle_delivery, resend_deliveries,
  erase_events, rotate_webhook_secret, delete_expired_deliveries, open_event_stream, close_event_stream, take_stream_events
to probity_app;
