-- The audit log of an organisation holds names, invited addresses and network addresses of people: it leaves with the organisation. That it
-- was removed stays known, by its id.
create function audit_is_kept() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if exists (select from accounts where id = old.account_id and closed_at is not null) then
    return old;
  end if;
  raise exception 'the audit log is append only';
end
$$;

drop trigger kept_for_a_year on audit_entries;
create trigger kept_for_a_year before delete on audit_entries
  for each row when (old.at > clock_timestamp() - interval '365 days') execute function audit_is_kept();

-- As in 0029, but of what goes with a closed organisation nothing more is told.
create or replace function note_audit(
  p_account uuid, p_action text, p_subject_id text, p_subject_name text, p_changes jsonb, p_self uuid default null
) returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_actor jsonb := coalesce(nullif(current_setting('app.actor', true), ''), '{}')::jsonb;
  v_kind text := v_actor ->> 'kind';
begin
  if p_account is not null and p_action <> 'account.deleted'
    and not exists (select from accounts where id = p_account and closed_at is null) then
    return;
  end if;
  if v_kind is null or v_kind = 'nobody' then
    v_kind := case when p_self is null then 'service' else 'member' end;
    v_actor := jsonb_build_object('ip', v_actor ->> 'ip', 'id', p_self, 'name', (select name from people where id = p_self));
  elsif (v_actor ->> 'account')::uuid is distinct from p_account and v_actor ? 'account' then
    v_kind := 'service';
    v_actor := '{}';
  end if;
  insert into audit_entries (account_id, actor, actor_id, actor_name, ip, action, subject_id, subject_name, changes)
  values (p_account, v_kind, (v_actor ->> 'id')::uuid, left(v_actor ->> 'name', 200), left(v_actor ->> 'ip', 60), p_action,
          p_subject_id, left(p_subject_name, 200), coalesce(p_changes, '{}'));
end
$$;

-- As in 0026, with the log.
create or replace function remove_closed_account(p_after_s integer, p_limit integer) returns table (account_id uuid, is_gone boolean)
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_account uuid;
  v_part record;
  v_count bigint;
  v_left bigint := p_limit;
begin
  select a.id into v_account from accounts a
  where a.closed_at < clock_timestamp() - make_interval(secs => p_after_s)
    and not exists (select from uploads u where u.account_id = a.id)
  order by a.closed_at limit 1 for update skip locked;
  if not found then
    return;
  end if;
  -- Partition by partition, whose names end with their day: what has expired leaves with its partition anyway.
  for v_part in
    select c.relname as name, to_date(right(c.relname, 8), 'YYYYMMDD') as day
    from partitioned_tables t join pg_inherits i on i.inhparent = to_regclass(t.name) join pg_class c on c.oid = i.inhrelid
  loop
    exit when v_left <= 0;
    execute format('with part as (select ctid from %1$I where expires_on = $1 and account_id = $2 limit $3)
      delete from %1$I t using part where t.ctid = part.ctid', v_part.name) using v_part.day, v_account, v_left;
    get diagnostics v_count = row_count;
    v_left := v_left - v_count;
  end loop;
  if v_left > 0 then
    delete from waiting_answers w where w.account_id = v_account;
    delete from audit_entries e where e.account_id = v_account;
    delete from accounts a where a.id = v_account;
  end if;
  return query select v_account, v_left > 0;
end
$$;
