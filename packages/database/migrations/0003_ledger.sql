-- Which way each kind of movement carries credits between an account's three balances.
create table ledger_kinds (
  kind text primary key,
  available smallint not null,
  reserved smallint not null,
  spent smallint not null,
  needs_key_within_cap boolean not null,
  meaning text not null
);

insert into ledger_kinds (kind, available, reserved, spent, needs_key_within_cap, meaning) values
  ('grant',    1,  0,  0, false, 'credits bought or given'),
  ('adjust',   1,  0,  0, false, 'an operator''s correction, up or down'),
  ('charge',  -1,  0,  1, true,  'validations that were begun'),
  ('reserve', -1,  1,  0, true,  'set aside for a list'),
  ('settle',   0, -1,  1, false, 'results of a list that were inserted'),
  ('release',  1, -1,  0, false, 'what a list did not use'),
  ('refund',   1,  0, -1, false, 'given back for results that ended unknown');

grant select on ledger_kinds to probity_app;

-- Every movement of credits there ever was. Append only. The subject is what the movement is for (a group of validations,
-- one validation, a list; the part is the list's batch), and one subject is moved for at most once per kind.
create table ledger (
  id bigint generated always as identity,
  -- Without foreign keys: only the functions below write here, after they have read both, and a key would be checked anew
  -- for each of millions of rows.
  account_id uuid not null,
  kind text not null check (kind in ('grant', 'adjust', 'charge', 'reserve', 'settle', 'release', 'refund')),
  subject uuid not null,
  part integer not null default 0,
  d_available bigint not null,
  d_reserved bigint not null,
  d_spent bigint not null,
  key_id uuid,
  note text check (length(note) <= 200),
  at timestamptz not null default clock_timestamp(),
  primary key (account_id, id),
  unique (account_id, kind, subject, part),
  -- Credits enter and leave by a grant or an adjustment; everything else only moves them.
  check (kind in ('grant', 'adjust') or d_available + d_reserved + d_spent = 0)
);

alter table ledger enable row level security;
create policy tenant on ledger using (account_id = app_account());
grant select on ledger to probity_app;

create function ledger_is_append_only() returns trigger
  language plpgsql as $$
begin
  raise exception 'the ledger is append only';
end
$$;
create trigger append_only before update or delete or truncate on ledger
  for each statement execute function ledger_is_append_only();

-- Moves an account's balances, and the day's usage with them, by what was written to its ledger in the same transaction.
create function balance_move(p_account uuid, p_kind ledger_kinds, p_credits bigint, p_key uuid) returns void
  language plpgsql as $$
begin
  update accounts set
    available = available + p_credits * p_kind.available,
    reserved = reserved + p_credits * p_kind.reserved,
    spent = spent + p_credits * p_kind.spent
  where id = p_account;

  if p_kind.kind not in ('grant', 'adjust') then
    insert into usage_days (account_id, day, key_id, credits_used, credits_committed)
    values (p_account, utc_today(), coalesce(p_key, '00000000-0000-0000-0000-000000000000'),
            p_credits * p_kind.spent, -p_credits * p_kind.available)
    on conflict (account_id, day, key_id) do update set
      credits_used = usage_days.credits_used + excluded.credits_used,
      credits_committed = usage_days.credits_committed + excluded.credits_committed;
  end if;
end
$$;

create function ledger_insert(
  p_account uuid, p_kind ledger_kinds, p_credits bigint, p_subject uuid, p_part integer, p_key uuid, p_note text
) returns void
  language plpgsql as $$
begin
  insert into ledger (account_id, kind, subject, part, d_available, d_reserved, d_spent, key_id, note)
  values (p_account, p_kind.kind, p_subject, p_part,
          p_credits * p_kind.available, p_credits * p_kind.reserved, p_credits * p_kind.spent, p_key, p_note);
  perform balance_move(p_account, p_kind, p_credits, p_key);
end
$$;

-- What a key has committed in the running calendar month.
create function key_committed_this_month(p_account uuid, p_key uuid) returns bigint
  language sql stable
  return (
    select coalesce(sum(credits_committed), 0)::bigint from usage_days
    where account_id = p_account and key_id = p_key and day >= date_trunc('month', utc_today())::date
  );

-- The only way credits move. Works on the transaction's own tenant. Outcomes:
--   posted        the balances moved and the row was written
--   replayed      this subject was posted before with the same credits; nothing moved
--   insufficient  the balance does not hold that much; nothing moved
--   over_cap      the key's monthly cap does not allow it; nothing moved
create function ledger_post(
  p_kind text, p_credits bigint, p_subject uuid, p_part integer default 0, p_key uuid default null, p_note text default null
) returns table (outcome text, available bigint)
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_kind ledger_kinds;
  v_account accounts;
  v_before bigint;
  v_short bigint;
  v_cap bigint;
begin
  select * into strict v_kind from ledger_kinds k where k.kind = p_kind;
  if p_credits is null or p_credits = 0 or (p_credits < 0 and p_kind <> 'adjust') then
    raise exception 'a % of % credits makes no sense', p_kind, p_credits;
  end if;

  -- One account's movements stand in a queue here, so all that is read below stays true until the commit.
  select * into strict v_account from accounts a where a.id = app_account() for no key update;

  select abs(l.d_available) + abs(l.d_reserved) into v_before from ledger l
  where l.account_id = v_account.id and l.kind = p_kind and l.subject = p_subject and l.part = p_part;
  if found then
    if v_before <> abs(p_credits) * (abs(v_kind.available) + abs(v_kind.reserved)) then
      raise exception 'subject % was posted before with other credits', p_subject;
    end if;
    return query select 'replayed', v_account.available;
    return;
  end if;

  if p_key is not null and v_kind.needs_key_within_cap then
    select k.monthly_cap into v_cap from api_keys k where k.id = p_key and k.account_id = v_account.id;
    if v_cap is not null and key_committed_this_month(v_account.id, p_key) + p_credits > v_cap then
      return query select 'over_cap', v_account.available;
      return;
    end if;
  end if;

  v_short := -(v_account.available + p_credits * v_kind.available);
  if v_short > 0 then
    if not v_account.unlimited or p_kind = 'adjust' then
      return query select 'insufficient', v_account.available;
      return;
    end if;
    perform ledger_insert(v_account.id, k, v_short, gen_random_uuid(), 0, null, 'unlimited account')
    from ledger_kinds k where k.kind = 'grant';
  end if;

  perform ledger_insert(v_account.id, v_kind, p_credits, p_subject, p_part, p_key, p_note);
  return query select 'posted', a.available from accounts a where a.id = v_account.id;
end
$$;

revoke execute on function
  ledger_post(text, bigint, uuid, integer, uuid, text),
  ledger_insert(uuid, ledger_kinds, bigint, uuid, integer, uuid, text),
  balance_move(uuid, ledger_kinds, bigint, uuid),
  key_committed_this_month(uuid, uuid)
  from public;
grant execute on function ledger_post(text, bigint, uuid, integer, uuid, text) to probity_app;

-- Accounts whose balances are not the sum of their ledger. Always empty; anything else is the gravest fault we know.
create view ledger_drift as
  select a.id as account_id,
         a.available - coalesce(sum(l.d_available), 0)::bigint as available,
         a.reserved - coalesce(sum(l.d_reserved), 0)::bigint as reserved,
         a.spent - coalesce(sum(l.d_spent), 0)::bigint as spent
  from accounts a left join ledger l on l.account_id = a.id
  group by a.id
  having a.available <> coalesce(sum(l.d_available), 0)
      or a.reserved <> coalesce(sum(l.d_reserved), 0)
      or a.spent <> coalesce(sum(l.d_spent), 0);
