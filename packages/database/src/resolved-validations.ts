import type { Trx } from './connect.ts'
import { emitEvent, isWanted } from './webhook-events.ts'

/** A validation whose caller went away with "not yet", and how it ended. */
export type Resolved = { id: string; answer: unknown }

/** The whole event may have 20 KiB; the rest of it is for what stands around the data. */
const DATA_BYTES_MAX = 19 * 1024

/**
 * Tells of open validations that ended, each with its full answer, in the transaction that ends them. What ended without an answer
 * is not told of: its day is over, and the address with it.
 */
export async function tellOfResolved(trx: Trx, resolved: Resolved[]): Promise<void> {
  if (resolved.length === 0 || !(await isWanted(trx, 'live', 'validation.resolved'))) return
  for (const { id, answer } of resolved) {
    if (answer === null) continue
    const data = () => shorten({ id, ...(answer as object) })
    await emitEvent(trx, { mode: 'live', type: 'validation.resolved', data, holdsAddress: true })
  }
}

/** In the sandbox it is known beforehand how an open validation ends, and when. */
export function tellInSandbox(trx: Trx, { id, answer }: Resolved, at: Date): Promise<void> {
  const data = () => ({ id, ...(answer as object) })
  return emitEvent(trx, { mode: 'test', type: 'validation.resolved', data, holdsAddress: true, at })
}

/** A mail server may talk at length. Then what it said is left out, and the answer can be had from the interface. */
function shorten(data: object): object {
  if (Buffer.byteLength(JSON.stringify(data)) <= DATA_BYTES_MAX) return data
  return { ...data, evidence: [], evidence_omitted: true }
}
