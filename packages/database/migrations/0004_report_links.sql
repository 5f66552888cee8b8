-- Links to the report of a job, for readers without a login.

-- Links to the report of a job, a page with its sums that needs no login. The token of a link is stored as a hash only. A revoked or
-- expired link is kept until the next one of the job is created.
create table report_links (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts (id) on delete cascade,
  job_id uuid not null references jobs (id) on delete cascade,
  token_hash bytea not null unique check (length(token_hash) = 32),
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  check (expires_at <= created_at + interval '90 days 1 minute')
);

create index report_links_by_job on report_links (job_id);
create index report_links_by_account on report_links (account_id);

alter table report_links enable row level security;
create policy tenant on report_links using (account_id = app_account());
grant select, insert, delete on report_links to probity_app;
grant update (revoked_at) on report_links to probity_app;

-- Finds the job of a report link that can be opened, by the hash of its token: the only proof that the client needs.
-- Output: one row, or none, as for closed and suspended accounts. Locks: none.
create function find_report_link(p_token_hash bytea)
  returns table (account_id uuid, job_id uuid, mode text, expires_at timestamptz)
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select l.account_id, l.job_id, j.mode, l.expires_at
    from report_links l join jobs j on j.id = l.job_id join accounts a on a.id = l.account_id
    where l.token_hash = p_token_hash and l.revoked_at is null and l.expires_at > clock_timestamp()
      and a.closed_at is null and a.suspended_at is null;
  end;

revoke execute on function find_report_link from public;
grant execute on function find_report_link to probity_app;

-- Writes one audit entry per changed row (trigger function).
-- Input: trigger arguments are the noun, the name column, the columns whose values are logged, and the columns to ignore.
-- Other columns are logged without values. An update that changes only ignored columns is not logged.
-- Output: null (after trigger).
-- Locks: none.
create or replace function audit_row() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_old jsonb := case when tg_op = 'INSERT' then '{}' else to_jsonb(old) end;
  v_new jsonb := case when tg_op = 'DELETE' then '{}' else to_jsonb(new) end;
  v_row jsonb := case when tg_op = 'DELETE' then v_old else v_new end;
  v_shown text[] := string_to_array(tg_argv[2], ' ');
  v_passed text[] := string_to_array(tg_argv[3], ' ');
  v_changes jsonb;
  v_name text;
begin
  if tg_op <> 'DELETE' then
    select jsonb_object_agg(c, case when c = any (v_shown) then jsonb_build_array(v_old -> c, v_new -> c) end) into v_changes
    from jsonb_object_keys(v_new) c
    where v_new -> c is distinct from coalesce(v_old -> c, 'null') and c <> all (v_passed)
      and (tg_op = 'UPDATE' or c = any (v_shown));
    if tg_op = 'UPDATE' and v_changes is null then
      return null;
    end if;
  end if;
  v_name := v_row ->> tg_argv[1];
  if tg_argv[1] = 'user_id' then
    select p.name into v_name from users p where p.id = (v_row ->> 'user_id')::uuid;
  elsif tg_argv[1] = 'url' then
    v_name := substring(v_name from '^https?://([^/?#]+)'); -- host only: path and query can contain a secret
  elsif tg_argv[1] = 'job_id' then
    select coalesce(j.name, j.filename) into v_name from jobs j where j.id = (v_row ->> 'job_id')::uuid;
  end if;
  perform record_audit_entry(
    (v_row ->> case when tg_table_name = 'accounts' then 'id' else 'account_id' end)::uuid,
    audit_action(tg_argv[0], tg_op, v_row, v_changes), coalesce(v_row ->> 'id', v_row ->> tg_argv[1]), v_name, v_changes
  );
  return null;
end
$$;

create trigger audit after insert or update on report_links for each row execute function
  audit_row('report_link', 'job_id', 'expires_at', 'token_hash');
