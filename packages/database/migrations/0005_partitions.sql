-- The tables that forget by dropping partitions, and how many days ahead of today they must have one. The default reaches
-- over the default retention; an account that keeps longer moves the horizon for all.
create table partitioned_tables (
  name text primary key,
  days_ahead integer not null,
  follows_retention boolean not null
);

insert into partitioned_tables (name, days_ahead, follows_retention) values
  ('validations', 33, true),
  ('idempotency_records', 4, false);

-- Makes the partitions that are missing. A partition is built apart and then attached, because attaching lets readers and
-- writers of the parent go on while creating in place would stop them.
create function make_partitions() returns integer
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_table record;
  v_day date;
  v_partition text;
  v_made integer := 0;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('probity partitions', 0)) then
    return 0; -- another process is at it
  end if;
  for v_table in
    select t.name, case when t.follows_retention
      then greatest(t.days_ahead, 3 + (select coalesce(max(a.retention_days), 0) from accounts a))
      else t.days_ahead end as days_ahead
    from partitioned_tables t
  loop
    for v_day in select utc_today() + n from generate_series(0, v_table.days_ahead) as n loop
      v_partition := format('%s_%s', v_table.name, to_char(v_day, 'YYYYMMDD'));
      if to_regclass(v_partition) is null then
        -- Rows are inserted once and changed two or three times: room on the page keeps the changes there.
        execute format('create table %I (like %I including defaults including constraints) with (fillfactor = 60)',
                       v_partition, v_table.name);
        execute format('alter table %I attach partition %I for values from (%L) to (%L)',
                       v_table.name, v_partition, v_day, v_day + 1);
        v_made := v_made + 1;
      end if;
    end loop;
  end loop;
  return v_made;
end
$$;

-- Drops the partitions whose day is over, and with them everything that expired.
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
    -- Compared as text: the planner may look at names here that are no partition's and end in no date.
    where right(c.relname, 8) < to_char(utc_today(), 'YYYYMMDD')
  loop
    execute format('drop table %s', v_partition.name);
    v_dropped := v_dropped + 1;
  end loop;
  delete from waiting_answers where expires_on < utc_today();
  return v_dropped;
end
$$;

revoke execute on function make_partitions(), drop_expired_partitions() from public;
grant execute on function make_partitions(), drop_expired_partitions() to probity_app;

select make_partitions();
