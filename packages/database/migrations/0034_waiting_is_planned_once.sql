-- Every worker asks every second which validations nobody works on. As a function in SQL it was planned for each question, over all
-- days that are kept: that took ten times as long as to look. One in PL/pgSQL keeps its plan for as long as a connection lasts.
create or replace function list_waiting_validations(p_older_than_ms integer, p_limit integer, p_egresses text[])
  returns table (expires_on date, account_id uuid, id uuid)
  language plpgsql stable security definer set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  return query
    select v.expires_on, v.account_id, v.id from validations v
    where v.state = 'open' and v.expires_on >= utc_today()
      and v.created_at < clock_timestamp() - make_interval(secs => p_older_than_ms / 1000.0)
      and (v.taken_until is null or v.taken_until < clock_timestamp())
      and (v.next_attempt_at is null or v.next_attempt_at <= clock_timestamp())
      and (v.egress is null or v.egress = any (p_egresses) or v.next_attempt_at < clock_timestamp() - interval '10 minutes')
    order by v.created_at limit p_limit;
end
$$;
