-- What became of mail that was sent, as customers report it: sums that fade, and no address. Every number is what it was at
-- counted_at and has lost half of itself for each half-life since; readers and writers bring it up to their own time. Taking back what
-- was added earlier may leave a hair less than zero, which readers take for zero.
create function decay_since(p_counted_at timestamptz, p_half_life_days double precision) returns double precision
  language sql volatile
  return power(0.5, greatest(extract(epoch from clock_timestamp() - p_counted_at)::double precision, 0) / 86400 / p_half_life_days);

-- Two lists added place by place, the first of them faded; the shorter one counts as zero where it has ended.
create function add_faded(p_kept double precision[], p_factor double precision, p_added double precision[]) returns double precision[]
  language sql immutable
  return array(
    select coalesce(t.kept, 0) * p_factor + coalesce(t.added, 0)
    from unnest(p_kept, p_added) with ordinality as t (kept, added, place) order by t.place
  );

create table domain_outcomes (
  account_id uuid not null references accounts (id) on delete cascade,
  domain text not null check (octet_length(domain) <= 255),
  delivered double precision not null,
  bounced double precision not null,
  shapes double precision[] not null, -- what was delivered, by how the local part is built
  counted_at timestamptz not null default clock_timestamp(),
  primary key (account_id, domain)
);
create index domain_outcomes_by_domain on domain_outcomes (domain);
create index domain_outcomes_by_age on domain_outcomes (counted_at);

-- By what the checks came to and who runs the mailboxes, for outcomes whose prediction was found.
create table class_outcomes (
  account_id uuid not null references accounts (id) on delete cascade,
  sub_status text not null check (octet_length(sub_status) <= 40),
  provider text not null check (octet_length(provider) <= 100),
  delivered double precision not null,
  bounced double precision not null,
  machine double precision not null, -- of those that bounced: how many looked made by a machine
  counted_at timestamptz not null default clock_timestamp(),
  primary key (account_id, sub_status, provider)
);

-- What was predicted beside what came of it, by tenths of the prediction. Outcomes may weigh more than one each, where few of the
-- deliveries are reported; n is how many there were, and all else is weighed.
create table calibration (
  account_id uuid not null references accounts (id) on delete cascade,
  provider text not null check (octet_length(provider) <= 100),
  kind text not null check (kind in ('decided', 'weighed')), -- by the mail server, or by us where it did not say
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

-- Which outcomes were counted, so that none is counted twice and a bounce that comes late can take the delivery back. The mark is a
-- keyed hash of account, address and the day the mail was sent; beside it stands what has to be taken back, and nothing else.
create table outcome_marks (
  expires_on date not null,
  account_id uuid not null, -- without a foreign key: row-level security lets in only the tenant of the transaction
  mark bytea not null check (length(mark) = 32),
  outcome text not null check (outcome in ('delivered', 'bounced')),
  weight double precision not null check (weight >= 1),
  sub_status text,
  provider text,
  is_decided boolean,
  p double precision check (p between 0 and 1), -- null, as the three before it, where no prediction was found
  counted_at timestamptz not null default clock_timestamp(),
  primary key (expires_on, account_id, mark),
  check (num_nulls(sub_status, provider, is_decided, p) in (0, 4))
) partition by range (expires_on);

alter table domain_outcomes enable row level security;
alter table class_outcomes enable row level security;
alter table calibration enable row level security;
alter table outcome_marks enable row level security;
create policy tenant on domain_outcomes using (account_id = app_account());
create policy tenant on class_outcomes using (account_id = app_account());
create policy tenant on calibration using (account_id = app_account());
create policy tenant on outcome_marks using (account_id = app_account());
grant select, insert on domain_outcomes, class_outcomes, calibration, outcome_marks to probity_app;
grant update (delivered, bounced, shapes, counted_at) on domain_outcomes to probity_app;
grant update (delivered, bounced, machine, counted_at) on class_outcomes to probity_app;
grant update (n, weight, sum_p, sum_squared_error, delivered, counted_at) on calibration to probity_app;
grant update (outcome, weight, counted_at) on outcome_marks to probity_app;

-- A mark stays for 90 days from the day its mail was sent, which may be tomorrow where the sender is.
insert into partitioned_tables (name, days_ahead, follows_retention) values ('outcome_marks', 92, false);
select make_partitions();

insert into secrets values
  ('outcome_marks', sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'utf8')));

-- What the other accounts know of these domains, summed. None of them counts for more than p_weight_max outcomes at a domain,
-- however many it reports: nobody alone decides what another is told.
create function share_domain_outcomes(p_domains text[], p_half_life_days double precision, p_weight_max double precision)
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

-- What was predicted and what came of it over all accounts, at these providers or at all. Where a bound is given, no account but the transaction's own counts for
-- more than so many outcomes of one provider and kind.
create function share_calibration(p_half_life_days double precision, p_n_max double precision, p_providers text[])
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

-- Removes sums that have faded to less than p_mass_min, so many domains at a time. Every sum is one at least when it is written, so
-- none of those younger than four half-lives can have; that leaves most domains unread.
create function remove_faded_outcomes(p_half_life_days double precision, p_mass_min double precision, p_max integer) returns integer
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

revoke execute on function
  share_domain_outcomes(text[], double precision, double precision), share_calibration(double precision, double precision, text[]),
  remove_faded_outcomes(double precision, double precision, integer) from public;
grant execute on function
  share_domain_outcomes(text[], double precision, double precision), share_calibration(double precision, double precision, text[]),
  remove_faded_outcomes(double precision, double precision, integer) to probity_app;
