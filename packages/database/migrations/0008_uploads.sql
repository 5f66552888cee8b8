-- Files that customers have sent and not yet confirmed. The file itself is kept elsewhere, under storage_key; nothing of its
-- cells is here. A row outlives its file by nothing: the file is removed first, and then the row.
create table uploads (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts (id) on delete cascade,
  mode text not null check (mode in ('live', 'test')), -- of the key that sent it
  filename text not null check (length(filename) between 1 and 200),
  size_bytes bigint not null check (size_bytes > 0),
  columns text[] not null check (cardinality(columns) between 1 and 256),
  delimiter text not null check (length(delimiter) = 1),
  encoding text not null check (encoding in ('utf-8', 'utf-16le', 'utf-16be', 'windows-1252')),
  has_header boolean not null,
  suggested_column text not null,
  row_count integer not null check (row_count > 0),
  email_count integer not null check (email_count between 1 and row_count), -- of the suggested column, as the next
  unique_count integer not null check (unique_count between 1 and email_count),
  storage_key text not null unique,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null default clock_timestamp() + interval '24 hours',
  check (suggested_column = any (columns))
);

create index uploads_by_account on uploads (account_id);
create index uploads_by_expiry on uploads (expires_at);

alter table uploads enable row level security;
create policy tenant on uploads using (account_id = app_account());
grant select, insert on uploads to probity_app;

-- The uploads whose time is over, whoever owns them, and where their files are. Longest over first.
create function list_expired_uploads(p_limit integer) returns table (id uuid, storage_key text)
  language sql stable security definer set search_path = public, pg_temp
  begin atomic
    select u.id, u.storage_key from uploads u where u.expires_at <= clock_timestamp() order by u.expires_at limit p_limit;
  end;

-- Forgets uploads whose files have been removed. One whose time is not over stays, whatever the caller says.
create function remove_expired_uploads(p_ids uuid[]) returns void
  language sql security definer set search_path = public, pg_temp
  begin atomic
    delete from uploads u where u.id = any (p_ids) and u.expires_at <= clock_timestamp();
  end;

revoke execute on function list_expired_uploads(integer), remove_expired_uploads(uuid[]) from public;
grant execute on function list_expired_uploads(integer), remove_expired_uploads(uuid[]) to probity_app;
