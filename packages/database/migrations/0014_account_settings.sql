-- What an account may set of itself. For a longer retention its rows need partitions further ahead, so whoever sets it looks first
-- whether they are there.
grant update (name, retention_days) on accounts to probity_app;
grant select on partitioned_tables to probity_app;
