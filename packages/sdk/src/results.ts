import { readLines, streamBody } from './body-stream.ts'
import { asCall, type Call } from './call.ts'
import type { CallOptions, Connection } from './connection.ts'
import { pause } from './deadline.ts'
import { ProbityConnectionError, ProbityError } from './errors.ts'
import type { JobResult, Preset, ValidationStatus, ValidationSubStatus } from './generated/wire.ts'
import type { PageOptions } from './pages.ts'
import { backoffMs } from './retry.ts'

export type ResultOptions = CallOptions & {
  /** Only results with this status, or one of these. */
  status?: ValidationStatus | readonly ValidationStatus[] | undefined
  /** Only results with this reason, or one of these. */
  subStatus?: ValidationSubStatus | readonly ValidationSubStatus[] | undefined
  /** Only results with this provider; an empty text means those whose provider is not known. */
  provider?: string | undefined
  domain?: string | undefined
  /** Only addresses that hold this text, in upper or lower case. */
  search?: string | undefined
  /** Only what this preset keeps, or what it removes where `part` says so. */
  preset?: Preset | undefined
  part?: 'keep' | 'remove' | undefined
  /** The name of a policy that turns each result into `allow`, `review` or `block`. */
  policy?: string | undefined
  /** Adds `details`, `catchall`, `ai_enhancement` and `evidence`. */
  evidence?: boolean | undefined
  /** How long a download may stand still before it is given up, in milliseconds; 60,000 if left out. */
  silenceMs?: number | undefined
}

export type DownloadOptions = ResultOptions & {
  /** `csv` is the uploaded file with our columns behind its own, `ndjson` is one JSON object per line. */
  format: 'csv' | 'ndjson'
  /** Begins a CSV with a byte order mark, by which Excel knows UTF-8. */
  bom?: boolean | undefined
  /** Puts a ' before what a spreadsheet would take for a formula; true if left out. */
  formulaSafe?: boolean | undefined
}

const SILENCE_MS = 60_000
/** How often in a row a download may break off without a single new row. */
const LOSSES_MAX = 3

export function pageResults(
  connection: Connection,
  id: string,
  options: ResultOptions & PageOptions,
): Call<JobResult[]> {
  const { skip, limit } = options
  return connection.ask({ ...wishOf(id, options), query: { ...queryOf(options), skip, limit } })
}

export function downloadResults(
  connection: Connection,
  id: string,
  options: DownloadOptions,
): Call<ReadableStream<Uint8Array>> {
  const { format, bom, formulaSafe, silenceMs = SILENCE_MS } = options
  const query = { ...queryOf(options), format, bom, formula_safe: formulaSafe }
  const wish = { ...wishOf(id, options), headers: { accept: '*/*' }, query }
  return asCall(connection.open(wish, async (response, deadline) => streamBody(response, deadline, silenceMs)))
}

export function getResult(
  { ask }: Connection,
  { id, row }: { id: string; row: number },
  options: CallOptions,
): Call<JobResult> {
  return ask({ ...options, method: 'GET', path: ['bulk', 'jobs', id, 'results', String(row)], repeatable: true })
}

/**
 * Result by result, out of one download: pages of a long list would use up the account's rate. They come in the order of the rows, so
 * that one which breaks off is asked for again and read on behind the last row that was had.
 */
export async function* readResults(
  connection: Connection,
  id: string,
  options: ResultOptions,
): AsyncGenerator<JobResult, void, undefined> {
  let row = 0
  for (let losses = 0; ; losses++) {
    try {
      const stream = await downloadResults(connection, id, { ...options, format: 'ndjson' })
      for await (const line of readLines(stream)) {
        const result = readResult(line)
        if (result.row <= row) continue
        row = result.row
        losses = 0
        yield result
      }
      return
    } catch (error) {
      const isLost = row > 0 && error instanceof ProbityError && error.retryable
      if (options.signal?.aborted || !isLost || losses >= LOSSES_MAX) throw error
      await pause(backoffMs(losses + 1), options.signal)
    }
  }
}

function readResult(line: string): JobResult {
  try {
    return JSON.parse(line) as JobResult
  } catch {
    throw new ProbityConnectionError('A line of the results cannot be read.')
  }
}

function wishOf(id: string, { signal, timeoutMs }: CallOptions) {
  return { method: 'GET', path: ['bulk', 'jobs', id, 'results'], repeatable: true, signal, timeoutMs } as const
}

function queryOf({ status, subStatus, ...rest }: ResultOptions) {
  const { provider, domain, search, preset, part, policy, evidence } = rest
  const lists = { status: listOf(status), sub_status: listOf(subStatus) }
  return { ...lists, provider, domain, search, preset, part, policy, evidence }
}

function listOf(values: string | readonly string[] | undefined): string | undefined {
  return typeof values === 'string' ? values : values?.join()
}
