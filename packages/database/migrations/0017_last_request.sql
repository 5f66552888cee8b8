-- What a key was last used for: when, by which method and route, and what came of it. The route is a pattern and holds no address.
alter table api_keys add column last_request jsonb;

-- As before, and mere use is told of by the last request too.
create or replace function api_keys_note_change() returns trigger
  language plpgsql as $$
begin
  if old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at then
    raise exception 'a revoked key stays revoked';
  end if;
  if new is distinct from old and new.last_used_at is not distinct from old.last_used_at
    and new.last_request is not distinct from old.last_request then
    new.changed_at := clock_timestamp();
  end if;
  return new;
end
$$;

-- The report of a process, with the last request that it answered for each key. The one without stays, for processes that are still
-- of the version before.
create function record_key_use(p_keys uuid[], p_requests bigint[], p_last_used timestamptz[], p_last_requests jsonb[]) returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform record_key_use(p_keys, p_requests, p_last_used);
  -- Times are written alike, so that their texts are in the order of time.
  update api_keys k set last_request = u.last_request
  from unnest(p_keys, p_last_requests) as u (key_id, last_request)
  where k.id = u.key_id and u.last_request is not null
    and (k.last_request is null or u.last_request ->> 'at' >= k.last_request ->> 'at');
end
$$;
revoke execute on function record_key_use(uuid[], bigint[], timestamptz[], jsonb[]) from public;
grant execute on function record_key_use(uuid[], bigint[], timestamptz[], jsonb[]) to probity_app;
