-- Which backups were made, so that the doctor and the metrics can say how old the last one is. A row tells of a file, not where it is: the operator knows.
create table backups (
  id bigint generated always as identity primary key,
  made_at timestamptz not null,
  bytes bigint not null check (bytes > 0),
  sha256 text not null
);

grant select on backups to probity_app;
