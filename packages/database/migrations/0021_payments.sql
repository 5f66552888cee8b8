-- What the operator sells through Stripe, by the id of the price there: so many credits at once, or a plan with credits for each
-- period that is paid. What it costs stands at Stripe alone.
create table prices (
  id text primary key constraint prices_id_check check (id ~ '^price_[A-Za-z0-9_]{1,200}$'),
  plan text references plans (name),
  credits bigint not null constraint prices_credits_check check (credits between 0 and 1000000000),
  -- One that is withdrawn is sold no more. It stays, because those who have subscribed to it pay for it still.
  withdrawn boolean not null default false,
  constraint prices_gives_something check (plan is not null or credits > 0)
);
grant select on prices to probity_app;

-- Who an account is at Stripe.
create table billing_customers (
  account_id uuid primary key references accounts (id) on delete cascade,
  customer text not null unique,
  -- The plan that a subscription took the place of, and that the account goes back to.
  plan_before text references plans (name)
);
alter table billing_customers enable row level security;
create policy tenant on billing_customers using (account_id = app_account());
grant select, insert on billing_customers to probity_app;

-- What was or is to be paid for, by its name at Stripe: a Checkout session, or an invoice of a subscription. The id is the subject
-- of what moves in the ledger for it. What it gives is settled when it is offered, so that a change of prices changes no sale.
create table payments (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts (id) on delete cascade,
  reference text not null unique,
  credits bigint not null check (credits > 0),
  created_at timestamptz not null default clock_timestamp(),
  granted_at timestamptz,
  refunds integer not null default 0,
  -- Of credits whose price was paid back: those that were taken, and those that had been spent already.
  taken_back bigint not null default 0 check (taken_back >= 0),
  spent_already bigint not null default 0 check (spent_already >= 0),
  check (taken_back + spent_already <= credits)
);
create index payments_by_account on payments (account_id, created_at);
alter table payments enable row level security;
create policy tenant on payments using (account_id = app_account());
grant select, insert on payments to probity_app;
grant update (granted_at, refunds, taken_back, spent_already) on payments to probity_app;

-- How the account's subscriptions stood when Stripe was last asked.
create table subscriptions (
  id text primary key,
  account_id uuid not null references accounts (id) on delete cascade,
  price text not null,
  pays boolean not null,
  began_at timestamptz not null,
  asked_at timestamptz not null
);
create index subscriptions_by_account on subscriptions (account_id);
alter table subscriptions enable row level security;
create policy tenant on subscriptions using (account_id = app_account());
grant select on subscriptions to probity_app;

-- Events that Stripe sent and what came of each. Written in the transaction that does what the event asks for.
create table stripe_events (
  id text primary key,
  type text not null,
  outcome text not null,
  at timestamptz not null default clock_timestamp()
);
grant select, insert on stripe_events to probity_app;
grant update (outcome) on stripe_events to probity_app;

-- Whose customer this is. Events name nobody else, so this is asked before there is a tenant.
create function find_billing_account(p_customer text) returns uuid
  language sql stable security definer set search_path = public, pg_temp
  return (select c.account_id from billing_customers c where c.customer = p_customer);

-- Notes how a subscription of the transaction's tenant stood at a time, and gives the account the plan that it pays for: that of the
-- youngest subscription that pays, or the one from before. What was learnt earlier than what is known already changes nothing.
-- Returns the plan that the account has then.
create function keep_subscription(p_id text, p_price text, p_pays boolean, p_began_at timestamptz, p_asked_at timestamptz) returns text
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_customer billing_customers;
  v_plan text;
begin
  -- Two events of one account wait for each other here.
  select * into strict v_customer from billing_customers c where c.account_id = app_account() for update;

  insert into subscriptions as s (id, account_id, price, pays, began_at, asked_at)
  values (p_id, v_customer.account_id, p_price, p_pays, p_began_at, p_asked_at)
  on conflict (id) do update set price = excluded.price, pays = excluded.pays, asked_at = excluded.asked_at
  where s.account_id = excluded.account_id and s.asked_at <= excluded.asked_at;

  select p.plan into v_plan from subscriptions s join prices p on p.id = s.price
  where s.account_id = v_customer.account_id and s.pays and p.plan is not null
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

revoke execute on function
  find_billing_account(text), keep_subscription(text, text, boolean, timestamptz, timestamptz) from public;
grant execute on function
  find_billing_account(text), keep_subscription(text, text, boolean, timestamptz, timestamptz) to probity_app;
