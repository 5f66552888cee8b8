-- Daily partitions of the tables that are partitioned by expires_on.
-- Contains the list of these tables and the functions that create and drop their partitions. The API calls the functions as
-- probity_app; security definer gives them the owner's rights. The last statement creates the first partitions.

-- ---- Tables ----

-- One row per table that deletes expired rows by dropping partitions. days_ahead is how many days after today must have a
-- partition. For tables with follows_retention, the longest retention of any account extends that.
-- Static data, inserted below.
create table partitioned_tables (
  name text primary key,
  days_ahead integer not null,
  follows_retention boolean not null,
  fillfactor smallint not null -- free space on each page allows HOT updates of rows that are updated two or three times
);

insert into partitioned_tables (name, days_ahead, follows_retention, fillfactor) values
  ('validations', 33, true, 60),
  ('idempotency_records', 4, false, 60),
  ('job_batches', 33, true, 100),
  ('result_chunks', 33, true, 100),
  ('webhook_events', 33, false, 60),
  ('requests', 33, false, 60),
  -- Marks expire 90 days after the day on which the message was sent, which can be tomorrow in the sender's time zone.
  ('outcome_marks', 92, false, 60);

grant select on partitioned_tables to probity_app;

-- ---- Functions ----

-- Creates missing partitions from today to the horizon of each table, and attaches them to it.
-- ALTER TABLE ... ATTACH PARTITION does not block reads and writes of the parent; CREATE TABLE ... PARTITION OF does.
-- Input: p_retention_days is a retention that an account is about to set; p_max limits the partitions per call.
-- Output: the number of partitions created; 0 also if another process runs this function or drop_expired_partitions.
-- Locks: advisory lock 'probity partitions' (not waited for) and SHARE UPDATE EXCLUSIVE on the parent tables, until commit.
create function make_partitions(p_retention_days integer default 0, p_max integer default 100) returns integer
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_table record;
  v_day date;
  v_partition text;
  v_made integer := 0;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('probity partitions', 0)) then
    return 0;
  end if;
  for v_table in
    select t.name, t.fillfactor, case when t.follows_retention
      then greatest(t.days_ahead, 3 + (select greatest(p_retention_days, max(a.retention_days)) from accounts a))
      else t.days_ahead end as days_ahead
    from partitioned_tables t
  loop
    for v_day in select utc_today() + n from generate_series(0, v_table.days_ahead) as n loop
      exit when v_made >= p_max;
      v_partition := format('%s_%s', v_table.name, to_char(v_day, 'YYYYMMDD'));
      if to_regclass(v_partition) is null then
        -- LIKE must include the generated columns, because ATTACH rejects a partition without them.
        execute format(
          'create table %I (like %I including defaults including constraints including generated including storage) with (fillfactor = %s)',
          v_partition, v_table.name, v_table.fillfactor);
        execute format('alter table %I attach partition %I for values from (%L) to (%L)',
                       v_table.name, v_partition, v_day, v_day + 1);
        v_made := v_made + 1;
      end if;
    end loop;
  end loop;
  return v_made;
end
$$;

-- Drops the partitions whose day is over and deletes expired rows of uncollected_results and job_breakdowns.
-- Output: the number of partitions dropped; 0 also if another process runs this function or make_partitions.
-- Locks: advisory lock 'probity partitions' (not waited for) and ACCESS EXCLUSIVE on the dropped partitions and their parent
-- tables, until commit.
create function drop_expired_partitions() returns integer
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_partition record;
  v_dropped integer := 0;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('probity partitions', 0)) then
    return 0;
  end if;
  for v_partition in
    select c.oid::regclass as name from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    join partitioned_tables t on to_regclass(t.name) = i.inhparent
    -- Compared as text, not as date: the planner can evaluate this filter for relations whose names do not end in a date.
    where right(c.relname, 8) < to_char(utc_today(), 'YYYYMMDD')
  loop
    execute format('drop table %s', v_partition.name);
    v_dropped := v_dropped + 1;
  end loop;
  delete from uncollected_results where expires_on < utc_today();
  delete from job_breakdowns where expires_on < utc_today();
  return v_dropped;
end
$$;

-- ---- Rights ----

revoke execute on function
  make_partitions, drop_expired_partitions
from public;

grant execute on function
  make_partitions, drop_expired_partitions
to probity_app;

select make_partitions(p_max => 1000);
