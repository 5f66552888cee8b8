-- Ends a batch of the transaction's tenant: keeps the results that came out, counts them, moves the job on and charges for exactly
-- the rows that were inserted here, so that a batch worked on twice is paid for once. `p_later` is how many new batches the job
-- needs numbers for; `first_no` is the first of them. `completed`: it was the last, and the job has ended.
--
-- `lost`: the batch is another's by now, its job has ended or its account is under audit. The caller rolls back: some of it may be
-- done by then. Locks are taken as everybody takes them, the batch, then the job, then the account; the long part, which is
-- inserting, comes before the two that others of the same list wait for.
create function settle_batch(
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
    insert into job_results (expires_on, account_id, job_id, row_no, email, status, sub_status, answer)
    select p_expires_on, v_account, p_job, r.row_no, r.email, r.status, r.sub_status, r.answer::json
    from rows from (unnest(p_row_nos, p_emails, p_statuses, p_sub_statuses), string_to_table(p_answers, E'\n'))
      as r (row_no, email, status, sub_status, answer)
    on conflict do nothing
    returning status, sub_status
  ), tally as (
    select i.status, i.sub_status, count(*)::integer as count from inserted i group by i.status, i.sub_status
  )
  select coalesce(array_agg(row(v_account, p_job, t.status, t.sub_status, t.count)::job_counts), '{}'), coalesce(sum(t.count), 0),
    coalesce(sum(t.count) filter (where t.status = 'unknown'), 0)
  into v_tally, v_done, v_unknown from tally t;

  update jobs j set
    next_batch = j.next_batch + p_later, done_count = j.done_count + v_done,
    refunded_count = j.refunded_count + (case when j.refund_unknown then v_unknown * j.credits_per_email else 0 end),
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
  if v_posting = 'posted' and v_job.refund_unknown and v_unknown * v_job.credits_per_email > 0 then
    select p.outcome into v_posting from ledger_post('refund', v_unknown * v_job.credits_per_email, p_job, p_no, v_job.key_id) p;
  end if;
  if v_posting not in ('posted', 'stopped') then
    raise exception 'the credits of a batch were %', v_posting;
  end if;
  return query select case v_posting when 'stopped' then 'lost' else 'settled' end, v_job.next_batch - p_later,
    v_job.state = 'completed';
end
$$;
