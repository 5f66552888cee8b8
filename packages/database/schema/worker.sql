-- Rights of the worker program: of the worker and, in a process of its own, of maintenance. Contains all grants to probity_worker, which
-- probes mail servers, processes jobs, delivers webhooks and runs the doctor, and to probity_maintenance. data/worker-rights.ts and
-- data/maintenance-rights.ts in packages/database/src/connection list the same rights with the task that needs each; role-rights.test.ts
-- compares them with the catalog. The worker has no rights on users, sessions, operators, API keys, payments and the ledger. Row-level security
-- limits tables with an account_id to the account of the transaction.

-- ---- Rights of the worker ----

-- system
grant select on secrets, migrations to probity_worker;
create policy worker on secrets to probity_worker using (name in ('recent_results', 'doctor'));
grant select (made_at) on backups to probity_worker;
grant execute on function
  record_process, delete_process, find_probing, has_worker, find_heartbeat
to probity_worker;

-- operators
grant select (domain) on opted_out_domains to probity_worker;
grant select, insert on job_reviews to probity_worker;
grant select (provider, paused_at, rate_percent) on provider_controls to probity_worker;
grant select (egress, drained_at) on egress_controls to probity_worker;
grant execute on function
  record_unrecognized_replies, record_probes, begin_doctor_run, store_findings, list_due_samples, judge_sample
to probity_worker;

-- accounts
grant select (id, account_id, target, action) on overrides to probity_worker;
grant execute on function count_domain_addresses to probity_worker;

-- validations: finish_validations ends them, and refunds their credits.
grant select (expires_on, account_id, id, email_key, state, deferred_at, deferrals, retry_at) on validations to probity_worker;
grant update (deferred_at, claimed_until, retry_at, attempts, deferrals, provisional, egress) on validations to probity_worker;
grant select (account_id, validation_id), insert, delete on uncollected_results to probity_worker;
grant execute on function
  list_overdue_validations, claim_validations, list_unclaimed_validations, finish_validations
to probity_worker;

-- jobs: settle_batches and fail_job count and end them, and move their credits.
grant select on jobs to probity_worker;
grant update (paused_at, dispatch_limit) on jobs to probity_worker;
grant select on job_counts to probity_worker;
grant insert on job_batches to probity_worker;
grant select, insert on job_queue to probity_worker;
grant execute on function
  find_pending_work, record_heartbeat, release_claims, release_batch, claim_plan, start_processing, fail_job, dispatch_batches,
  claim_batches, settle_batches
to probity_worker;

-- results
grant select, insert on result_chunks to probity_worker;
grant execute on function claim_ordering, finish_ordering, claim_merge, begin_merge, merge_results to probity_worker;

-- webhooks: claim_delivery returns the signing secret and the private key of the endpoint.
grant select (account_id, mode, state, events, job_id) on webhook_endpoints to probity_worker;
grant select (account_id, mode, seen_at) on event_streams to probity_worker;
grant execute on function
  emit_event, dispatch_deliveries, claim_delivery, settle_delivery
to probity_worker;

-- feedback
grant select on domain_outcomes, class_outcomes, calibration to probity_worker;
grant execute on function
  sum_domain_outcomes, sum_calibration
to probity_worker;

-- ---- Rights of maintenance ----

-- probity_maintenance deletes expired data and closed accounts, manages partitions, reconciles the ledger, emits events for expired keys
-- and sends email notifications. Most tasks are functions that delete rows of all accounts; the tables are for the events of expired jobs.
-- The role has no rights on results, addresses, sessions, keys, webhook secrets and secrets, and posts credits only by ending expired jobs
-- and validations.

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
grant execute on function delete_closed_account, delete_old_domain_days to probity_maintenance;

-- billing
grant execute on function delete_old_payments to probity_maintenance;

-- users: claim_notifications returns the name and the email address of the recipient.
grant execute on function
  delete_ended_sessions, claim_notifications, settle_notification, delete_old_notifications
to probity_maintenance;

-- validations: ends expired ones and refunds them.
grant select (account_id, validation_id), delete on uncollected_results to probity_maintenance;
grant execute on function list_expired_validations, finish_validations to probity_maintenance;

-- jobs: ends expired ones and releases their credits. The event contains the job.
grant select on jobs to probity_maintenance;
grant select on job_counts to probity_maintenance;
grant select (job_id, account_id, size, retry_at, wait_reason) on job_queue to probity_maintenance;
grant execute on function
  list_expired_jobs, fail_job, list_expired_uploads, delete_expired_uploads, delete_ended_batches, notify_expiring_results
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

-- ---- First partitions ----

-- All partitioned tables exist now.
select make_partitions(p_max => 1000);
