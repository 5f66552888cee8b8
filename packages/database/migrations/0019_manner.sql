-- How an account wants addresses judged: from which chance of arriving on it would send, and to what it would not.
-- A function that uses the rows' type stands in the way of new columns and is made again behind them.
drop function low_credits_of(accounts);
alter table accounts
  add column send_threshold double precision not null default 0.97 check (send_threshold between 0.5 and 0.999),
  add column send_excludes text[] not null default '{disposable,role,machine_generated}'
    check (send_excludes <@ array['disposable', 'role', 'machine_generated', 'free', 'privacy_relay', 'tagged']);
grant update (send_threshold, send_excludes) on accounts to probity_app;

create function low_credits_of(p_account accounts) returns bigint
  language sql immutable
  return coalesce(p_account.low_credits, ceil(p_account.last_grant / 10.0)::bigint, 100);

-- What a request does without: the model, or the test for servers that accept everything.
alter table validations
  add column ai boolean not null default true,
  add column catchall boolean not null default true;
alter table jobs
  add column ai boolean not null default true,
  add column catchall boolean not null default true;

-- Workers and the door are told what the plan and the request allow together.
drop function take_validations(date, uuid[], uuid[], integer, text[]);
drop function claim_batch(uuid, date, uuid, uuid, integer);
drop function find_api_key(bytea);
drop function find_member(uuid, uuid);

-- Takes open rows of one day, whoever owns them, and tells the worker what to do. Rows that another worker holds, that have
-- ended, that must not be tried yet or that belong to an egress of another worker are left out. When nobody comes from that
-- egress for ten minutes, anybody may have them.
create function take_validations(p_expires_on date, p_accounts uuid[], p_ids uuid[], p_hold_s integer, p_egresses text[])
  returns table (
    expires_on date, account_id uuid, id uuid, email text, email_key text, attempts smallint, tries smallint, egress text,
    refund_unknown boolean, retention_days smallint, ai boolean, catchall boolean, send_threshold double precision, send_excludes text[]
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
      a.send_threshold, a.send_excludes;
end
$$;

-- Takes a batch, if it is there to be had. One that was begun twice and never ended is not handed out but cut in two, so that
-- an address that brings workers down stands alone in the end; each part need fail but once more.
create function claim_batch(p_worker uuid, p_expires_on date, p_account uuid, p_job uuid, p_no integer)
  returns table (
    epoch integer, attempts smallint, tries smallint, holds smallint, silences smallint, egress text, lane text, lane_max smallint,
    row_nos integer[], emails text[], mode text, ai boolean, catchall boolean, send_threshold double precision, send_excludes text[]
  )
  language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
declare
  v_batch job_batches;
  v_half integer;
  v_no integer;
begin
  update job_batches b set epoch = b.epoch + 1, attempts = b.attempts + 1, held_by = p_worker, held_at = clock_timestamp(),
    queued_at = coalesce(b.queued_at, clock_timestamp())
  from jobs j
  where b.expires_on = p_expires_on and b.account_id = p_account and b.job_id = p_job and b.no = p_no
    and b.state = 'pending' and batch_is_left(b.held_by, b.held_at)
    and (b.not_before is null or b.not_before <= clock_timestamp())
    and j.id = b.job_id and j.state = 'processing' and j.paused_at is null
  returning b.* into v_batch;
  if not found then
    return;
  end if;

  if v_batch.size > 1 and v_batch.attempts > (case when v_batch.suspect then 1 else 2 end) then
    v_half := v_batch.size / 2;
    update jobs j set next_batch = j.next_batch + 1 where j.id = p_job returning j.next_batch - 1 into v_no;
    insert into job_batches (expires_on, account_id, job_id, no, lane, lane_max, row_nos, emails, size, tries, holds, silences, egress, suspect)
    values (p_expires_on, p_account, p_job, v_no, v_batch.lane, v_batch.lane_max, v_batch.row_nos[v_half + 1:],
            v_batch.emails[v_half + 1:], v_batch.size - v_half, v_batch.tries, v_batch.holds, v_batch.silences, v_batch.egress, true);
    update job_batches b set row_nos = v_batch.row_nos[:v_half], emails = v_batch.emails[:v_half], size = v_half,
      attempts = 0, suspect = true, queued_at = null, held_by = null, held_at = null
    where b.expires_on = p_expires_on and b.account_id = p_account and b.job_id = p_job and b.no = p_no;
    return;
  end if;

  return query
    select v_batch.epoch, v_batch.attempts, v_batch.tries, v_batch.holds, v_batch.silences, v_batch.egress, v_batch.lane, v_batch.lane_max,
      v_batch.row_nos, v_batch.emails, j.mode, j.ai and p.ai_enhancement, j.catchall and p.catchall_detection,
      a.send_threshold, a.send_excludes
    from jobs j join accounts a on a.id = j.account_id join plans p on p.name = a.plan where j.id = p_job;
end
$$;

create function find_api_key(p_hash bytea)
  returns table (
    id uuid, account_id uuid, mode text, name text, scopes text[], ip_allow_list text[],
    expires_at timestamptz, paused_at timestamptz, revoked_at timestamptz, retention_days smallint,
    plan text, api_access boolean, requests_per_window integer, window_s integer, interactive_in_flight integer,
    refund_unknown boolean, ai boolean, catchall boolean, send_threshold double precision, send_excludes text[]
  )
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select k.id, k.account_id, k.mode, k.name, k.scopes, k.ip_allow_list,
           k.expires_at, k.paused_at, k.revoked_at, a.retention_days,
           p.name, p.api_access, p.requests_per_window, p.window_s, p.interactive_in_flight,
           p.refund_unknown, p.ai_enhancement, p.catchall_detection, a.send_threshold, a.send_excludes
    from api_keys k join accounts a on a.id = k.account_id join plans p on p.name = a.plan
    where k.hash = p_hash;
  end;

-- As find_api_key for keys.
create function find_member(p_person uuid, p_account uuid)
  returns table (
    account_id uuid, role text, retention_days smallint, plan text, requests_per_window integer, window_s integer,
    interactive_in_flight integer, refund_unknown boolean, ai boolean, catchall boolean, send_threshold double precision,
    send_excludes text[]
  )
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select m.account_id, m.role, a.retention_days, p.name, p.requests_per_window, p.window_s, p.interactive_in_flight,
           p.refund_unknown, p.ai_enhancement, p.catchall_detection, a.send_threshold, a.send_excludes
    from members m join accounts a on a.id = m.account_id join plans p on p.name = a.plan
    where m.person_id = p_person and m.account_id = p_account;
  end;

revoke execute on function
  take_validations(date, uuid[], uuid[], integer, text[]), claim_batch(uuid, date, uuid, uuid, integer), find_api_key(bytea),
  find_member(uuid, uuid) from public;
grant execute on function
  take_validations(date, uuid[], uuid[], integer, text[]), claim_batch(uuid, date, uuid, uuid, integer), find_api_key(bytea),
  find_member(uuid, uuid) to probity_app;
