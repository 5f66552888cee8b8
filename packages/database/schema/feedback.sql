-- Delivery feedback that accounts report: decayed sums by domain, by class and by predicted deliverability. No addresses.
-- Each sum is valid at counted_at and halves with every half-life after it; readers and writers apply decay_since to it.
-- Subtracting an earlier outcome can leave a value slightly below zero, which readers treat as zero.
-- Used by probity_app; sums over all accounts are read through security definer functions only.

-- ---- Tables ----

-- Per account and domain: decayed sums of delivered and bounced messages. Inserted or updated with each report, deleted by
-- delete_decayed_outcomes.
create table domain_outcomes (
  account_id uuid not null references accounts (id) on delete cascade,
  domain text not null check (octet_length(domain) <= 255),
  delivered double precision not null,
  bounced double precision not null,
  shapes double precision[] not null, -- delivered messages by local-part pattern
  counted_at timestamptz not null default clock_timestamp(),
  primary key (account_id, domain)
);

create index domain_outcomes_by_domain on domain_outcomes (domain);
create index domain_outcomes_by_age on domain_outcomes (counted_at);

alter table domain_outcomes enable row level security;
create policy tenant on domain_outcomes using (account_id = app_account());
grant select, insert on domain_outcomes to probity_app;
grant update (delivered, bounced, shapes, counted_at) on domain_outcomes to probity_app;

-- Per account, sub_status and mailbox provider: decayed sums of outcomes whose prediction was found. Deleted by
-- delete_decayed_outcomes.
create table class_outcomes (
  account_id uuid not null references accounts (id) on delete cascade,
  sub_status text not null check (octet_length(sub_status) <= 40),
  provider text not null check (octet_length(provider) <= 100),
  delivered double precision not null,
  bounced double precision not null,
  machine double precision not null, -- bounced messages with an auto-generated local part
  counted_at timestamptz not null default clock_timestamp(),
  primary key (account_id, sub_status, provider)
);

alter table class_outcomes enable row level security;
create policy tenant on class_outcomes using (account_id = app_account());
grant select, insert on class_outcomes to probity_app;
grant update (delivered, bounced, machine, counted_at) on class_outcomes to probity_app;

-- Predictions compared with outcomes, per account, provider and kind, in ten bins of predicted deliverability. An outcome can
-- have a weight above 1 if only part of the deliveries is reported. n is the unweighted number of outcomes; the other sums are
-- weighted. All are decayed sums. Deleted by delete_decayed_outcomes.
create table calibration (
  account_id uuid not null references accounts (id) on delete cascade,
  provider text not null check (octet_length(provider) <= 100),
  kind text not null check (kind in ('decided', 'weighed')), -- verdict by the mail server, or by scoring
  bin smallint not null check (bin between 0 and 9),
  n double precision not null,
  weight double precision not null,
  sum_p double precision not null,
  sum_squared_error double precision not null,
  delivered double precision not null,
  counted_at timestamptz not null default clock_timestamp(),
  primary key (account_id, provider, kind, bin)
);

create index calibration_by_provider on calibration (provider);

alter table calibration enable row level security;
create policy tenant on calibration using (account_id = app_account());
grant select, insert on calibration to probity_app;
grant update (n, weight, sum_p, sum_squared_error, delivered, counted_at) on calibration to probity_app;

-- One row per counted outcome, so that no outcome is counted twice and a late bounce can replace a counted delivery. mark is a
-- keyed hash (HMAC) of account, address and the day the message was sent. The other columns are what the replacement subtracts.
-- Partitioned by expires_on, so that expired marks are deleted by dropping a partition.
create table outcome_marks (
  expires_on date not null,
  account_id uuid not null, -- no foreign key: row-level security allows only the transaction's account
  mark bytea not null check (length(mark) = 32),
  outcome text not null check (outcome in ('delivered', 'bounced')),
  weight double precision not null check (weight >= 1),
  sub_status text,
  provider text,
  is_decided boolean,
  p double precision check (p between 0 and 1), -- null, like the three columns before it, if no prediction was found
  counted_at timestamptz not null default clock_timestamp(),
  primary key (expires_on, account_id, mark),
  check (num_nulls(sub_status, provider, is_decided, p) in (0, 4))
) partition by range (expires_on);

alter table outcome_marks enable row level security;
create policy tenant on outcome_marks using (account_id = app_account());
grant select, insert, delete on outcome_marks to probity_app; -- deleted by erasures of an address
grant update (outcome, weight, counted_at) on outcome_marks to probity_app;

-- ---- Functions ----

-- Returns the factor between 0 and 1 by which a sum counted at p_counted_at has decayed. VOLATILE because it reads the clock.
-- Locks: none.
create function decay_since(p_counted_at timestamptz, p_half_life_days double precision) returns double precision
  language sql volatile
  return power(
    0.5, greatest(extract(epoch from clock_timestamp() - p_counted_at)::double precision, 0) / 86400 / p_half_life_days
  );

-- Multiplies the array p_kept by p_factor and adds p_added element by element. Missing elements of the shorter array count as 0.
-- Output: the resulting array. Locks: none.
create function add_decayed(p_kept double precision[], p_factor double precision, p_added double precision[])
  returns double precision[]
  language sql immutable
  return array(
    select coalesce(t.kept, 0) * p_factor + coalesce(t.added, 0)
    from unnest(p_kept, p_added) with ordinality as t (kept, added, place) order by t.place
  );

-- Sums the outcomes that all other accounts have reported for the given domains.
-- Input: p_weight_max caps the outcomes of each account per domain, so that no single account determines the results of others.
-- Output: one row per domain with data; shapes is the sum per local-part pattern. Locks: none.
create function sum_domain_outcomes(p_domains text[], p_half_life_days double precision, p_weight_max double precision)
  returns table (domain text, delivered double precision, bounced double precision, shapes double precision[])
  language sql volatile security definer set search_path = public, pg_temp
  begin atomic
    with faded as materialized (
      select d.domain, d.delivered, d.bounced, d.shapes, decay_since(d.counted_at, p_half_life_days) as factor
      from domain_outcomes d
      where d.domain = any (p_domains) and d.account_id is distinct from app_account()
    ), capped as materialized (
      select f.domain, f.delivered, f.bounced, f.shapes,
        f.factor * least(1, p_weight_max / nullif((f.delivered + f.bounced) * f.factor, 0)) as factor
      from faded f
    ), by_shape as (
      select s.domain, array_agg(s.delivered order by s.place) as shapes from (
        select c.domain, t.place, sum(t.delivered * c.factor) as delivered
        from capped c cross join unnest(c.shapes) with ordinality as t (delivered, place)
        group by c.domain, t.place
      ) s group by s.domain
    )
    select c.domain, sum(c.delivered * c.factor), sum(c.bounced * c.factor), coalesce(min(b.shapes), '{}')
    from capped c left join by_shape b on b.domain = c.domain
    group by c.domain;
  end;

-- Sums the calibration bins of all accounts.
-- Input: p_n_max caps the outcomes of each other account per provider and kind; null means no cap. The transaction's own account
-- is not capped. p_providers null means all providers.
-- Output: one row per provider, kind and bin; counted_at is the latest update. Locks: none.
create function sum_calibration(p_half_life_days double precision, p_n_max double precision, p_providers text[])
  returns table (
    provider text, kind text, bin smallint, n double precision, weight double precision, sum_p double precision,
    sum_squared_error double precision, delivered double precision, counted_at timestamptz
  )
  language sql volatile security definer set search_path = public, pg_temp
  begin atomic
    with faded as materialized (
      select c.*, decay_since(c.counted_at, p_half_life_days) as factor from calibration c
      where p_providers is null or c.provider = any (p_providers)
    ), capped as materialized (
      select f.*, f.factor * case
        when p_n_max is null or f.account_id = app_account() then 1
        else least(1, p_n_max / nullif(sum(f.n * f.factor) over (partition by f.account_id, f.provider, f.kind), 0)) end as share
      from faded f
    )
    select c.provider, c.kind, c.bin, sum(c.n * c.share), sum(c.weight * c.share), sum(c.sum_p * c.share),
      sum(c.sum_squared_error * c.share), sum(c.delivered * c.share), max(c.counted_at)
    from capped c group by c.provider, c.kind, c.bin;
  end;

-- Deletes sums that have decayed below p_mass_min: up to p_max domain rows, and all such class and calibration rows.
-- Input: p_mass_min is at most 1/16. A sum is at least 1 when it is written, so domain rows younger than four half-lives are not
-- read. Output: the number of rows deleted. Locks: the deleted rows; domain rows locked by other transactions are skipped.
create function delete_decayed_outcomes(p_half_life_days double precision, p_mass_min double precision, p_max integer)
  returns integer
  language sql security definer set search_path = public, pg_temp
  begin atomic
    with domains as (
      delete from domain_outcomes d where (d.account_id, d.domain) in (
        select k.account_id, k.domain from domain_outcomes k
        where k.counted_at < clock_timestamp() - make_interval(secs => 4 * 86400 * p_half_life_days)
          and (k.delivered + k.bounced) * decay_since(k.counted_at, p_half_life_days) < p_mass_min
        limit p_max for update skip locked
      )
      returning 1
    ), classes as (
      delete from class_outcomes c where (c.delivered + c.bounced) * decay_since(c.counted_at, p_half_life_days) < p_mass_min
      returning 1
    ), bins as (
      delete from calibration c where c.weight * decay_since(c.counted_at, p_half_life_days) < p_mass_min
      returning 1
    )
    select ((select count(*) from domains) + (select count(*) from classes) + (select count(*) from bins))::integer;
  end;

-- ---- Rights ----

revoke execute on function
  sum_domain_outcomes, sum_calibration, delete_decayed_outcomes
from public;

grant execute on function
  sum_domain_outcomes, sum_calibration, delete_decayed_outcomes
to probity_app;
