-- Jobs from the file of an earlier job, of all of its rows or of those whose result was unknown.

alter table jobs
  add column rerun_of uuid,
  add column rerun_rows text check (rerun_rows in ('all', 'unknown'));
