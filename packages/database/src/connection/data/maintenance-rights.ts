import type { RoleRights } from './role-rights.ts'

/** All rights of the role of maintenance and notifications. `schema/worker.sql` grants them. */
export const MAINTENANCE_RIGHTS: RoleRights = {
  role: 'probity_maintenance',
  tables: {
    migrations: { select: 'all', for: 'The schema version at start.' },
    uncollected_results: {
      select: ['account_id', 'validation_id'],
      delete: 'all',
      for: 'Expired validations whose client stopped waiting.',
    },
    jobs: { select: 'all', for: 'The job in the event.' },
    job_counts: { select: 'all', for: 'The job in the event.' },
    job_queue: { select: ['job_id', 'account_id', 'size', 'retry_at', 'wait_reason'], for: 'The job in the event.' },
    job_reviews: { select: ['job_id', 'account_id', 'state'], for: 'The job in the event.' },
    result_chunks: {
      select: ['expires_on', 'account_id', 'job_id', 'generation', 'settled_at', 'size'],
      for: 'The job in the event.',
    },
    webhook_endpoints: {
      select: ['account_id', 'mode', 'state', 'events', 'job_id'],
      for: 'Whether an endpoint subscribes to an event.',
    },
    event_streams: { select: ['account_id', 'mode', 'seen_at'], for: 'Whether a stream receives an event.' },
  },
  secrets: [],
  functions: {
    helpers: ['app_account', 'utc_today', 'rfc3339', 'is_refunded'],
    public: ['decay_since', 'add_decayed'],
    heartbeat: ['record_process', 'delete_process', 'has_worker', 'find_heartbeat'],
    retention: [
      'make_partitions',
      'drop_expired_partitions',
      'delete_expired_deliveries',
      'list_expired_jobs',
      'list_expired_validations',
      'delete_ended_batches',
      'list_expired_uploads',
      'delete_expired_uploads',
      'delete_ended_sessions',
      'delete_old_audit_entries',
      'delete_old_domain_days',
      'delete_old_payments',
      'delete_decayed_outcomes',
      'delete_stale_streams',
    ],
    // These move credits, of expired jobs and validations only.
    endings: ['fail_job', 'finish_validations'],
    events: ['emit_event', 'has_event_subscriber'],
    keys: ['list_expired_keys', 'mark_expired_key'],
    accounts: ['delete_closed_account'],
    // claim_notifications returns the name and the email address of the recipient.
    notifications: [
      'notify_expiring_results',
      'delete_old_notifications',
      'claim_notifications',
      'settle_notification',
    ],
    reconciliation: [
      'begin_reconciliation',
      'reconcile_accounts',
      'reconcile_jobs',
      'reconcile_validations',
      'store_ledger_sums',
      'end_reconciliation',
      'hold_accounts',
    ],
  },
}
