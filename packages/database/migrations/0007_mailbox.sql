-- A mail server may put a question off. The row then stays open, its caller is told what is known so far, and the service asks
-- again by itself.
alter table validations
  add column tries smallint not null default 0, -- how often the mail server was asked and put it off
  -- The way out that it was asked from: a server that puts newcomers off must see the same one again.
  add column egress text check (octet_length(egress) <= 300),
  add column provisional json; -- what its caller was told meanwhile

grant update (attempts, tries, egress, provisional) on validations to probity_app;

drop function take_validations(date, uuid[], uuid[], integer);
drop function list_waiting_validations(integer, integer);

-- Takes open rows of one day, whoever owns them, and tells the worker what to do. Rows that another worker holds, that have
-- ended, that must not be tried yet or that belong to an egress of another worker are left out. When nobody comes from that
-- egress for ten minutes, anybody may have them.
create function take_validations(p_expires_on date, p_accounts uuid[], p_ids uuid[], p_hold_s integer, p_egresses text[])
  returns table (
    expires_on date, account_id uuid, id uuid, email text, email_key text, attempts smallint, tries smallint, egress text,
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
      and (v.egress is null or v.egress = any (p_egresses) or v.next_attempt_at < clock_timestamp() - interval '10 minutes')
      and a.id = v.account_id and p.name = a.plan
    returning v.expires_on, v.account_id, v.id, v.email, v.email_key, v.attempts, v.tries, v.egress,
      p.refund_unknown, a.retention_days;
end
$$;

-- Open rows that nobody holds and whose time has come: the queue lost them, there was no queue, or a mail server put them off.
-- Oldest first.
create function list_waiting_validations(p_older_than_ms integer, p_limit integer, p_egresses text[])
  returns table (expires_on date, account_id uuid, id uuid)
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select v.expires_on, v.account_id, v.id from validations v
    where v.state = 'open' and v.expires_on >= utc_today()
      and v.created_at < clock_timestamp() - make_interval(secs => p_older_than_ms / 1000.0)
      and (v.taken_until is null or v.taken_until < clock_timestamp())
      and (v.next_attempt_at is null or v.next_attempt_at <= clock_timestamp())
      and (v.egress is null or v.egress = any (p_egresses) or v.next_attempt_at < clock_timestamp() - interval '10 minutes')
    order by v.created_at limit p_limit;
  end;

revoke execute on function
  take_validations(date, uuid[], uuid[], integer, text[]), list_waiting_validations(integer, integer, text[]) from public;
grant execute on function
  take_validations(date, uuid[], uuid[], integer, text[]), list_waiting_validations(integer, integer, text[])
  to probity_app;

-- Replies of mail servers that no rule knows, for the operator to look at. Normalised: nobody's address is in them.
create table unrecognised_replies (
  provider text not null check (octet_length(provider) <= 100),
  stage text not null check (octet_length(stage) <= 20),
  code smallint not null,
  reply text not null check (octet_length(reply) <= 1000),
  seen bigint not null,
  first_seen_at timestamptz not null default clock_timestamp(),
  last_seen_at timestamptz not null default clock_timestamp(),
  primary key (provider, stage, code, reply)
);

-- Counts replies. Servers can say what they like, so there is room for so many different ones and no more; what has not been
-- heard for a quarter of a year makes room.
create function note_unrecognised_replies(
  p_providers text[], p_stages text[], p_codes smallint[], p_replies text[], p_seen integer[]
) returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_room integer;
begin
  delete from unrecognised_replies u where u.last_seen_at < clock_timestamp() - interval '90 days';
  select 10000 - count(*) into v_room from unrecognised_replies;
  insert into unrecognised_replies as u (provider, stage, code, reply, seen)
  select n.provider, n.stage, n.code, n.reply, n.seen
  from unnest(p_providers, p_stages, p_codes, p_replies, p_seen) as n (provider, stage, code, reply, seen)
  where v_room >= cardinality(p_replies) or exists (
    select from unrecognised_replies k
    where (k.provider, k.stage, k.code, k.reply) = (n.provider, n.stage, n.code, n.reply)
  )
  on conflict (provider, stage, code, reply) do update set seen = u.seen + excluded.seen, last_seen_at = clock_timestamp();
end
$$;
revoke execute on function note_unrecognised_replies(text[], text[], smallint[], text[], integer[]) from public;
grant execute on function note_unrecognised_replies(text[], text[], smallint[], text[], integer[]) to probity_app;
