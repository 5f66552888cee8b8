/** Rights on one table: `all` for the whole table, otherwise the columns. */
export type TableRights = Partial<Record<'select' | 'insert' | 'update' | 'delete', 'all' | readonly string[]>>

/**
 * All tables that the worker's role may use, and why. `schema/worker.sql` grants these rights; `worker-rights.test.ts` tries every
 * table and function of the catalog and fails on a right that is missing here.
 */
export const WORKER_TABLES: Record<string, TableRights & { for: string }> = {
  secrets: { select: 'all', for: 'The secrets in WORKER_SECRETS; row-level security hides the others.' },
  migrations: { select: 'all', for: 'The schema version at start, and the doctor.' },
  backups: { select: ['made_at'], for: 'The doctor: age of the last backup.' },
  provider_controls: { select: ['provider', 'paused_at', 'rate_percent'], for: 'Controls that operators set.' },
  egress_controls: { select: ['egress', 'drained_at'], for: 'Controls that operators set.' },
  overrides: { select: ['id', 'account_id', 'target', 'action'], for: 'The override in a stored result.' },
  validations: {
    select: [
      'expires_on',
      'account_id',
      'id',
      'key_id',
      'email_key',
      'state',
      'deferred_at',
      'deferrals',
      'retry_at',
      'refunded',
      'reference',
    ],
    update: [
      'state',
      'conclusive',
      'refunded',
      'result',
      'finished_at',
      'deferred_at',
      'claimed_until',
      'retry_at',
      'attempts',
      'deferrals',
      'provisional',
      'egress',
    ],
    for: 'Results and deferrals of single validations.',
  },
  uncollected_results: {
    select: ['account_id', 'validation_id'],
    insert: 'all',
    delete: 'all',
    for: 'Results whose client stopped waiting.',
  },
  jobs: {
    select: 'all',
    update: [
      'state',
      'paused_at',
      'done_count',
      'refunded_count',
      'next_batch',
      'dispatch_limit',
      'finished_at',
      'last_settled_at',
    ],
    for: 'Progress and end of a job, and its pause for a review.',
  },
  job_batches: {
    select: ['expires_on', 'account_id', 'job_id', 'no'],
    insert: 'all',
    delete: 'all',
    for: 'Planning and settling batches.',
  },
  job_queue: {
    select: 'all',
    insert: 'all',
    update: ['claimed_at'],
    delete: 'all',
    for: 'Queueing and settling batches; locking a row takes the right to update a column.',
  },
  job_counts: { select: 'all', insert: 'all', update: 'all', for: 'Counts by status of a job.' },
  result_chunks: { select: 'all', insert: 'all', for: 'Results of a batch, and storing them in row order.' },
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

/** Rows of the table `secrets` that the worker reads. */
export const WORKER_SECRETS = ['doctor', 'recent_results'] as const

/** All functions that the worker's role may execute, by task. Trigger functions cannot be called and are not listed. */
export const WORKER_FUNCTIONS: Record<string, readonly string[]> = {
  helpers: ['app_account', 'utc_today', 'rfc3339'],
  heartbeat: ['record_process', 'delete_process', 'find_probing', 'has_worker', 'find_worker_heartbeat'],
  probing: ['record_unrecognized_replies', 'record_probes'],
  doctor: ['begin_doctor_run', 'store_findings'],
  credits: ['ledger_post', 'ledger_post_parts', 'ledger_refund_validations', 'is_refunded', 'refunds_unknown'],
  validations: ['list_overdue_validations', 'claim_validations', 'list_unclaimed_validations', 'finish_validations'],
  jobs: [
    'find_pending_work',
    'record_heartbeat',
    'release_claims',
    'release_batch',
    'claim_plan',
    'start_processing',
    'dispatch_batches',
    'claim_batches',
    'settle_batches',
    'delete_ended_batches',
    'claim_ordering',
    'finish_ordering',
    'count_domain_addresses',
    'list_due_samples',
    'judge_sample',
  ],
  keys: ['list_expired_keys', 'mark_expired_key'],
  // claim_delivery returns the signing secret and the private key of one webhook endpoint.
  webhooks: [
    'emit_event',
    'has_event_subscriber',
    'dispatch_deliveries',
    'claim_delivery',
    'settle_delivery',
    'delete_stale_streams',
  ],
  estimates: ['decay_since', 'add_decayed', 'sum_domain_outcomes', 'sum_calibration'],
  reconciliation: [
    'begin_reconciliation',
    'reconcile_accounts',
    'reconcile_jobs',
    'reconcile_validations',
    'store_ledger_sums',
    'end_reconciliation',
    'hold_accounts',
  ],
}
