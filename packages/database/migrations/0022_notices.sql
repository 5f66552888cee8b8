-- Letters to people about what happens in their organisation. Written in the transaction in which it happens, whoever does it,
-- and sent by whichever api process has a mail server.

-- What a member wants to be written about; null for what their role usually is.
alter table members add column notices text[]
  check (notices <@ array['job_done', 'credits_low', 'key_created', 'webhook_failing', 'retention_warning']);
grant update (notices) on members to probity_app;

create function usual_notices(p_role text) returns text[]
  language sql immutable
  return case p_role
    when 'owner' then array['job_done', 'credits_low', 'key_created', 'webhook_failing', 'retention_warning']
    when 'admin' then array['job_done', 'credits_low', 'key_created', 'webhook_failing', 'retention_warning']
    when 'developer' then array['job_done', 'webhook_failing']
    when 'marketer' then array['job_done', 'retention_warning']
    else '{}'
  end;

create table notices (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts (id) on delete cascade,
  person_id uuid not null references people (id) on delete cascade,
  kind text not null,
  subject text not null, -- what it is about: of the same there is one letter
  data jsonb not null,
  created_at timestamptz not null default clock_timestamp(),
  tries smallint not null default 0,
  next_at timestamptz default clock_timestamp(), -- null once it was sent or given up
  sent_at timestamptz,
  unique (account_id, person_id, kind, subject)
);
create index notices_due on notices (next_at) where next_at is not null;
alter table notices enable row level security;
create policy tenant on notices using (account_id = app_account());
grant select on notices to probity_app;

-- One letter for each member who wants it and whose address is confirmed.
create function note_to_members(p_account uuid, p_kind text, p_subject text, p_data jsonb) returns void
  language sql security definer set search_path = public, pg_temp
  begin atomic
    insert into notices (account_id, person_id, kind, subject, data)
    select p_account, m.person_id, p_kind, p_subject, p_data
    from members m join people p on p.id = m.person_id
    where m.account_id = p_account and p.email_verified and p_kind = any (coalesce(m.notices, usual_notices(m.role)))
    on conflict do nothing;
  end;

create function notice_of_job() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform note_to_members(new.account_id, 'job_done', new.id::text,
    jsonb_build_object('job_id', new.id, 'filename', new.filename, 'state', new.state, 'count', new.unique_count));
  return null;
end
$$;
create trigger notice after update of state on jobs for each row
  when (new.mode = 'live' and new.state in ('completed', 'failed') and old.state <> new.state)
  execute function notice_of_job();

-- Each time they fall below the line is another time.
create function notice_of_credits() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform note_to_members(new.id, 'credits_low', clock_timestamp()::text, jsonb_build_object('available', new.available));
  return null;
end
$$;
create trigger notice after update of credits_low on accounts for each row
  when (new.credits_low and not old.credits_low)
  execute function notice_of_credits();

create function notice_of_key() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform note_to_members(new.account_id, 'key_created', new.id::text,
    jsonb_build_object('name', new.name, 'mode', new.mode, 'hint', new.hint));
  return null;
end
$$;
create trigger notice after insert on api_keys for each row execute function notice_of_key();

create function notice_of_webhook() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform note_to_members(new.account_id, 'webhook_failing', new.id || ' ' || new.disabled_at,
    jsonb_build_object('webhook_id', new.id, 'host', substring(new.url from '^https?://([^/?#]+)'), 'reason', new.disabled_reason));
  return null;
end
$$;
create trigger notice after update of state on webhook_endpoints for each row
  when (new.state = 'disabled' and old.state = 'enabled' and new.disabled_reason <> 'by_owner')
  execute function notice_of_webhook();

-- Lists whose results leave in three days. Whoever keeps them for no longer than a few days knows that.
create function note_leaving_results() returns void
  language sql security definer set search_path = public, pg_temp
  begin atomic
    select note_to_members(j.account_id, 'retention_warning', j.id::text,
      jsonb_build_object('job_id', j.id, 'filename', j.filename, 'on', j.expires_on + 1))
    from jobs j
    where j.mode = 'live' and j.state = 'completed' and j.expires_on = utc_today() + 2
      and j.expires_on - (j.created_at at time zone 'utc')::date >= 7;
  end;

-- Takes letters that are due, for a while. What is two days old would only confuse, and what is for nobody any more goes nowhere.
create function claim_notices(p_limit integer, p_hold_s integer)
  returns table (id uuid, kind text, data jsonb, tries smallint, email text, name text, organisation text, slug text)
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update notices n set next_at = null
  where n.next_at is not null and (n.created_at < clock_timestamp() - interval '2 days' or not exists (
    select from members m where m.account_id = n.account_id and m.person_id = n.person_id
  ));
  return query
    with due as (
      select d.id from notices d where d.next_at <= clock_timestamp() order by d.next_at limit p_limit for update skip locked
    )
    update notices n set tries = n.tries + 1, next_at = clock_timestamp() + make_interval(secs => p_hold_s)
    from due, people p, accounts a
    where n.id = due.id and p.id = n.person_id and a.id = n.account_id
    returning n.id, n.kind, n.data, n.tries, p.email, p.name, a.name, a.slug;
end
$$;

-- p_again_s is null where it was sent, and negative where it is given up.
create function settle_notice(p_id uuid, p_again_s integer) returns void
  language sql security definer set search_path = public, pg_temp
  begin atomic
    update notices set
      sent_at = case when p_again_s is null then clock_timestamp() end,
      next_at = case when p_again_s >= 0 then clock_timestamp() + make_interval(secs => p_again_s) end
    where id = p_id;
  end;

create function remove_old_notices(p_days integer) returns bigint
  language sql security definer set search_path = public, pg_temp
  begin atomic
    with gone as (
      delete from notices where created_at < clock_timestamp() - make_interval(days => p_days) returning 1
    )
    select count(*) from gone;
  end;

revoke execute on function
  note_to_members(uuid, text, text, jsonb), note_leaving_results(), claim_notices(integer, integer), settle_notice(uuid, integer),
  remove_old_notices(integer), notice_of_job(), notice_of_credits(), notice_of_key(), notice_of_webhook() from public;
grant execute on function
  note_leaving_results(), claim_notices(integer, integer), settle_notice(uuid, integer), remove_old_notices(integer) to probity_app;
