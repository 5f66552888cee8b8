-- Names and tags of jobs. An erasure removes an address from them, too.

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
