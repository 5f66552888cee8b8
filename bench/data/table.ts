/** Those that are not one of `pnpm bench`. */
export const COMMANDS: Record<string, string> = { 'bare-root': 'deployment bare-root', chaos: 'chaos' }

/** A figure of docs/benchmarks.md: where it stands in what a command prints, what it says, and what is to be reached. */
export type Row = {
  /** The bench that prints it, or another command by its name in COMMANDS. */
  bench: string
  figure: string
  says: string
  /** At most or at least so much; undefined where a figure is there to be known. */
  goal?: { atMost: number } | { atLeast: number }
  /** The figure of the same bench that stands for what the machine does bare, as a ratio; else in words why there is none. */
  bare?: { ratio: string } | { why: string }
}

const ITSELF = { why: 'is a ratio itself' }

export const ROWS: Row[] = [
  {
    bench: 'single',
    figure: 'recent_rps',
    says: 'answers in a second to addresses with a recent result',
    bare: { ratio: 'recent_ratio' },
  },
  {
    bench: 'single',
    figure: 'recent_ratio',
    says: 'the same, of what a bare server with one call to Redis does',
    goal: { atLeast: 0.6 },
    bare: ITSELF,
  },
  {
    bench: 'single',
    figure: 'recent_ratio_durable',
    says: 'the same, of what a bare server with one call to Redis and a durable charge in groups does',
    bare: ITSELF,
  },
  {
    bench: 'single',
    figure: 'queued_rps',
    says: 'answers in a second by way of row, queue and worker',
    bare: { ratio: 'queued_ratio' },
  },
  {
    bench: 'single',
    figure: 'queued_ratio',
    says: 'the same, of what a bare server with one call to Redis does',
    goal: { atLeast: 0.15 },
    bare: ITSELF,
  },
  { bench: 'single', figure: 'queued_p99_ms', says: 'ms that 99 of 100 of these wait at most, 50 at once' },
  {
    bench: 'list',
    figure: 'rows_per_s',
    says: 'rows of a list of 100,000 in a second',
    bare: { ratio: 'ratio_to_bare' },
  },
  {
    bench: 'list',
    figure: 'ratio_to_bare',
    says: 'the same, of reading, asking and keeping without any care',
    goal: { atLeast: 0.5 },
    bare: ITSELF,
  },
  {
    bench: 'list',
    figure: 'pg_us_per_row',
    says: 'µs of processor time of PostgreSQL for a row of this list',
    goal: { atMost: 20 },
  },
  {
    bench: 'list',
    figure: 'worker_us_per_row',
    says: 'µs of processor time of all workers for a row, with the rewrite of the results after the end',
    goal: { atMost: 140 },
  },
  { bench: 'list', figure: 'wal_bytes_per_row', says: 'bytes of WAL for a row', goal: { atMost: 400 } },
  {
    bench: 'list',
    figure: 'stored_bytes_per_result',
    says: 'bytes in tables and indexes for a result, without empty pages',
    goal: { atMost: 200 },
  },
  {
    bench: 'list',
    figure: 'speedup_50ms',
    says: 'times as fast as a connection per address, mail servers 50 ms away',
    goal: { atLeast: 10 },
    bare: ITSELF,
  },
  {
    bench: 'fairness',
    figure: 'ratio',
    says: 'times as long takes a list of 100 beside a million waiting addresses of another',
    goal: { atMost: 3 },
    bare: ITSELF,
  },
  {
    bench: 'fairness',
    figure: 'single_p95_ratio',
    says: 'times as long takes one address beside them (95 of 100)',
    goal: { atMost: 1.5 },
    bare: ITSELF,
  },
  {
    bench: 'overload',
    figure: 'peak_rps',
    says: 'callers in a second that are answered within a second, of all kinds',
    bare: { why: 'the mix has no bare limit; `single` has those of its parts' },
  },
  {
    bench: 'overload',
    figure: 'p99_ms_accepted',
    says: 'ms that 99 of 100 who are let in wait when twice as many come',
    goal: { atMost: 1_000 },
  },
  {
    bench: 'overload',
    figure: 'goodput_ratio',
    says: 'of the peak is still answered then',
    goal: { atLeast: 0.8 },
    bare: ITSELF,
  },
  {
    bench: 'overload',
    figure: 'refusals_without_retry_after',
    says: 'refusals that do not say when to come again',
    goal: { atMost: 0 },
  },
  { bench: 'overload', figure: 'rss_mb_max', says: 'MB that the larger process had at most', goal: { atMost: 512 } },
  {
    bench: 'overload',
    figure: 'recovery_s',
    says: 's until everybody is served again when they have gone',
    goal: { atMost: 10 },
  },
  {
    bench: 'scale',
    figure: 'cost_growth_1m_vs_10k',
    says: 'times the processor time of a row, in a million rows beside ten thousand',
    goal: { atMost: 1.15 },
    bare: ITSELF,
  },
  {
    bench: 'scale',
    figure: 'speedup_2_workers',
    says: 'times as fast is a list of 100,000 with two workers as with one, all on this machine',
    bare: ITSELF,
  },
  { bench: 'purge', figure: 'purge_s', says: 's until a day of ten million results is gone', goal: { atMost: 60 } },
  {
    bench: 'purge',
    figure: 'p99_ratio',
    says: 'times as long do 99 of 100 callers wait meanwhile',
    goal: { atMost: 2 },
    bare: ITSELF,
  },
  {
    bench: 'purge',
    figure: 'p99_ratio_as_mounted',
    says: 'the same on the disk of this machine, which is told of every block that becomes free (`discard`)',
    bare: ITSELF,
  },
  {
    bench: 'probe',
    figure: 'speedup_50ms',
    says: 'times as fast as a connection per address is asking a Postfix 50 ms away',
    goal: { atLeast: 10 },
    bare: ITSELF,
  },
  { bench: 'probe', figure: 'connections_per_1000', says: 'connections for a thousand addresses there' },
  {
    bench: 'probe',
    figure: 'ratio_to_bare',
    says: 'of what a bare client gets out of a Postfix nearby',
    bare: ITSELF,
  },
  {
    bench: 'accuracy',
    figure: 'false_invalid',
    says: 'of 100,000 addresses whose truth is known, called invalid though they take mail',
    goal: { atMost: 0 },
  },
  {
    bench: 'accuracy',
    figure: 'false_valid_truthful',
    says: 'of these, called valid though a truthful server refuses them',
    goal: { atMost: 0 },
  },
  {
    bench: 'accuracy',
    figure: 'avoidable_unknown',
    says: 'of these, left unknown though a server would have told',
    goal: { atMost: 0 },
  },
  { bench: 'chaos', figure: 'lost', says: 'rows lost while everything is killed in turn', goal: { atMost: 0 } },
  { bench: 'chaos', figure: 'duplicated', says: 'rows that had two results then', goal: { atMost: 0 } },
  { bench: 'chaos', figure: 'credit_drift', says: 'credits too many or too few then', goal: { atMost: 0 } },
  {
    bench: 'export',
    figure: 'formula_cells',
    says: 'cells of 10,000 hostile ones that a spreadsheet takes for formulas',
    goal: { atMost: 0 },
  },
  {
    bench: 'bare-root',
    figure: 'seconds',
    says: 's from a bare Debian to a first verdict, without downloads',
    goal: { atMost: 300 },
  },
]
