-- What an account has said of addresses, or of all addresses of a domain: always take it, or never. The entry is written as the engine
-- compares addresses, so that one look-up by its text finds it.
create table listings (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts (id) on delete cascade,
  entry text not null check (length(entry) between 1 and 400),
  list text not null check (list in ('allow', 'block')),
  note text not null default '' check (length(note) <= 200),
  added_by text check (length(added_by) <= 200),
  added_at timestamptz not null default clock_timestamp(),
  unique (account_id, entry)
);

alter table listings enable row level security;
create policy tenant on listings using (account_id = app_account());
grant select, insert, delete on listings to probity_app;
grant update (list, note, added_by, added_at) on listings to probity_app;

-- Which list a result was on when it was kept. Not made from the answer, as its neighbours are: that would write all kept results anew.
alter table job_results add column listed text check (listed in ('allow', 'block'));

-- As in 0011, with that column. Workers of the version before send answers without it.
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

-- From where an account may be used at all, by its keys and by its members; anywhere while the list is empty. PostgreSQL adds no
-- column with a check to a table whose row a function of this form takes.
drop function low_credits_of(accounts);
alter table accounts add column ip_allow_list text[] not null default '{}' check (cardinality(ip_allow_list) <= 50);
grant update (ip_allow_list) on accounts to probity_app;

create function low_credits_of(p_account accounts) returns bigint
  language sql immutable
  return coalesce(p_account.low_credits, ceil(p_account.last_grant / 10.0)::bigint, 100);

-- A cached key carries it.
create trigger note_network_change after update of ip_allow_list on accounts
  for each row execute function accounts_note_change();

drop function find_api_key(bytea);
drop function find_member(uuid, uuid);

-- As in 0024 and 0019, with what is new.
create function find_api_key(p_hash bytea)
  returns table (
    id uuid, account_id uuid, mode text, name text, scopes text[], ip_allow_list text[],
    expires_at timestamptz, paused_at timestamptz, revoked_at timestamptz, retention_days smallint,
    plan text, api_access boolean, requests_per_window integer, window_s integer, interactive_in_flight integer,
    refund_unknown boolean, ai boolean, catchall boolean, send_threshold double precision, send_excludes text[],
    kind text, allowed_origins text[], visitor_cap integer, account_ip_allow_list text[]
  )
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select k.id, k.account_id, k.mode, k.name, k.scopes, k.ip_allow_list,
           k.expires_at, k.paused_at, k.revoked_at, a.retention_days,
           p.name, p.api_access, p.requests_per_window, p.window_s, p.interactive_in_flight,
           p.refund_unknown, p.ai_enhancement, p.catchall_detection, a.send_threshold, a.send_excludes,
           k.kind, k.allowed_origins, k.visitor_cap, a.ip_allow_list
    from api_keys k join accounts a on a.id = k.account_id join plans p on p.name = a.plan
    where k.hash = p_hash;
  end;

create function find_member(p_person uuid, p_account uuid)
  returns table (
    account_id uuid, role text, retention_days smallint, plan text, requests_per_window integer, window_s integer,
    interactive_in_flight integer, refund_unknown boolean, ai boolean, catchall boolean, send_threshold double precision,
    send_excludes text[], account_ip_allow_list text[]
  )
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select m.account_id, m.role, a.retention_days, p.name, p.requests_per_window, p.window_s, p.interactive_in_flight,
           p.refund_unknown, p.ai_enhancement, p.catchall_detection, a.send_threshold, a.send_excludes, a.ip_allow_list
    from members m join accounts a on a.id = m.account_id join plans p on p.name = a.plan
    where m.person_id = p_person and m.account_id = p_account;
  end;

-- From where an account may be used that is named by its id or by an invitation to it: for what the sign-in library does.
create function find_network(p_account uuid, p_invitation uuid) returns text[]
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select a.ip_allow_list from accounts a
    where a.id = coalesce(p_account, (select i.account_id from invitations i where i.id = p_invitation));
  end;

revoke execute on function find_api_key(bytea), find_member(uuid, uuid), find_network(uuid, uuid) from public;
grant execute on function find_api_key(bytea), find_member(uuid, uuid), find_network(uuid, uuid) to probity_app;
