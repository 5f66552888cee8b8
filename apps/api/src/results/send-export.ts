import { once } from 'node:events'
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { Problem } from '../problem.ts'

export type ExportLimits = {
  /** Exports that one process writes at once. */
  atOnceMax: number
  /** How many of them one account may have, so that there is some room for others. */
  perAccountMax: number
  /** A reader that takes nothing for this long has gone. */
  stallMs: number
  /** However slowly somebody reads, the place is free again by then. */
  wholeMs: number
}

export const EXPORT_LIMITS: ExportLimits = {
  atOnceMax: 4,
  perAccountMax: 3,
  stallMs: 60_000,
  wholeMs: 60 * 60_000,
}

const RETRY_AFTER_S = 5

export type Export = { type: string; disposition: string; chunks: AsyncGenerator<string> }

/** Sends exports as their readers take them. Whoever leaves or stands still stops the reading behind it. */
export function openExports({ atOnceMax, perAccountMax, stallMs, wholeMs }: ExportLimits) {
  const byAccount = new Map<string, number>()
  let all = 0

  function enter(accountId: string): () => void {
    const own = byAccount.get(accountId) ?? 0
    if (all >= atOnceMax || own >= perAccountMax) {
      throw new Problem('overloaded', undefined, { retryAfterS: RETRY_AFTER_S })
    }
    all++
    byAccount.set(accountId, own + 1)
    return () => {
      all--
      const left = (byAccount.get(accountId) ?? 1) - 1
      if (left > 0) byAccount.set(accountId, left)
      else byAccount.delete(accountId)
    }
  }

  return async function send(reply: FastifyReply, accountId: string, { type, disposition, chunks }: Export) {
    const leave = enter(accountId)
    const body = Readable.from(chunks, { objectMode: false })
    const end = setTimeout(() => body.destroy(new Error('an export took too long')), wholeMs)
    body.once('close', () => {
      clearTimeout(end)
      leave()
    })
    // An outage before the first byte is a problem like any other; afterwards the answer can only break off.
    await once(body, 'readable')
    reply.raw.setTimeout(stallMs, () => reply.raw.destroy())
    reply.headers({ 'content-type': type, 'content-disposition': disposition, 'cache-control': 'private, no-store' })
    return reply.send(body)
  }
}
