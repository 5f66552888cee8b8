import type { RoleRights } from './role-rights.ts'

/** All tables that the worker's role may use, and why. `schema/worker.sql` grants these rights. */
const TABLES: RoleRights['tables'] = {
  secrets: { select: 'all', for: 'The secrets below; row-level security hides the others.' },
  migrations: { select: 'all', for: 'The schema version at start, and the doctor.' },
  backups: { select: ['made_at'], for: 'The doctor: age of the last backup.' },
  provider_controls: { select: ['provider', 'paused_at', 'rate_percent'], for: 'Controls that operators set.' },
  egress_controls: { select: ['egress', 'drained_at'], for: 'Controls that operators set.' },
  overrides: { select: ['id', 'account_id', 'target', 'action'], for: 'The override in a stored result.' },
  validations: {
    select: ['expires_on', 'account_id', 'id', 'email_key', 'state', 'deferred_at', 'deferrals', 'retry_at'],
    update: ['deferred_at', 'claimed_until', 'retry_at', 'attempts', 'deferrals', 'provisional', 'egress'],
    for: 'Deferrals of single validations.',
  },
  uncollected_results: {
    select: ['account_id', 'validation_id'],
    insert: 'all',
    delete: 'all',
    for: 'Results whose client stopped waiting.',
  },
  jobs: {
    select: 'all',
    update: ['paused_at', 'dispatch_limit'],
    for: 'Planning a job, its pause for a review, and the job in an event.',
  },
  job_batches: { insert: 'all', for: 'Queueing batches.' },
  job_queue: { select: 'all', insert: 'all', for: 'Queueing batches.' },
  job_counts: { select: 'all', for: 'The job in an event.' },
  result_chunks: { select: 'all', insert: 'all', for: 'Storing results in row order.' },
  job_reviews: { select: 'all', insert: 'all', for: 'A job that waits for a review.' },
  opted_out_domains: { select: ['domain'], for: 'Domains that are not probed.' },
  webhook_endpoints: {
    select: ['account_id', 'mode', 'state', 'events', 'job_id'],
    for: 'Whether an endpoint subscribes to an event.',
  },
  event_streams: { select: ['account_id', 'mode', 'seen_at'], for: 'Whether a stream receives an event.' },
  domain_outcomes: { select: 'all', for: 'Deliverability estimates.' },
  class_outcomes: { select: 'all', for: 'Deliverability estimates.' },
  calibration: { select: 'all', for: 'Deliverability estimates.' },
}

/** All functions that the worker's role may execute, by task. */
const FUNCTIONS: RoleRights['functions'] = {
  helpers: ['app_account', 'utc_today', 'rfc3339', 'is_refunded'],
  heartbeat: ['record_process', 'delete_process', 'find_probing', 'has_worker', 'find_heartbeat'],
  probing: ['record_unrecognized_replies', 'record_probes'],
  doctor: ['begin_doctor_run', 'store_findings'],
  // finish_validations, fail_job and settle_batches move credits, of the validations and jobs that they end only.
  validations: ['list_overdue_validations', 'claim_validations', 'list_unclaimed_validations', 'finish_validations'],
  jobs: [
    'find_pending_work',
    'record_heartbeat',
    'release_claims',
    'release_batch',
    'claim_plan',
    'start_processing',
    'fail_job',
    'dispatch_batches',
    'claim_batches',
    'settle_batches',
    'claim_ordering',
    'finish_ordering',
    'claim_merge',
    'begin_merge',
    'merge_results',
    'count_domain_addresses',
    'list_due_samples',
    'judge_sample',
  ],
  // claim_delivery returns the signing secret and the private key of one webhook endpoint.
  webhooks: ['emit_event', 'has_event_subscriber', 'dispatch_deliveries', 'claim_delivery', 'settle_delivery'],
  estimates: ['decay_since', 'add_decayed', 'sum_domain_outcomes', 'sum_calibration'],
}

export const WORKER_RIGHTS: RoleRights = {
  role: 'probity_worker',
  tables: TABLES,
  secrets: ['doctor', 'recent_results'],
  functions: FUNCTIONS,
}
