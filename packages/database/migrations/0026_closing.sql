-- An account whose owner has deleted it. From that moment nobody gets in and nothing is charged; its rows leave a little later, since a
-- process must first have seen that its keys are revoked.
drop function low_credits_of(accounts); -- stands in the way of new columns, as in 0019
alter table accounts add column closed_at timestamptz;
create function low_credits_of(p_account accounts) returns bigint
  language sql immutable
  return coalesce(p_account.low_credits, ceil(p_account.last_grant / 10.0)::bigint, 100);
create index accounts_closed on accounts (closed_at) where closed_at is not null;

-- As in 0013, and one that is deleted needs no owner any more.
create or replace function members_keep_an_owner() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if old.role = 'owner' and (tg_op = 'DELETE' or new.role <> 'owner' or new.account_id <> old.account_id) then
    perform 1 from accounts where id = old.account_id and closed_at is null for no key update;
    if found and not exists (select from members where account_id = old.account_id and role = 'owner') then
      raise exception 'an organisation keeps an owner' using errcode = 'PB001';
    end if;
  end if;
  return null;
end
$$;

-- Shuts the account of the transaction's tenant for good. Its lists must have been cancelled before: what was set aside for them comes
-- back by the ledger, which moves nothing of a closed account.
create function close_account() returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_account uuid := app_account();
begin
  update accounts a set
    closed_at = clock_timestamp(), charging_stopped_at = coalesce(a.charging_stopped_at, clock_timestamp()),
    name = 'Deleted', slug = null, logo = null, metadata = null
  where a.id = v_account;
  update api_keys k set revoked_at = coalesce(k.revoked_at, clock_timestamp()) where k.account_id = v_account;
  update uploads u set expires_at = clock_timestamp() where u.account_id = v_account;
  delete from webhook_endpoints e where e.account_id = v_account;
  delete from invitations i where i.account_id = v_account;
  delete from notices n where n.account_id = v_account;
  delete from members m where m.account_id = v_account;
end
$$;

-- Removes up to so many rows of one account that was closed so long ago and whose files are gone, and in the end the account itself. The
-- ledger stays: it knows amounts and ids, and nobody's name or address. Returns no row where there is nothing to do.
create function remove_closed_account(p_after_s integer, p_limit integer) returns table (account_id uuid, is_gone boolean)
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
    delete from accounts a where a.id = v_account;
  end if;
  return query select v_account, v_left > 0;
end
$$;

-- The people of the transaction's tenant, for those who take all their data with them.
create function list_account_people() returns table (name text, email text, role text, since timestamptz)
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select p.name, p.email, m.role, m.created_at from members m join people p on p.id = m.person_id
    where m.account_id = app_account() order by m.created_at, m.id;
  end;

revoke execute on function close_account(), remove_closed_account(integer, integer), list_account_people() from public;
grant execute on function close_account(), remove_closed_account(integer, integer), list_account_people() to probity_app;
