-- Returns whether workers can probe mail servers. One worker with SMTP access is enough.
-- Input: p_except is a process id to ignore, or null.
-- Output: mode (smtp | dns) and the reason for dns; no row if no other worker sent a heartbeat in the last 35 seconds.
-- Workers that run only webhooks are ignored. A worker that does not report facts.probing has mode smtp if it has an egress. If no
-- worker can probe, a blocked port takes precedence over a missing HELO name, because other workers have a HELO name then.
-- Locks: none.
create or replace function find_probing(p_except uuid) returns table (mode text, reason text)
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select w.mode, w.reason
    from processes p
    cross join lateral (
      select p.facts -> 'probing' ->> 'mode' as said, coalesce(p.facts -> 'egresses', '[]') <> '[]' as has_name
    ) f
    cross join lateral (
      select coalesce(f.said, case when f.has_name then 'smtp' else 'dns' end) as mode,
             case when f.said is not null then p.facts -> 'probing' ->> 'reason'
                  when f.has_name then null else 'no_helo_name' end as reason
    ) w
    where p.kind = 'worker' and p.seen_at > clock_timestamp() - interval '35 seconds' and p.id is distinct from p_except
      and coalesce(p.facts -> 'tasks', '["validations"]') ?| array['validations', 'jobs']
    order by w.mode = 'smtp' desc, w.reason = 'no_helo_name', w.reason
    limit 1;
  end;

-- Whether a worker that validates addresses has a heartbeat; a worker can be set to run only webhooks. Without one, validations do
-- not start and jobs make no progress.
-- Locks: none.
create or replace function has_worker() returns boolean
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select exists (
      select from processes
      where kind = 'worker' and seen_at > clock_timestamp() - interval '35 seconds'
        and coalesce(facts -> 'tasks', '["validations"]') ?| array['validations', 'jobs']);
  end;
