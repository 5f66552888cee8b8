-- Rules of an account's own that turn a result into a decision, in the form of the contract, which checks them. The ones that every
-- account has are in the contract too; one here with the same name takes their place.
create table policies (
  account_id uuid not null references accounts (id) on delete cascade,
  name text not null check (name ~ '^[a-z0-9][a-z0-9_-]{0,49}$'),
  description text not null default '' check (length(description) <= 200),
  rules jsonb not null check (jsonb_typeof(rules) = 'array' and jsonb_array_length(rules) <= 50),
  fallback jsonb not null check (jsonb_typeof(fallback) = 'object'),
  created_at timestamptz not null default clock_timestamp(),
  primary key (account_id, name)
);

alter table policies enable row level security;
create policy tenant on policies using (account_id = app_account());
grant select, insert, delete on policies to probity_app;
grant update (description, rules, fallback) on policies to probity_app;
