-- Rights of the worker. Contains all grants to probity_worker, which probes mail servers, processes jobs, delivers webhooks and
-- runs the doctor. packages/database/src/connection/data/worker-rights.ts lists the same rights with the task that
-- needs each; role-rights.test.ts compares both with the catalog. The role has no rights on users, sessions, operators, API
-- keys and payments. Row-level security limits tables with an account_id to the account of the transaction.

-- ---- Rights ----

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
grant execute on function refunds_unknown, count_domain_addresses to probity_worker;

-- billing
grant execute on function ledger_post, ledger_post_parts, ledger_refund_validations to probity_worker;

-- validations
grant select (expires_on, account_id, id, key_id, email_key, state, deferred_at, deferrals, retry_at, refunded, reference)
  on validations to probity_worker;
grant update (state, conclusive, refunded, result, finished_at, deferred_at, claimed_until, retry_at, attempts, deferrals, provisional, egress)
  on validations to probity_worker;
grant select (account_id, validation_id), insert, delete on uncollected_results to probity_worker;
grant execute on function
  list_overdue_validations, claim_validations, list_unclaimed_validations, finish_validations
to probity_worker;

-- jobs
grant select on jobs to probity_worker;
grant update (state, paused_at, done_count, refunded_count, next_batch, dispatch_limit, finished_at, last_settled_at) on jobs to probity_worker;
grant select, insert, update on job_counts to probity_worker;
grant select (expires_on, account_id, job_id, no), insert, delete on job_batches to probity_worker;
grant select, insert, update (claimed_at), delete on job_queue to probity_worker; -- settle_batches locks the rows
grant execute on function
  find_pending_work, record_heartbeat, release_claims, release_batch, claim_plan, start_processing, dispatch_batches, claim_batches
to probity_worker;

-- results
grant select, insert on result_chunks to probity_worker;
grant execute on function claim_ordering, finish_ordering to probity_worker;

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

-- ---- First partitions ----

-- All partitioned tables exist now.
select make_partitions(p_max => 1000);
