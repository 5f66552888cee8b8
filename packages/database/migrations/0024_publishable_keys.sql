-- Keys that stand in web pages, where everybody can read them. They are held to the pages of some origins and to so many requests of
-- one visitor in an hour, and no mail server is ever asked for them: what they are told must not tell who has a mailbox where.
alter table api_keys
  add column kind text not null default 'secret' check (kind in ('secret', 'publishable')),
  add column allowed_origins text[] not null default '{}' check (cardinality(allowed_origins) <= 20),
  add column visitor_cap integer check (visitor_cap between 1 and 10000),
  add constraint publishable_is_bound check (
    case kind
      when 'publishable' then cardinality(allowed_origins) > 0 and visitor_cap is not null and scopes <@ array['validation']
      else cardinality(allowed_origins) = 0 and visitor_cap is null
    end
  );
grant update (allowed_origins, visitor_cap) on api_keys to probity_app;
create index api_keys_by_origin on api_keys using gin (allowed_origins) where kind = 'publishable';

-- A browser asks whether it may ask before it shows a key, so all that can be said is whether any key is for its page.
create function is_allowed_origin(p_origin text) returns boolean
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select exists (
      select from api_keys
      where kind = 'publishable' and allowed_origins @> array[p_origin] and revoked_at is null
    );
  end;

alter table validations add column mailbox boolean not null default true; -- whether a mail server may be asked

drop function take_validations(date, uuid[], uuid[], integer, text[]);
drop function find_api_key(bytea);

-- As in 0019, with what is new.
create function take_validations(p_expires_on date, p_accounts uuid[], p_ids uuid[], p_hold_s integer, p_egresses text[])
  returns table (
    expires_on date, account_id uuid, id uuid, email text, email_key text, attempts smallint, tries smallint, egress text,
    refund_unknown boolean, retention_days smallint, ai boolean, catchall boolean, send_threshold double precision, send_excludes text[],
    mailbox boolean
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
      and (v.egress is null or v.egress = any (p_egresses) or v.next_attempt_at < clock_timestamp() - interval '10 minutes')
      and a.id = v.account_id and p.name = a.plan
    returning v.expires_on, v.account_id, v.id, v.email, v.email_key, v.attempts, v.tries, v.egress,
      p.refund_unknown, a.retention_days, v.ai and p.ai_enhancement, v.catchall and p.catchall_detection,
      a.send_threshold, a.send_excludes, v.mailbox;
end
$$;

create function find_api_key(p_hash bytea)
  returns table (
    id uuid, account_id uuid, mode text, name text, scopes text[], ip_allow_list text[],
    expires_at timestamptz, paused_at timestamptz, revoked_at timestamptz, retention_days smallint,
    plan text, api_access boolean, requests_per_window integer, window_s integer, interactive_in_flight integer,
    refund_unknown boolean, ai boolean, catchall boolean, send_threshold double precision, send_excludes text[],
    kind text, allowed_origins text[], visitor_cap integer
  )
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select k.id, k.account_id, k.mode, k.name, k.scopes, k.ip_allow_list,
           k.expires_at, k.paused_at, k.revoked_at, a.retention_days,
           p.name, p.api_access, p.requests_per_window, p.window_s, p.interactive_in_flight,
           p.refund_unknown, p.ai_enhancement, p.catchall_detection, a.send_threshold, a.send_excludes,
           k.kind, k.allowed_origins, k.visitor_cap
    from api_keys k join accounts a on a.id = k.account_id join plans p on p.name = a.plan
    where k.hash = p_hash;
  end;

revoke execute on function
  take_validations(date, uuid[], uuid[], integer, text[]), find_api_key(bytea), is_allowed_origin(text) from public;
grant execute on function
  take_validations(date, uuid[], uuid[], integer, text[]), find_api_key(bytea), is_allowed_origin(text) to probity_app;
