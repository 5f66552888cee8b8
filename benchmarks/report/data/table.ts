/** Commands other than `pnpm bench`. */
export const COMMANDS: Record<string, string> = { 'bare-root': 'deployment bare-root', chaos: 'chaos' }

/** A figure of docs/benchmarks.md: its field in the output of a command, its label and its goal. */
export type Row = {
  /** The benchmark that prints it, or another command by its name in COMMANDS. */
  bench: string
  figure: string
  says: string
  /** The limit to reach; undefined for figures without a goal. */
  goal?: { atMost: number } | { atLeast: number }
  /** The figure of the same benchmark with the ratio to the bare limit, or the reason why there is none. */
  bare?: { ratio: string } | { why: string }
}

const ITSELF = { why: 'is a ratio' }

export const ROWS: Row[] = [
  {
    bench: 'single',
    figure: 'recent_rps',
    says: 'single validations per second with a cached result',
    bare: { ratio: 'recent_ratio' },
  },
  {
    bench: 'single',
    figure: 'recent_ratio',
    says: 'the same, as a ratio to a bare server with one call to Redis',
    goal: { atLeast: 0.6 },
    bare: ITSELF,
  },
  {
    bench: 'single',
    figure: 'recent_ratio_durable',
    says: 'the same, as a ratio to a bare server with one call to Redis and a durable charge per group',
    bare: ITSELF,
  },
  {
    bench: 'single',
    figure: 'queued_rps',
    says: 'single validations per second through row, queue and worker',
    bare: { ratio: 'queued_ratio' },
  },
  {
    bench: 'single',
    figure: 'queued_ratio',
    says: 'the same, as a ratio to a bare server with one call to Redis',
    goal: { atLeast: 0.15 },
    bare: ITSELF,
  },
  { bench: 'single', figure: 'queued_p99_ms', says: 'p99 latency of these in ms, 50 concurrent requests' },
  {
    bench: 'list',
    figure: 'rows_per_s',
    says: 'rows per second of a list with 100,000 rows',
    bare: { ratio: 'ratio_to_bare' },
  },
  {
    bench: 'list',
    figure: 'ratio_to_bare',
    says: 'the same, as a ratio to bare reading, probing and storing',
    goal: { atLeast: 0.5 },
    bare: ITSELF,
  },
  {
    bench: 'list',
    figure: 'pg_us_per_row',
    says: 'CPU time of PostgreSQL per row of this list in µs',
    goal: { atMost: 20 },
  },
  {
    bench: 'list',
    figure: 'worker_us_per_row',
    says: 'CPU time of all workers per row in µs, including the final rewrite of the results',
    goal: { atMost: 140 },
  },
  { bench: 'list', figure: 'wal_bytes_per_row', says: 'bytes of WAL per row', goal: { atMost: 400 } },
  {
    bench: 'list',
    figure: 'stored_bytes_per_result',
    says: 'bytes in tables and indexes per result, without empty pages',
    goal: { atMost: 200 },
  },
  {
    bench: 'list',
    figure: 'speedup_50ms',
    says: 'speedup over one connection per address, with mail servers at 50 ms',
    goal: { atLeast: 10 },
    bare: ITSELF,
  },
  {
    bench: 'fairness',
    figure: 'ratio',
    says: 'slowdown of a list of 100 by a million queued addresses of another account',
    goal: { atMost: 3 },
    bare: ITSELF,
  },
  {
    bench: 'fairness',
    figure: 'single_p95_ratio',
    says: 'slowdown of a single validation by them, p95',
    goal: { atMost: 1.5 },
    bare: ITSELF,
  },
  {
    bench: 'overload',
    figure: 'peak_rps',
    says: 'requests per second answered within a second, of all kinds',
    bare: { why: 'the mix has no bare limit; `single` has those of its parts' },
  },
  {
    bench: 'overload',
    figure: 'p99_ms_accepted',
    says: 'p99 latency of accepted requests at twice that rate in ms',
    goal: { atMost: 1_000 },
  },
  {
    bench: 'overload',
    figure: 'goodput_ratio',
    says: 'goodput at twice that rate, as a ratio to the peak',
    goal: { atLeast: 0.8 },
    bare: ITSELF,
  },
  {
    bench: 'overload',
    figure: 'refusals_without_retry_after',
    says: 'rejections without Retry-After',
    goal: { atMost: 0 },
  },
  { bench: 'overload', figure: 'rss_mb_max', says: 'highest memory usage of a process in MB', goal: { atMost: 512 } },
  {
    bench: 'overload',
    figure: 'recovery_s',
    says: 'recovery time after the peak in s',
    goal: { atMost: 10 },
  },
  {
    bench: 'scale',
    figure: 'cost_growth_1m_vs_10k',
    says: 'CPU time of a row in a list of 1,000,000, as a ratio to a list of 10,000',
    goal: { atMost: 1.15 },
    bare: ITSELF,
  },
  {
    bench: 'scale',
    figure: 'speedup_2_workers',
    says: 'speedup of a list of 100,000 with two workers instead of one, on this host',
    bare: ITSELF,
  },
  { bench: 'purge', figure: 'purge_s', says: 'deletion of a day with ten million results in s', goal: { atMost: 60 } },
  {
    bench: 'purge',
    figure: 'p99_ratio',
    says: 'p99 latency of requests meanwhile, as a ratio to normal',
    goal: { atMost: 2 },
    bare: ITSELF,
  },
  {
    bench: 'purge',
    figure: 'p99_ratio_as_mounted',
    says: 'the same on the disk of this host, which is mounted with `discard`',
    bare: ITSELF,
  },
  {
    bench: 'probe',
    figure: 'speedup_50ms',
    says: 'speedup of probing a Postfix at 50 ms over one connection per address',
    goal: { atLeast: 20 },
    bare: ITSELF,
  },
  {
    bench: 'probe',
    figure: 'connections_per_1000',
    says: 'connections per thousand addresses there',
    goal: { atMost: 10 },
  },
  {
    bench: 'probe',
    figure: 'connections_per_1000_bad30',
    says: 'the same with 30% missing addresses',
    goal: { atMost: 45 },
  },
  {
    bench: 'probe',
    figure: 'ratio_to_bare',
    says: 'probe rate at a local Postfix, as a ratio to a bare client',
    bare: ITSELF,
  },
  {
    bench: 'accuracy',
    figure: 'false_invalid',
    says: 'false invalid: deliverable addresses reported as invalid, in a simulated list of 100,000 and all worlds',
    goal: { atMost: 0 },
  },
  {
    bench: 'accuracy',
    figure: 'false_valid_truthful',
    says: 'false valid: addresses reported as valid although a truthful server rejects them, and missing ones of the worlds',
    goal: { atMost: 0 },
  },
  {
    bench: 'accuracy',
    figure: 'avoidable_unknown',
    says: 'avoidable unknown: addresses reported as unknown although the server gives a conclusive reply, and those beyond the limit of a world',
    goal: { atMost: 0 },
  },
  {
    bench: 'accuracy',
    figure: 'foreign_evidence',
    says: 'results whose evidence quotes a reply to another address',
    goal: { atMost: 0 },
  },
  {
    bench: 'chaos',
    figure: 'lost',
    says: 'rows lost while each process and server is killed in turn',
    goal: { atMost: 0 },
  },
  { bench: 'chaos', figure: 'duplicated', says: 'rows with two results then', goal: { atMost: 0 } },
  {
    bench: 'chaos',
    figure: 'credit_drift',
    says: 'difference between charged and expected credits then',
    goal: { atMost: 0 },
  },
  {
    bench: 'export',
    figure: 'formula_cells',
    says: 'hostile cells, of 10,000, that a spreadsheet reads as formulas',
    goal: { atMost: 0 },
  },
  {
    bench: 'bare-root',
    figure: 'seconds',
    says: 'time from a bare Debian to a first verdict in s, without downloads',
    goal: { atMost: 300 },
  },
]
