import { once } from 'node:events'
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { Problem } from '../problem.ts'

export type ExportLimits = {
  /** Exports that one process writes at once. */
  atOnceMax: number
  /** Exports of one account, if others leave slots free. */
  perAccountMax: number
  /** A client that reads nothing for this long is disconnected. */
  stallMs: number
  /** A client that reads less than this on average is disconnected, after a grace period for connections that start slowly. */
  bytesPerSecondMin: number
  graceMs: number
  /** Maximum duration of an export at any read rate. */
  wholeMs: number
}

export const EXPORT_LIMITS: ExportLimits = {
  atOnceMax: 8,
  perAccountMax: 3,
  stallMs: 60_000,
  bytesPerSecondMin: 32 * 1024,
  graceMs: 30_000,
  wholeMs: 60 * 60_000,
}

const RETRY_AFTER_S = 5

export type Export = { type: string; disposition: string; chunks: AsyncGenerator<string | Buffer> }

/** Sends exports at the pace of their clients. A client that disconnects, stalls or is too slow ends the reading from the database. */
export function openExports(limits: ExportLimits) {
  const { stallMs, wholeMs } = limits
  const enter = createAdmission(limits)

  return async function send(reply: FastifyReply, accountId: string, { type, disposition, chunks }: Export) {
    const leave = enter(accountId)
    const stopSlow = () => body.destroy(new Error('export client reads too slowly'))
    const body = Readable.from(withReadRate(chunks, limits, stopSlow), { objectMode: false })
    const end = setTimeout(() => body.destroy(new Error('export exceeded its time limit')), wholeMs)
    body.once('close', () => {
      clearTimeout(end)
      leave()
    })
    // An outage before the first byte returns a problem. After it the response can only be interrupted.
    await once(body, 'readable')
    reply.raw.setTimeout(stallMs, () => reply.raw.destroy())
    reply.headers({ 'content-type': type, 'content-disposition': disposition, 'cache-control': 'private, no-store' })
    return reply.send(body)
  }
}

/**
 * Admits exports. Each account may start one while a slot is free. Further ones of the same account are admitted only in the first half of
 * the slots, so that a few accounts cannot occupy all of them.
 */
function createAdmission({ atOnceMax, perAccountMax }: Pick<ExportLimits, 'atOnceMax' | 'perAccountMax'>) {
  const byAccount = new Map<string, number>()
  const sharedMax = Math.floor(atOnceMax / 2)
  let all = 0

  return function enter(accountId: string): () => void {
    const own = byAccount.get(accountId) ?? 0
    if (all >= (own === 0 ? atOnceMax : sharedMax) || own >= perAccountMax) {
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
}

type ReadRate = Pick<ExportLimits, 'bytesPerSecondMin' | 'graceMs'>

/** Passes chunks on. Only the time spent waiting for the client counts: a slow database is not the client's fault. */
async function* withReadRate(chunks: AsyncGenerator<string | Buffer>, rate: ReadRate, onSlow: () => void) {
  let sentBytes = 0
  let awaitedMs = 0
  for await (const chunk of chunks) {
    sentBytes += Buffer.byteLength(chunk)
    const allowedMs = rate.graceMs + (sentBytes / rate.bytesPerSecondMin) * 1000
    const began = performance.now()
    const timer = setTimeout(onSlow, Math.max(0, allowedMs - awaitedMs))
    try {
      yield chunk
    } finally {
      clearTimeout(timer)
      awaitedMs += performance.now() - began
    }
  }
}

type ExportName = { content: string; ending: 'csv' | 'xlsx' | 'ndjson' }

/** File name of a download (RFC 6266): the name of the uploaded file, the content of the export and the ending of its format. */
export function attachment(filename: string, { content, ending }: ExportName): string {
  const base = filename
    .replace(/\.[^.]{1,10}$/, '')
    .replace(/[\p{C}\p{Zl}\p{Zp}/\\:*?"<>|]/gu, '') // characters that have a special meaning in file systems or headers
    .replace(/^[.\s]+/, '')
  const name = `${base || 'list'}-${content}.${ending}`
  const plain = name.normalize('NFKD').replace(/[^\w.() -]/g, '_')
  return `attachment; filename="${plain}"; filename*=UTF-8''${encode(name)}`
}

/** RFC 8187 allows fewer characters than encodeURIComponent leaves unescaped. */
function encode(name: string): string {
  return encodeURIComponent(name).replace(/['()*]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`)
}
