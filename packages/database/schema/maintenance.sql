-- Rights of maintenance. Contains all grants to probity_maintenance, which deletes expired data, deletes closed accounts, manages
-- partitions, reconciles the ledger, announces expired keys and sends email notifications. Most tasks are functions that delete rows
-- of all accounts; the tables are for expired jobs and validations, whose credits are returned. The role has no rights on results,
-- addresses, sessions, keys, webhook secrets and secrets. packages/database/src/connection/data/maintenance-rights.ts lists the same rights
-- with the task that needs each; role-rights.test.ts compares both with the catalog.

-- ---- Rights ----

-- system
grant select on migrations to probity_maintenance;
grant execute on function
  record_process, delete_process, find_heartbeat, has_worker, make_partitions, drop_expired_partitions
to probity_maintenance;

-- operators
grant select (job_id, account_id, state) on job_reviews to probity_maintenance;
grant execute on function delete_old_audit_entries to probity_maintenance;

-- usage: the key.expired event.
grant execute on function list_expired_keys, mark_expired_key to probity_maintenance;

-- accounts
grant execute on function delete_closed_account, delete_old_domain_days, refunds_unknown to probity_maintenance;

-- billing
grant execute on function ledger_post, ledger_refund_validations, delete_old_payments to probity_maintenance;

-- users: claim_notifications returns the name and the email address of the recipient.
grant execute on function
  delete_ended_sessions, claim_notifications, settle_notification, delete_old_notifications
to probity_maintenance;

-- validations: ends expired ones and refunds them.
grant select (expires_on, account_id, id, key_id, email_key, state, deferred_at, refunded, reference) on validations to probity_maintenance;
grant update (state, conclusive, refunded, result, finished_at) on validations to probity_maintenance;
grant select (account_id, validation_id), delete on uncollected_results to probity_maintenance;
grant execute on function list_expired_validations to probity_maintenance;

-- jobs: ends expired ones and releases their credits. The event contains the job.
grant select on jobs to probity_maintenance;
grant update (state, finished_at) on jobs to probity_maintenance;
grant select on job_counts to probity_maintenance;
grant select (job_id, account_id, size, retry_at, wait_reason) on job_queue to probity_maintenance;
grant execute on function
  list_expired_jobs, list_expired_uploads, delete_expired_uploads, delete_ended_batches, notify_expiring_results
to probity_maintenance;

-- results: their number, for the job in the event.
grant select (expires_on, account_id, job_id, generation, settled_at, size) on result_chunks to probity_maintenance;

-- webhooks
grant select (account_id, mode, state, events, job_id) on webhook_endpoints to probity_maintenance;
grant select (account_id, mode, seen_at) on event_streams to probity_maintenance;
grant execute on function emit_event, delete_expired_deliveries, delete_stale_streams to probity_maintenance;

-- feedback
grant execute on function delete_decayed_outcomes to probity_maintenance;

-- reconciliation
grant execute on function
  begin_reconciliation, reconcile_accounts, reconcile_jobs, reconcile_validations, store_ledger_sums, end_reconciliation,
  hold_accounts
to probity_maintenance;
