import { overrideTargets, resolveOverride, withOverride } from '@probity/contract/override'
import type { StandingResult } from '@probity/contract/standing-result'
import type { Trx } from './connect.ts'
import { findOverrides } from './overrides.ts'
import { emitEvent, hasSubscriber } from './webhook-events.ts'

/** A deferred validation that ended. `emailKey` and `reference` are those of its row. */
export type Resolved = { id: string; emailKey: string; answer: unknown; reference: string | null }

/** The whole event may have 20 KiB; the rest of it is for what stands around the data. */
const DATA_BYTES_MAX = 19 * 1024

/**
 * Tells of open validations that ended, each with its full answer, in the transaction that ends them. What ended without an answer
 * is not told of: its day is over, and the address with it.
 */
export async function tellOfResolved(trx: Trx, accountId: string, resolved: Resolved[]): Promise<void> {
  if (resolved.length === 0 || !(await hasSubscriber(trx, { mode: 'live', type: 'validation.resolved' }))) return
  const keys = resolved.map(({ emailKey }) => addressIn(emailKey))
  const found = await findOverrides(trx, accountId, keys.flatMap(overrideTargets))
  for (const [n, { id, answer, reference }] of resolved.entries()) {
    if (answer === null) continue
    const override = resolveOverride(keys[n] ?? '', found)
    const told = override ? withOverride(answer as StandingResult, override) : { ...(answer as object), override }
    const data = () => shorten({ id, ...told, reference })
    await emitEvent(trx, { mode: 'live', type: 'validation.resolved', data, holdsAddress: true })
  }
}

/** In the sandbox it is known beforehand how an open validation ends, and when. */
export function tellInSandbox(trx: Trx, resolved: Omit<Resolved, 'emailKey'>, at: Date): Promise<void> {
  const { id, answer, reference } = resolved
  const data = () => ({ id, ...(answer as object), reference })
  return emitEvent(trx, { mode: 'test', type: 'validation.resolved', data, holdsAddress: true, at })
}

/** Requests that do without something have keys that say so behind the address. */
function addressIn(emailKey: string): string {
  return emailKey.replace(/( (ai|catchall|mailbox)=false)+$/, '')
}

/** A mail server may talk at length. Then what it said is left out, and the answer can be had from the interface. */
function shorten(data: object): object {
  if (Buffer.byteLength(JSON.stringify(data)) <= DATA_BYTES_MAX) return data
  return { ...data, evidence: [], evidence_omitted: true }
}
