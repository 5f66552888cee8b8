-- Names and tags of jobs. Email notifications show the name, and an erasure removes an address from both.

alter table jobs
  add column name text check (length(name) between 1 and 200),
  add column tags text[] not null default '{}'
    check (cardinality(tags) <= 10 and array_position(tags, null) is null and octet_length(array_to_string(tags, '')) <= 1600);

grant update (name, tags) on jobs to probity_app;

-- Removes mentions of an erased address of the transaction's account: names of files in uploads, jobs and notifications, names, tags
-- and references of jobs, and events that wait for a stream.
-- Input: p_texts are spellings of the address in lower case. Output: none. Locks: the changed rows until commit.
create or replace function erase_mentions(p_texts text[]) returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update uploads u set filename = 'erased.csv'
  where u.account_id = app_account() and exists (select from unnest(p_texts) t where strpos(lower(u.filename), t) > 0);
  update jobs j set filename = 'erased.csv'
  where j.account_id = app_account() and exists (select from unnest(p_texts) t where strpos(lower(j.filename), t) > 0);
  update jobs j set reference = null
  where j.account_id = app_account() and exists (select from unnest(p_texts) t where strpos(lower(j.reference), t) > 0);
  update jobs j set name = null
  where j.account_id = app_account() and exists (select from unnest(p_texts) t where strpos(lower(j.name), t) > 0);
  update jobs j set tags = array(
    select g.tag from unnest(j.tags) with ordinality g (tag, n)
    where not exists (select from unnest(p_texts) t where strpos(lower(g.tag), t) > 0) order by g.n)
  where j.account_id = app_account() and exists (select from unnest(j.tags) g, unnest(p_texts) t where strpos(lower(g), t) > 0);
  update notifications n set data = n.data || jsonb_build_object('filename', 'erased.csv')
  where n.account_id = app_account() and exists (select from unnest(p_texts) t where strpos(lower(n.data ->> 'filename'), t) > 0);
  delete from stream_events e
  where e.account_id = app_account() and exists (select from unnest(p_texts) t where strpos(lower(e.body), t) > 0);
end
$$;

-- Queues an email notification to members when a live job completes or fails. Trigger function. Output: null. Locks: none.
create or replace function notify_job_end() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform notify_members(new.account_id, 'job_done', new.id::text,
    jsonb_build_object('job_id', new.id, 'filename', coalesce(new.name, new.filename), 'state', new.state, 'count', new.unique_count));
  return null;
end
$$;

-- Queues email notifications for live jobs kept at least 7 days whose results are deleted in 3 days. Output: none. Locks: none.
create or replace function notify_expiring_results() returns void
  language sql security definer set search_path = public, pg_temp
  begin atomic
    select notify_members(j.account_id, 'retention_warning', j.id::text,
      jsonb_build_object('job_id', j.id, 'filename', coalesce(j.name, j.filename), 'on', j.expires_on + 1))
    from jobs j
    where j.mode = 'live' and j.state = 'completed' and j.expires_on = utc_today() + 2
      and j.expires_on - (j.created_at at time zone 'utc')::date >= 7;
  end;
