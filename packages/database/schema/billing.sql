-- Credits and billing: the ledger with its functions, and the Stripe data (prices, customers, payments, subscriptions, events).
-- probity_app (API) reads the tables and changes balances through ledger_post and record_reversal only. probity_operator calls ledger_post
-- for grants and adjustments. Jobs and validations post settle, release and refund in the functions that end them (settle_batches, end_job,
-- finish_validations), so the worker and maintenance may execute no function of the ledger. The owner maintains prices.

-- ---- Tables ----

-- One row per transaction kind. The factors (-1, 0, 1) define how the kind changes the available, reserved and spent balances.
-- Static data, inserted below.
create table ledger_kinds (
  kind text primary key,
  available smallint not null,
  reserved smallint not null,
  spent smallint not null,
  counts_toward_cap boolean not null,
  meaning text not null,
  -- Kinds that take credits from the account are rejected while it is on hold; the other kinds continue.
  blocked_on_hold boolean not null
);

insert into ledger_kinds (kind, available, reserved, spent, counts_toward_cap, blocked_on_hold, meaning) values
  ('grant',    1,  0,  0, false, false, 'credits bought or granted'),
  ('adjust',   1,  0,  0, false, false, 'correction by an operator'),
  ('charge',  -1,  0,  1, true,  true,  'validations charged when they start'),
  ('reserve', -1,  1,  0, true,  true,  'credits reserved for a job'),
  ('settle',   0, -1,  1, false, true,  'stored results of a job'),
  ('release',  1, -1,  0, false, false, 'credits that a job did not use'),
  ('refund',   1,  0, -1, false, false, 'refund of results without a verdict');

grant select on ledger_kinds to probity_app;

-- Append-only record of all credit transactions. subject identifies what is paid for: a group of validations, one validation,
-- a job or a payment. part is the batch number of a job or the refund number of a payment. One subject is posted at most once
-- per kind and part. Rows are never deleted, not even with the account.
create table ledger (
  id bigint generated always as identity,
  -- account_id and key_id have no foreign keys: only the functions below insert rows, after they have locked the account
  -- row, and a foreign key would be checked for each of millions of rows. Ledger rows also outlive a deleted account.
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
  -- Only grant and adjust change the total; every other kind moves credits between the three balances.
  check (kind in ('grant', 'adjust') or d_available + d_reserved + d_spent = 0)
);

-- Finds the accounts with recent transactions. Rows are stored in time order, so a small BRIN index is sufficient.
create index ledger_by_time on ledger using brin (at) with (pages_per_range = 32, autosummarize = on);

alter table ledger enable row level security;
create policy tenant on ledger using (account_id = app_account());
grant select on ledger to probity_app;

-- One row per Stripe price that the operator sells: a credit pack, or a plan with credits for each paid period.
-- Stripe alone stores the amount of money.
create table prices (
  id text primary key constraint prices_id_check check (id ~ '^price_[A-Za-z0-9_]{1,200}$'),
  plan text references plans (name),
  credits bigint not null constraint prices_credits_check check (credits between 0 and 1000000000),
  -- A withdrawn price is no longer sold. The row is kept because existing subscriptions still pay it.
  withdrawn boolean not null default false,
  constraint prices_gives_something check (plan is not null or credits > 0)
);

grant select on prices to probity_app;

-- Maps an account to its Stripe customer. Written when the account starts its first checkout, deleted with the account.
create table billing_customers (
  account_id uuid primary key references accounts (id) on delete cascade,
  customer text not null unique,
  -- The plan before the subscription; restored when no paid subscription remains. Null while no subscription sets the plan.
  plan_before text references plans (name)
);

alter table billing_customers enable row level security;
create policy tenant on billing_customers using (account_id = app_account());
grant select, insert on billing_customers to probity_app;

-- One row per Checkout session or subscription invoice. reference is its Stripe id; id is the ledger subject of its grant.
-- credits is fixed when the row is inserted, so that a later price change does not affect the sale.
-- Granted rows are kept, so that no payment is granted twice. delete_old_payments deletes rows that were never paid.
create table payments (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts (id) on delete cascade,
  reference text not null unique,
  credits bigint not null check (credits >= 0), -- 0 for the disputed invoice of a plan without credits
  created_at timestamptz not null default clock_timestamp(),
  granted_at timestamptz,
  -- Credits whose money was refunded or disputed, and whether a dispute is open or lost, as Stripe said at checked_at.
  -- Written by record_reversal. reversals counts the changes; it is the part of their ledger rows.
  credits_reversed bigint not null default 0 check (credits_reversed between 0 and credits),
  is_disputed boolean not null default false,
  reversals integer not null default 0,
  checked_at timestamptz
);

create index payments_by_account on payments (account_id, created_at);
-- For delete_old_payments. Stripe keeps a Checkout session open for one day and resends an event for up to 30 days.
create index payments_not_granted on payments (created_at) where granted_at is null;

alter table payments enable row level security;
create policy tenant on payments using (account_id = app_account());
grant select, insert on payments to probity_app;
grant update (granted_at) on payments to probity_app;

-- State of each Stripe subscription when the API last retrieved it from Stripe (checked_at). Written by record_subscription.
create table subscriptions (
  id text primary key,
  account_id uuid not null references accounts (id) on delete cascade,
  price text not null,
  is_paid boolean not null,
  began_at timestamptz not null,
  checked_at timestamptz not null
);

create index subscriptions_by_account on subscriptions (account_id);

alter table subscriptions enable row level security;
create policy tenant on subscriptions using (account_id = app_account());
grant select on subscriptions to probity_app;

-- One row per processed Stripe event, with its outcome. Inserted in the transaction that processes the event, so that an event
-- is processed once. Deleted by delete_old_payments.
create table stripe_events (
  id text primary key,
  type text not null,
  outcome text not null,
  at timestamptz not null default clock_timestamp()
);

create index stripe_events_by_time on stripe_events (at);

grant select, insert on stripe_events to probity_app;
grant update (outcome) on stripe_events to probity_app;

-- One row per user who was granted opening credits, so that no user is granted them twice. Written by create_account (users.sql).
-- Rows are never deleted, not even with the user. The address is stored as a keyed hash only (HMAC-SHA-256 with the secret
-- opening_grants of the address without its tag), so that it is recognized at a new sign-up and cannot be read.
-- No role has rights on the table.
create table opening_grants (
  address_hash bytea primary key check (length(address_hash) = 32),
  user_id uuid not null unique, -- no foreign key: the row outlives the user
  granted_at timestamptz not null default clock_timestamp()
);

-- ---- Functions ----

-- Rejects every update, delete and truncate of the ledger. Trigger function.
-- Output: none; raises an exception. Locks: none.
create function ledger_is_append_only() returns trigger
  language plpgsql as $$
begin
  raise exception 'the ledger is append only';
end
$$;

-- Applies transactions that were inserted into the ledger in the same database transaction to the account's balances and to
-- the daily usage. Emits credits.low when the available balance falls below the threshold.
-- Input: p_credits is the total of the transactions, all of kind p_kind and API key p_key.
-- Output: none.
-- Locks: the account row, which the calling function has locked already, and the usage_days row, until commit.
create function apply_to_balance(p_account uuid, p_kind ledger_kinds, p_credits bigint, p_key uuid) returns void
  language plpgsql as $$
declare
  v_was_low boolean;
  v_account accounts;
begin
  -- The calling function has locked the account row, so this read and the update below see the same values.
  select a.credits_low into v_was_low from accounts a where a.id = p_account;
  update accounts a set
    available = a.available + p_credits * p_kind.available,
    reserved = a.reserved + p_credits * p_kind.reserved,
    spent = a.spent + p_credits * p_kind.spent,
    last_grant = case p_kind.kind when 'grant' then p_credits else a.last_grant end,
    -- A grant leaves more than a tenth of itself, so after it only the account's own setting counts.
    credits_low = not a.unlimited and a.available + p_credits * p_kind.available
      < case p_kind.kind when 'grant' then coalesce(a.low_credits, 0) else low_credits_threshold(a) end
  where a.id = p_account
  returning a.* into v_account;
  if v_account.credits_low and not v_was_low then
    perform emit_event('live', 'credits.low', json_build_object(
      'available', v_account.available, 'threshold', low_credits_threshold(v_account), 'reserved', v_account.reserved
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

-- Inserts one ledger row and applies it to the balances, without any check.
-- Input: p_credits is positive, except for kind adjust. Output: none.
-- Locks: as apply_to_balance; the calling function has locked the account row.
create function ledger_insert(
  p_account uuid, p_kind ledger_kinds, p_credits bigint, p_subject uuid, p_part integer, p_key uuid, p_note text
) returns void
  language plpgsql as $$
begin
  insert into ledger (account_id, kind, subject, part, d_available, d_reserved, d_spent, key_id, note)
  values (p_account, p_kind.kind, p_subject, p_part,
          p_credits * p_kind.available, p_credits * p_kind.reserved, p_credits * p_kind.spent, p_key, p_note);
  perform apply_to_balance(p_account, p_kind, p_credits, p_key);
end
$$;

-- The refund rule: returns whether the credit of a result without a verdict is refunded. Unknown results are refunded if the plan includes
-- it; results that were not probed for lack of an egress, never started, or ended without DNS, are refunded on every plan, because the
-- account received nothing for them. A result without a status counts as unknown.
-- Input: p_refund_unknown is the plan setting. Output: true or false, never null. Locks: none.
create function is_refunded(p_refund_unknown boolean, p_status text, p_sub_status text) returns boolean
  language sql immutable
  return coalesce(p_status, 'unknown') = 'unknown'
    and (p_refund_unknown or coalesce(p_sub_status in ('not_probed', 'not_started', 'dns_failed'), false));

-- Takes the debt of an account from its available balance, limited to that balance.
-- Input: p_subject and p_part identify the ledger row. Output: the credits taken.
-- Locks: the account row, which the calling function has locked already.
create function collect_debt(p_account uuid, p_subject uuid, p_part integer, p_note text) returns bigint
  language plpgsql as $$
declare
  v_taken bigint;
begin
  select least(a.debt, a.available) into v_taken from accounts a where a.id = p_account;
  if v_taken > 0 then
    perform ledger_insert(p_account, k, -v_taken, p_subject, p_part, null, p_note) from ledger_kinds k where k.kind = 'adjust';
    update accounts a set debt = a.debt - v_taken where a.id = p_account;
  end if;
  return v_taken;
end
$$;

-- Posts one credit transaction for the transaction's account: checks it, writes the ledger row and updates the balances.
-- An unlimited account is first granted the credits that it lacks. A debt is taken from the balance before credits are spent,
-- and from each grant at once.
-- Input: p_subject identifies what is paid for; one subject is posted at most once per kind and part. p_credits is positive,
-- except for kind adjust.
-- Output: the available balance and the outcome. Only posted changes anything:
--   posted        the ledger row was written and the balances were updated
--   replayed      the subject was posted before with the same number of credits
--   on_hold       the account is on hold (ledger mismatch, or closed), and the kind has blocked_on_hold
--   insufficient  the available balance is too low
--   over_cap      the monthly cap of the API key would be exceeded
-- Locks: the account row (no key update), then the usage_days row, until commit.
create function ledger_post(
  p_kind text, p_credits bigint, p_subject uuid, p_part integer default 0, p_key uuid default null, p_note text default null
) returns table (outcome text, available bigint)
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_kind ledger_kinds;
  v_account accounts;
  v_before bigint;
  v_short bigint;
begin
  select * into strict v_kind from ledger_kinds k where k.kind = p_kind;
  if p_credits is null or p_credits = 0 or (p_credits < 0 and p_kind <> 'adjust') then
    raise exception 'a % of % credits makes no sense', p_kind, p_credits;
  end if;

  -- Serializes the transactions of one account: everything read below stays valid until commit, and ledger ids are assigned
  -- in commit order, on which ledger_sums depends (reconciliation.sql).
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

  if v_kind.blocked_on_hold and v_account.on_hold_since is not null then
    return query select 'on_hold', v_account.available;
    return;
  end if;

  if p_key is not null and v_kind.counts_toward_cap then
    if remaining_key_cap(v_account.id, p_key) < p_credits then
      return query select 'over_cap', v_account.available;
      return;
    end if;
  end if;

  if v_account.debt > 0 and v_kind.available < 0 then
    v_account.available := v_account.available - collect_debt(v_account.id, gen_random_uuid(), 0, 'debt of reversed payments');
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
  if v_account.debt > 0 and v_kind.kind = 'grant' then
    perform collect_debt(v_account.id, gen_random_uuid(), 0, 'debt of reversed payments');
  end if;
  return query select 'posted', a.available from accounts a where a.id = v_account.id;
end
$$;

-- Refunds one credit for each of several validations of the transaction's account, with one lock and one balance update. Called by
-- finish_validations, which has ended them.
-- Input: p_subjects are validation ids; validations that were refunded before are skipped. p_key is the API key of all of them.
-- Output: the number of validations refunded.
-- Locks: the account row (no key update), then the usage_days row, until commit.
create function ledger_refund_validations(p_subjects uuid[], p_key uuid) returns bigint
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_kind ledger_kinds;
  v_account uuid;
  v_count bigint;
begin
  select * into strict v_kind from ledger_kinds k where k.kind = 'refund';
  select a.id into strict v_account from accounts a where a.id = app_account() for no key update;

  with posted as (
    insert into ledger (account_id, kind, subject, part, d_available, d_reserved, d_spent, key_id)
    select v_account, v_kind.kind, s, 0, v_kind.available, v_kind.reserved, v_kind.spent, p_key
    from unnest(p_subjects) as s
    on conflict (account_id, kind, subject, part) do nothing
    returning 1
  )
  select count(*) into v_count from posted;
  if v_count > 0 then
    perform apply_to_balance(v_account, v_kind, v_count, p_key);
  end if;
  return v_count;
end
$$;

-- Posts several parts of one subject for the transaction's account, with one lock and one balance update: the rules of ledger_post for
-- settle and refund. Called by settle_batches, which stores the results of the parts.
-- Input: p_parts and p_credits have one entry per part; credits are positive.
-- Output: the outcome for all parts. Only posted changes anything:
--   posted    at least one part was written; parts that were posted before with the same number of credits are left as they are
--   replayed  all parts were posted before with the same numbers of credits
--   on_hold   the account is on hold, and the kind has blocked_on_hold
-- Locks: the account row (no key update), then the usage_days row, until commit.
create function ledger_post_parts(p_kind text, p_subject uuid, p_key uuid, p_parts integer[], p_credits bigint[]) returns text
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_kind ledger_kinds;
  v_account accounts;
  v_total bigint;
begin
  select * into strict v_kind from ledger_kinds k where k.kind = p_kind;
  if p_kind not in ('settle', 'refund') then
    raise exception 'a % is not posted in parts', p_kind; -- other kinds need the checks of the balance and of the monthly cap
  end if;
  if cardinality(p_parts) = 0 or cardinality(p_parts) <> cardinality(p_credits) or 0 >= any (p_credits)
     or array_position(p_parts, null) is not null or array_position(p_credits, null) is not null then
    raise exception 'a % of % credits for parts % makes no sense', p_kind, p_credits, p_parts;
  end if;

  -- Serializes the transactions of one account, as in ledger_post.
  select * into strict v_account from accounts a where a.id = app_account() for no key update;

  if exists (
    select from unnest(p_parts, p_credits) as p (part, credits) join ledger l
      on l.account_id = v_account.id and l.kind = p_kind and l.subject = p_subject and l.part = p.part
    where abs(l.d_available) + abs(l.d_reserved) <> p.credits * (abs(v_kind.available) + abs(v_kind.reserved))
  ) then
    raise exception 'a part of subject % was posted before with other credits', p_subject;
  end if;

  if v_kind.blocked_on_hold and v_account.on_hold_since is not null then
    return 'on_hold';
  end if;

  with posted as (
    insert into ledger (account_id, kind, subject, part, d_available, d_reserved, d_spent, key_id)
    select v_account.id, p_kind, p_subject, p.part, p.credits * v_kind.available, p.credits * v_kind.reserved, p.credits * v_kind.spent, p_key
    from unnest(p_parts, p_credits) as p (part, credits) order by p.part
    on conflict (account_id, kind, subject, part) do nothing
    returning abs(d_spent) as credits
  )
  select sum(p.credits) into v_total from posted p;
  if v_total is null then
    return 'replayed';
  end if;
  perform apply_to_balance(v_account.id, v_kind, v_total, p_key);
  return 'posted';
end
$$;

-- Returns the available balance below which an account is low on credits: its own setting, otherwise a tenth of the last grant,
-- otherwise 100. Locks: none.
create function low_credits_threshold(p_account accounts) returns bigint
  language sql immutable
  return coalesce(p_account.low_credits, ceil(p_account.last_grant / 10.0)::bigint, 100);

-- Returns the account id of a Stripe customer, or null. Stripe events name only the customer, so the API calls this before it
-- sets the transaction's account; hence security definer. Locks: none.
create function find_billing_account(p_customer text) returns uuid
  language sql stable security definer set search_path = public, pg_temp
  return (select c.account_id from billing_customers c where c.customer = p_customer);

-- Records the state of a subscription of the transaction's account and updates the account's plan: the plan of its newest
-- paid subscription, or else the plan it had before it subscribed.
-- Input: p_checked_at is when Stripe returned the state; a state older than the recorded one is ignored.
-- Output: the account's plan.
-- Locks: the billing_customers row (update), then the subscription and account rows if they change, until commit.
create function record_subscription(
  p_id text, p_price text, p_is_paid boolean, p_began_at timestamptz, p_checked_at timestamptz
) returns text
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_customer billing_customers;
  v_plan text;
begin
  -- Serializes the Stripe events of one account.
  select * into strict v_customer from billing_customers c where c.account_id = app_account() for update;

  insert into subscriptions as s (id, account_id, price, is_paid, began_at, checked_at)
  values (p_id, v_customer.account_id, p_price, p_is_paid, p_began_at, p_checked_at)
  on conflict (id) do update set price = excluded.price, is_paid = excluded.is_paid, checked_at = excluded.checked_at
  where s.account_id = excluded.account_id and s.checked_at <= excluded.checked_at;

  select p.plan into v_plan from subscriptions s join prices p on p.id = s.price
  where s.account_id = v_customer.account_id and s.is_paid and p.plan is not null
  order by s.began_at desc, s.id limit 1;

  if v_plan is not null and v_customer.plan_before is null then
    update billing_customers c set plan_before = a.plan from accounts a
    where c.account_id = v_customer.account_id and a.id = c.account_id;
  elsif v_plan is null then
    v_plan := v_customer.plan_before;
    update billing_customers c set plan_before = null where c.account_id = v_customer.account_id;
  end if;

  update accounts a set plan = v_plan where a.id = v_customer.account_id and a.plan <> v_plan;
  return (select a.plan from accounts a where a.id = v_customer.account_id);
end
$$;

-- Records how much of a payment of the transaction's account was reversed (refunded or disputed). Credits that were reversed
-- since the last call are taken from the balance; those that are not available become a debt (accounts.debt), which later
-- credits pay. If less is reversed than before (a dispute was won, a refund failed), the debt falls first and the rest is
-- returned to the balance.
-- Input: p_lost of p_paid, in the smallest currency unit. p_checked_at is when Stripe returned the state; a state older than the
-- recorded one is ignored. p_suspends: a new dispute suspends the account. The account is reactivated when its last dispute was won,
-- unless an operator suspended it too.
-- Output: the credits reversed by this call, negative if returned, and the account's debt; no row if the payment was not granted.
-- Locks: the payment row (update), then those of suspend_account, then the account row (no key update), until commit.
create function record_reversal(
  p_reference text, p_lost bigint, p_paid bigint, p_is_disputed boolean, p_suspends boolean, p_checked_at timestamptz
) returns table (change bigint, debt bigint)
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_payment payments;
  v_account accounts;
  v_change bigint := 0;
  v_returned bigint;
begin
  select * into v_payment from payments p
  where p.account_id = app_account() and p.reference = p_reference and p.granted_at is not null for update;
  if not found then
    return;
  end if;
  if v_payment.checked_at > p_checked_at then
    return query select 0::bigint, a.debt from accounts a where a.id = v_payment.account_id;
    return;
  end if;
  -- Before the account is locked: suspend_account locks jobs, which settlement locks before the account.
  if p_is_disputed and not v_payment.is_disputed and p_suspends and suspend_account(v_payment.account_id) then
    update accounts a set dispute_suspended_at = a.suspended_at where a.id = v_payment.account_id;
  end if;
  select * into strict v_account from accounts a where a.id = v_payment.account_id for no key update;

  -- In whole numbers, as numeric: the product can exceed bigint.
  if p_paid > 0 then
    v_change := div(v_payment.credits::numeric * least(p_lost, p_paid), p_paid)::bigint - v_payment.credits_reversed;
  end if;
  update payments p set
    credits_reversed = p.credits_reversed + v_change, reversals = p.reversals + (v_change <> 0)::integer,
    is_disputed = p_is_disputed, checked_at = p_checked_at
  where p.id = v_payment.id;
  if v_change > 0 then
    update accounts a set debt = a.debt + v_change where a.id = v_account.id;
    perform collect_debt(v_account.id, v_payment.id, v_payment.reversals, left('reversed: ' || p_reference, 200));
  elsif v_change < 0 then
    v_returned := greatest(-v_change - v_account.debt, 0);
    update accounts a set debt = a.debt - (-v_change - v_returned) where a.id = v_account.id;
    if v_returned > 0 then
      perform ledger_insert(v_account.id, k, v_returned, v_payment.id, v_payment.reversals, null,
                            left('reversal ended: ' || p_reference, 200))
      from ledger_kinds k where k.kind = 'adjust';
    end if;
  end if;

  if v_payment.is_disputed and not exists (select from payments p where p.account_id = v_account.id and p.is_disputed) then
    update accounts a set suspended_at = null where a.id = v_account.id and a.suspended_at = a.dispute_suspended_at;
  end if;
  return query select v_change, a.debt from accounts a where a.id = v_account.id;
end
$$;

-- Deletes unpaid payments and Stripe events that are older than p_days, up to p_max rows of each.
-- Output: the number of rows deleted. Locks: the deleted rows; rows locked by other transactions are skipped.
create function delete_old_payments(p_days integer, p_max integer) returns integer
  language sql security definer set search_path = public, pg_temp
  begin atomic
    with unpaid as (
      delete from payments p where p.id in (
        select k.id from payments k
        where k.granted_at is null and k.created_at < clock_timestamp() - make_interval(days => p_days)
        limit p_max for update skip locked
      )
      returning 1
    ), told as (
      delete from stripe_events e where e.id in (
        select k.id from stripe_events k where k.at < clock_timestamp() - make_interval(days => p_days)
        limit p_max for update skip locked
      )
      returning 1
    )
    select ((select count(*) from unpaid) + (select count(*) from told))::integer;
  end;

-- Writes an audit entry for each grant and adjustment, of every actor: credits come from nowhere else. Only the grants of unlimited
-- accounts appear in the ledger alone, because there is one per charge, and no more is granted than is charged. Trigger function.
-- Output: null. Locks: none.
create function audit_grant() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if new.note = 'unlimited account' and exists (select from accounts a where a.id = new.account_id and a.unlimited) then
    return null;
  end if;
  perform record_audit_entry(new.account_id, case when new.d_available > 0 then 'credits.granted' else 'credits.taken' end, null, null,
    jsonb_build_object('credits', jsonb_build_array(null, abs(new.d_available)), 'note', jsonb_build_array(null, new.note)));
  return null;
end
$$;

-- ---- Triggers ----

create trigger append_only before update or delete or truncate on ledger
  for each statement execute function ledger_is_append_only();

create trigger audit after insert on ledger for each row when (new.kind in ('grant', 'adjust')) execute function audit_grant();

-- ---- Rights ----

revoke execute on function
  apply_to_balance, ledger_insert, collect_debt, ledger_post, ledger_post_parts,
  ledger_refund_validations, find_billing_account, record_subscription, record_reversal, delete_old_payments, audit_grant
from public;

revoke execute on function low_credits_threshold from public;
grant execute on function low_credits_threshold to probity_app;

grant execute on function
  ledger_post
to probity_operator;

grant execute on function
  ledger_post, find_billing_account, record_subscription, record_reversal, delete_old_payments
to probity_app;
