-- What was given back on each day, beside what was used: a day on which a list was refunded for another day's charge would
-- otherwise look as if less had been asked. What is used stays what it was, charges less refunds.
alter table usage_days add column credits_refunded bigint not null default 0;

update usage_days u set credits_refunded = r.credits
from (
  select l.account_id, (l.at at time zone 'utc')::date as day,
         coalesce(l.key_id, '00000000-0000-0000-0000-000000000000') as key_id, -sum(l.d_spent) as credits
  from ledger l where l.kind = 'refund' group by 1, 2, 3
) r
where u.account_id = r.account_id and u.day = r.day and u.key_id = r.key_id;

create or replace function balance_move(p_account uuid, p_kind ledger_kinds, p_credits bigint, p_key uuid) returns void
  language plpgsql as $$
declare
  v_was_low boolean;
  v_account accounts;
begin
  -- The callers hold the account's lock, so that what is read of it beside the update is what is updated.
  select a.credits_low into v_was_low from accounts a where a.id = p_account;
  update accounts a set
    available = a.available + p_credits * p_kind.available,
    reserved = a.reserved + p_credits * p_kind.reserved,
    spent = a.spent + p_credits * p_kind.spent,
    last_grant = case p_kind.kind when 'grant' then p_credits else a.last_grant end,
    credits_low = not a.unlimited and a.available + p_credits * p_kind.available < case
      when p_kind.kind = 'grant' then coalesce(a.low_credits, ceil(p_credits / 10.0)::bigint) else low_credits_of(a) end
  where a.id = p_account
  returning a.* into v_account;
  if v_account.credits_low and not v_was_low then
    perform emit_event('live', 'credits.low', json_build_object(
      'available', v_account.available, 'threshold', low_credits_of(v_account), 'reserved', v_account.reserved
    ));
  end if;

  if p_kind.kind not in ('grant', 'adjust') then
    insert into usage_days (account_id, day, key_id, credits_used, credits_committed, credits_refunded)
    values (p_account, utc_today(), coalesce(p_key, '00000000-0000-0000-0000-000000000000'),
            p_credits * p_kind.spent, -p_credits * p_kind.available,
            case p_kind.kind when 'refund' then p_credits else 0 end)
    on conflict (account_id, day, key_id) do update set
      credits_used = usage_days.credits_used + excluded.credits_used,
      credits_committed = usage_days.credits_committed + excluded.credits_committed,
      credits_refunded = usage_days.credits_refunded + excluded.credits_refunded;
  end if;
end
$$;
