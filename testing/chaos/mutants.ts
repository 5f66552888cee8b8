/** A text of the product that occurs once, and its replacement. */
export type Replacement = { file: string; find: string; replace: string }

const BATCHES = 'packages/database/src/jobs/batches.ts'
const SETTLE_BATCHES = 'packages/database/src/jobs/settle-batches.ts'
const ORDER_RESULTS = 'packages/database/src/jobs/results/order-results.ts'
/** New databases are created from it. */
const BASELINE = 'packages/database/migrations/0001_baseline.sql'
const CHARGES = "v_posting := ledger_post_parts('settle', p_job, v_job.key_id, v_parts, v_credits);"
const REFUNDS = "v_posting := ledger_post_parts('refund', p_job, v_job.key_id, v_refund_parts, v_refunds);"
const SETTLES = '    const settled = await inTenant(db, accountId, async (trx) => {'
const WRITES = '    await writeSegments(db, job, { buckets, counter })'

/** What the role of the worker needs for mistakes in its own statements; it lacks these rights otherwise. */
const MORE_RIGHTS: Replacement = {
  file: BASELINE,
  find: 'grant select, insert on result_chunks to probity_worker;\n',
  replace: `grant select, insert, delete on result_chunks to probity_worker;
grant delete on job_queue to probity_worker;
grant execute on function ledger_post_parts to probity_worker;
`,
}

/** The ledger posts the same parts of a job any number of times. */
const LEDGER_FORGETS: Replacement[] = [
  { file: BASELINE, find: '  unique (account_id, kind, subject, part),\n', replace: '' },
  {
    file: BASELINE,
    find: '  if exists (\n    select from unnest(p_parts, p_credits)',
    replace: '  if false and exists (\n    select from unnest(p_parts, p_credits)',
  },
  {
    file: BASELINE,
    find: '    on conflict (account_id, kind, subject, part) do nothing\n    returning abs(d_spent)',
    replace: '    returning abs(d_spent)',
  },
]

/**
 * All batches of a group count as closed by it, whatever the epoch of their queue rows, and even without queue rows.
 */
const CLOSES_ALL: Replacement = {
  file: BASELINE,
  find: `  select array(select c.n from closed c order by c.n), array(select c.no from closed c),
    (select coalesce(sum(c.deferred), 0) from closed c), (select max(c.no) from closed c where c.size <> c.rows)
`,
  replace: `  select array(select generate_subscripts(p_nos, 1)), p_nos, (select coalesce(sum(d), 0) from unnest(p_deferred) d), null::integer
`,
}

/**
 * Mistakes that a change could introduce. Each loses rows or credits when processes die, and chaos has to detect it.
 */
export const MUTANTS: Record<string, Replacement[]> = {
  /** Batches whose task was lost or whose worker died are never dispatched again. */
  no_reconciler: [
    {
      file: BASELINE,
      find: `           q.queued_at < v_now - interval '5 seconds'
             and (q.claimed_by is null or q.claimed_at < v_now - interval '3 minutes' or q.claimed_by <> all (v_alive)) as is_due
`,
      replace: '           false as is_due\n',
    },
  ],

  /**
   * A worker without heartbeats settles batches that others have claimed, and neither chunks nor ledger distinguish
   * them from new ones.
   */
  no_fence: [
    ...LEDGER_FORGETS,
    CLOSES_ALL,
    {
      file: BASELINE,
      find: '  primary key (expires_on, account_id, job_id, generation, no)\n',
      replace: '  check (true)\n',
    },
  ],

  /** Each attempt is charged for its inserts before they are made. */
  charge_before_insert: [
    MORE_RIGHTS,
    ...LEDGER_FORGETS,
    {
      file: SETTLE_BATCHES,
      find: SETTLES,
      replace: `    const charged = group.filter(({ settlement }) => settlement.final.length > 0)
    await inTenant(db, accountId, (trx) =>
      sql\`select ledger_post_parts('settle', \${first.batch.jobId}, null, \${charged.map(({ batch }) => batch.no)}::integer[],
        \${charged.map(({ settlement }) => settlement.final.length)}::bigint[]) where \${charged.length}::integer > 0\`.execute(trx),
    )
${SETTLES}`,
    },
    { file: BASELINE, find: CHARGES, replace: 'null;' },
  ],

  /** Refunds are posted twice. */
  refund_twice: [...LEDGER_FORGETS, { file: BASELINE, find: REFUNDS, replace: `${REFUNDS}\n    ${REFUNDS}` }],

  /** A batch counts as settled once a worker has claimed it, before its results are stored. */
  ack_before_commit: [
    MORE_RIGHTS,
    {
      file: BATCHES,
      find: 'import { type Db, withoutTenant }',
      replace: 'import { type Db, inTenant, withoutTenant }',
    },
    {
      file: BATCHES,
      find: '  return refs.map(({ jobId, no }) => {\n',
      replace: `  for (const { accountId, jobId, no } of rows) {
    await inTenant(db, accountId, (trx) =>
      sql\`delete from job_queue where job_id = \${jobId} and no = \${no}\`.execute(trx),
    )
  }
  return refs.map(({ jobId, no }) => {
`,
    },
    CLOSES_ALL,
  ],

  /** A group is charged for all of its batches, also for those that were claimed again. */
  group_charges_all: [
    ...LEDGER_FORGETS,
    {
      file: BASELINE,
      find: `  if cardinality(v_closed) = 0 then
    return query select 'lost', '{}'::integer[], 0, false;
    return;
  end if;
`,
      replace: '',
    },
    {
      file: BASELINE,
      find: `    array(select i.no from inserted i order by i.no),
    array(select (i.size * v_job.credits_per_email)::bigint from inserted i order by i.no),
`,
      replace: `    array(select b.no from batches b where b.size > 0 order by b.no),
    array(select (b.size * v_job.credits_per_email)::bigint from batches b where b.size > 0 order by b.no),
`,
    },
  ],

  /**
   * All workers that store results in row order use the same generation, and none notices that another has started
   * later.
   */
  ordering_unfenced: [
    {
      file: ORDER_RESULTS,
      find: '  const ref = { jobId: job.id, generation: job.epoch }\n',
      replace: '  const ref = { jobId: job.id, generation: 1 }\n',
    },
    { file: ORDER_RESULTS, find: "      .where('orderEpoch', '=', job.epoch)\n", replace: '' },
    { file: ORDER_RESULTS, find: 'job.epoch}::smallint', replace: '1}::smallint' },
    { file: BASELINE, find: 'v_job.order_epoch <> p_epoch or ', replace: '' },
  ],

  /** The chunks as settled are deleted before those in row order are written. */
  ordering_deletes_first: [
    MORE_RIGHTS,
    {
      file: ORDER_RESULTS,
      find: WRITES,
      replace: `    await inTenant(db, job.accountId, (trx) =>
      trx.deleteFrom('resultChunks').where('jobId', '=', job.id).where('generation', '=', 0).execute(),
    )
${WRITES}`,
    },
  ],

  /** One chunk is omitted when the results are stored in row order, and the count is not compared. */
  ordering_skips: [
    { file: ORDER_RESULTS, find: '  const { heads } = set\n', replace: '  const heads = set.heads.slice(1)\n' },
    { file: BASELINE, find: "    return 'mismatch';\n", replace: '    null;\n' },
  ],

  /** A rerun stays claimable after it was merged into its list, and nothing keeps it from being merged again. */
  merges_again: [
    {
      file: BASELINE,
      find: 'r.finished_at is not null and r.merged_at is null and r.expires_on >= utc_today()\n',
      replace: 'r.finished_at is not null and r.expires_on >= utc_today()\n',
    },
    {
      file: BASELINE,
      find: 'where r.id = p_rerun and r.merged_at is null and r.results_generation > 0',
      replace: 'where r.id = p_rerun and r.results_generation > 0',
    },
  ],
}
