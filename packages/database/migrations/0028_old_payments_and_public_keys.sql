-- Pages to pay on that nobody paid on, and what Stripe told long ago, leave in the end. Stripe keeps a page open for a day and sends an
-- event again for 30 days at most; what was granted stays for good, so that nothing is ever granted twice.
create index payments_not_granted on payments (created_at) where granted_at is null;
create index stripe_events_by_time on stripe_events (at);

create function remove_old_payments(p_days integer, p_max integer) returns integer
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

revoke execute on function remove_old_payments(integer, integer) from public;
grant execute on function remove_old_payments(integer, integer) to probity_app;

-- A publishable key stands in pages for everybody to read, so it can be shown again. Those made before are not known: only their hash is.
alter table api_keys add column public_text text check (public_text is null or kind = 'publishable');
