-- Every worker looks several times a second whether a list is to be planned, batches are to be let out or webhooks to be told. Where
-- nothing is, one question finds that out for all three, by the first entry of an index each.
create function work_at_hand(out plans boolean, out batches boolean, out deliveries boolean)
  language plpgsql stable security definer set search_path = public, pg_temp as $$
begin
  plans := exists (select from jobs j where j.state in ('queued', 'planning'));
  batches := exists (select from jobs j where j.state = 'processing');
  deliveries := exists (select from webhook_deliveries d where d.state = 'pending');
end
$$;

revoke execute on function work_at_hand() from public;
grant execute on function work_at_hand() to probity_app;
