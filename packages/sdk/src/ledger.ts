import { streamBody } from './body-stream.ts'
import { asCall, type Call } from './call.ts'
import type { CallOptions, Connection } from './connection.ts'
import type { LedgerEntry, Usage } from './generated/wire.ts'
import { listAll, type PageOptions } from './pages.ts'

export type UsageOptions = CallOptions & {
  /** The first day (UTC), as 2026-11-02; 29 days before the last if left out. */
  from?: string | undefined
  /** The last day (UTC); today if left out. */
  to?: string | undefined
  /** Whether there is an entry for each day, in `days`, or for each key, in `keys`; `day` if left out. */
  by?: 'day' | 'key' | undefined
}

export type LedgerOptions = {
  /** Only movements of this kind, or one of these. */
  kind?: string | readonly string[] | undefined
  /** The first day (UTC), as 2026-11-02. */
  from?: string | undefined
  /** The last day (UTC). */
  to?: string | undefined
  /** Only movements of this key; `none` for those without one. */
  keyId?: string | undefined
}

/** Movements of credits. Scope: `account:read`. */
export type Ledger = {
  /** One page, newest first. */
  list(options?: PageOptions & LedgerOptions): Call<LedgerEntry[]>
  /** All of them, newest first, fetched page by page. For long stretches of time the download is quicker. */
  all(options?: CallOptions & LedgerOptions): AsyncGenerator<LedgerEntry, void, undefined>
  /** All of them as CSV, newest first. */
  download(options?: CallOptions & LedgerOptions): Call<ReadableStream<Uint8Array>>
}

/** How long a download may stand still before it is given up. */
const SILENCE_MS = 60_000

export function ledgerOf({ ask, open }: Connection): Ledger {
  const list = ({ skip, limit, signal, timeoutMs, ...chosen }: PageOptions & LedgerOptions = {}) =>
    ask<LedgerEntry[]>({ ...WISH, signal, timeoutMs, query: { ...queryOf(chosen), skip, limit } })
  return {
    list,
    all: ({ signal, timeoutMs, ...chosen } = {}) =>
      listAll((page) => list({ ...chosen, ...page }), { signal, timeoutMs }),
    download({ signal, timeoutMs, ...chosen } = {}) {
      const query = { ...queryOf(chosen), format: 'csv' }
      const wish = { ...WISH, signal, timeoutMs, headers: { accept: '*/*' }, query }
      return asCall(open(wish, async (response, deadline) => streamBody(response, deadline, SILENCE_MS)))
    },
  }
}

export function askUsage({ ask }: Connection, { from, to, by, ...options }: UsageOptions): Call<Usage> {
  return ask({ ...options, method: 'GET', path: ['usage'], query: { from, to, by }, repeatable: true })
}

const WISH = { method: 'GET', path: ['ledger'], repeatable: true } as const

function queryOf({ kind, from, to, keyId }: LedgerOptions) {
  return { kind: typeof kind === 'string' ? kind : kind?.join(), from, to, key_id: keyId }
}
