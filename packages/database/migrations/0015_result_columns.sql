-- What results are looked up and counted by besides their status, out of the answer: reading a hundred thousand answers for one page
-- would take seconds. Made by the database itself, so that no insert can say otherwise. Adding them writes the kept results anew.
alter table job_results
  add column provider text not null generated always as (coalesce(answer #>> '{details,provider}', '')) stored,
  add column domain text not null generated always as (coalesce(answer #>> '{details,domain}', '')) stored,
  add column safe_to_send boolean not null generated always as (coalesce((answer ->> 'safe_to_send')::boolean, false)) stored;

-- As before, and with the columns that the database makes: without them a new partition is not one of its table.
create or replace function make_partitions(p_retention_days integer default 0, p_max integer default 100) returns integer
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
      then greatest(t.days_ahead, 3 + (select greatest(p_retention_days, max(a.retention_days)) from accounts a))
      else t.days_ahead end as days_ahead
    from partitioned_tables t
  loop
    for v_day in select utc_today() + n from generate_series(0, v_table.days_ahead) as n loop
      exit when v_made >= p_max;
      v_partition := format('%s_%s', v_table.name, to_char(v_day, 'YYYYMMDD'));
      if to_regclass(v_partition) is null then
        -- Rows are inserted once and changed two or three times: room on the page keeps the changes there.
        execute format('create table %I (like %I including defaults including constraints including generated) with (fillfactor = 60)',
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
