-- What a process says of itself may change while it runs: a worker finds out whether it can reach mail servers, and that it no longer can.
create or replace function note_process(p_id uuid, p_kind text, p_version text, p_facts jsonb) returns void
  language sql security definer set search_path = public, pg_temp
  begin atomic
    delete from processes where seen_at < clock_timestamp() - interval '1 day';
    insert into processes (id, kind, version, facts) values (p_id, p_kind, p_version, p_facts)
    on conflict (id) do update set seen_at = clock_timestamp(), facts = excluded.facts;
  end;

-- Whether mail servers can be asked, as the workers that live say it: one that reaches them is enough. No row where no worker lives, or
-- none but the one that asks. Workers of the version before do not say; those with a way out are taken at it. A closed port is more worth
-- knowing than a name that is missing, since others have set one.
create function find_probing(p_except uuid) returns table (mode text, reason text)
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select w.mode, w.reason
    from processes p
    cross join lateral (
      select p.facts -> 'probing' ->> 'mode' as said, coalesce(p.facts -> 'egresses', '[]') <> '[]' as has_name
    ) f
    cross join lateral (
      select coalesce(f.said, case when f.has_name then 'smtp' else 'dns' end) as mode,
             case when f.said is not null then p.facts -> 'probing' ->> 'reason' when f.has_name then null else 'no_helo_name' end as reason
    ) w
    where p.kind = 'worker' and p.seen_at > clock_timestamp() - interval '35 seconds' and p.id is distinct from p_except
    order by w.mode = 'smtp' desc, w.reason = 'no_helo_name', w.reason
    limit 1;
  end;

-- Whether a worker has a heartbeat. Without one, validations do not start and jobs make no progress.
create function has_worker() returns boolean
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select exists (select from processes where kind = 'worker' and seen_at > clock_timestamp() - interval '35 seconds');
  end;

revoke execute on function find_probing(uuid), has_worker() from public;
grant execute on function find_probing(uuid), has_worker() to probity_app;

-- As in 0025, but what was not asked for want of a way out is given back whatever the plan says of results that end unknown: nobody has
-- got what a plan without refunds promises for them.
create or replace function settle_batch(
  p_expires_on date, p_job uuid, p_no integer, p_epoch integer, p_later integer,
  p_row_nos integer[], p_emails text[], p_statuses text[], p_sub_statuses text[],
  p_answers text -- one to a line
) returns table (outcome text, first_no integer, completed boolean)
  language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
declare
  v_account uuid := app_account();
  v_job jobs;
  v_tally job_counts[];
  v_done integer;
  v_unknown integer;
  v_not_probed integer;
  v_refund integer;
  v_posting text := 'posted';
begin
  update job_batches b set state = 'done', emails = '{}', done_at = clock_timestamp(), held_by = null
  where b.expires_on = p_expires_on and b.account_id = v_account and b.job_id = p_job and b.no = p_no
    and b.epoch = p_epoch and b.state = 'pending';
  if not found then
    return query select 'lost', 0, false;
    return;
  end if;

  with inserted as (
    insert into job_results (expires_on, account_id, job_id, row_no, email, status, sub_status, answer, listed)
    select p_expires_on, v_account, p_job, r.row_no, r.email, r.status, r.sub_status, r.answer::json, r.answer::json ->> 'listed'
    from rows from (unnest(p_row_nos, p_emails, p_statuses, p_sub_statuses), string_to_table(p_answers, E'\n'))
      as r (row_no, email, status, sub_status, answer)
    on conflict do nothing
    returning status, sub_status
  ), tally as (
    select i.status, i.sub_status, count(*)::integer as count from inserted i group by i.status, i.sub_status
  )
  select coalesce(array_agg(row(v_account, p_job, t.status, t.sub_status, t.count)::job_counts), '{}'), coalesce(sum(t.count), 0),
    coalesce(sum(t.count) filter (where t.status = 'unknown'), 0), coalesce(sum(t.count) filter (where t.sub_status = 'not_probed'), 0)
  into v_tally, v_done, v_unknown, v_not_probed from tally t;

  update jobs j set
    next_batch = j.next_batch + p_later, done_count = j.done_count + v_done,
    refunded_count = j.refunded_count + (case when j.refund_unknown then v_unknown else v_not_probed end) * j.credits_per_email,
    state = case when j.done_count + v_done = j.unique_count then 'completed' else j.state end,
    finished_at = case when j.done_count + v_done = j.unique_count then clock_timestamp() end
  where j.id = p_job and j.account_id = v_account and j.state = 'processing'
  returning * into v_job;
  if not found then -- what was set aside for these rows has been given back
    return query select 'lost', 0, false;
    return;
  end if;

  insert into job_counts as c select t.* from unnest(v_tally) t
  on conflict (account_id, job_id, status, sub_status) do update set count = c.count + excluded.count;

  if v_done * v_job.credits_per_email > 0 then
    select p.outcome into v_posting from ledger_post('settle', v_done * v_job.credits_per_email, p_job, p_no, v_job.key_id) p;
  end if;
  v_refund := (case when v_job.refund_unknown then v_unknown else v_not_probed end) * v_job.credits_per_email;
  if v_posting = 'posted' and v_refund > 0 then
    select p.outcome into v_posting from ledger_post('refund', v_refund, p_job, p_no, v_job.key_id) p;
  end if;
  if v_posting not in ('posted', 'stopped') then
    raise exception 'the credits of a batch were %', v_posting;
  end if;
  return query select case v_posting when 'stopped' then 'lost' else 'settled' end, v_job.next_batch - p_later,
    v_job.state = 'completed';
end
$$;
