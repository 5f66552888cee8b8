/** A text of the product that stands there once, and what it is exchanged for. */
export type Replacement = { file: string; find: string; replace: string }

const BATCHES = 'packages/database/src/batches.ts'
/** Databases are built from it. */
const BASELINE = 'packages/database/migrations/0001_baseline.sql'
const REFUNDS =
  "select p.outcome into v_posting from ledger_post('refund', v_refunded * v_job.credits_per_email, p_job, p_no, v_job.key_id) p;"
const SETTLES = 'await inTenant(db, batch.accountId, (trx) => settle(trx, batch, settling))'

/** The ledger takes the same movement for a list any number of times. */
const LEDGER_FORGETS: Replacement[] = [
  { file: BASELINE, find: '  unique (account_id, kind, subject, part),\n', replace: '' },
  {
    file: BASELINE,
    find: '  if found then\n    if v_before',
    replace: "  if found and p_kind not in ('settle', 'refund') then\n    if v_before",
  },
]

/** Mistakes that somebody might make one day. Each loses rows or credits once something dies, and chaos has to notice. */
export const MUTANTS: Record<string, Replacement[]> = {
  /** What the queue has lost, or a worker that died, is never let out again. */
  no_reconciler: [
    {
      file: BASELINE,
      find: `  return p_queued_at is null
    or (p_queued_at < clock_timestamp() - interval '5 seconds' and is_batch_unclaimed(p_claimed_by, p_claimed_at));`,
      replace: '  return p_queued_at is null;',
    },
  ],

  /** A worker that was taken for dead closes a batch that is another's, and nothing tells its results from new ones. */
  no_fence: [
    ...LEDGER_FORGETS,
    { file: BASELINE, find: `\n    and b.epoch = p_epoch and b.state = 'pending'`, replace: '' },
    {
      file: BASELINE,
      find: `  override text check (override in ('allow', 'block')),
  primary key (expires_on, account_id, job_id, row_no)`,
      replace: "  override text check (override in ('allow', 'block'))",
    },
  ],

  /** Each try is charged for what it is about to insert, before it does. */
  charge_before_insert: [
    ...LEDGER_FORGETS,
    {
      file: BATCHES,
      find: SETTLES,
      replace: `await inTenant(db, batch.accountId, (trx) =>
      sql\`select ledger_post('settle', \${settling.final.length}, \${batch.jobId}, \${batch.no}) where \${settling.final.length}::integer > 0\`.execute(trx),
    )
    ${SETTLES}`,
    },
    {
      file: BASELINE,
      find: "select p.outcome into v_posting from ledger_post('settle', v_done * v_job.credits_per_email, p_job, p_no, v_job.key_id) p;",
      replace: 'null;',
    },
  ],

  /** What is given back is given back again. */
  refund_twice: [...LEDGER_FORGETS, { file: BASELINE, find: REFUNDS, replace: `${REFUNDS}\n    ${REFUNDS}` }],

  /** A batch counts as done once somebody has taken it, before its results are kept. */
  ack_before_commit: [
    {
      file: BATCHES,
      find: '  const [claimed] = rows\n',
      replace: `  const [claimed] = rows
  await inTenant(db, accountId, (trx) =>
    sql\`update job_batches set state = 'done' where job_id = \${jobId} and no = \${no} and claimed_by = \${workerId}\`.execute(trx),
  )
`,
    },
    { file: BASELINE, find: `b.epoch = p_epoch and b.state = 'pending'`, replace: 'b.epoch = p_epoch' },
  ],
}
