-- The hash of an uploaded file, which finds an earlier upload of the same file.
alter table uploads add column file_hash text check (length(file_hash) = 64);
