import { randomUUID } from 'node:crypto'
import type { RequestSource } from '@probity/contract/constants/accounts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isPublicSandbox } from '../authentication/public-sandbox.ts'
import { isPublishable } from '../authentication/publishable-keys.ts'
import type { RequestLog } from './request-log.ts'

/** The result of a request, for the request log and the usage of the account. Handlers return it with their response. */
export type LoggedResult =
  | { kind: 'single'; status: string; subStatus: string; validationId: string | null }
  /** Number of addresses by status. */
  | { kind: 'bulk'; counts: Record<string, number> }

declare module 'fastify' {
  interface FastifyRequest {
    /** The code of the problem in the response. */
    problemCode: string | undefined
  }
  interface FastifyReply {
    /** Missing for responses without a result, such as problems and replayed responses. */
    logged: LoggedResult | undefined
  }
}

/** Header of the requests that MCP tools make to the API. No other client knows the value. */
export const INSIDE = { name: 'probity-inside', value: randomUUID() } as const

/** Adds each response to a key to the account's request log. A callback, as all hooks that run for every request. */
export function logRequests({ requestLog }: { requestLog: RequestLog }) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const { auth, route } = request
    const result = reply.logged?.kind === 'single' ? reply.logged : undefined
    if (auth?.id && route.url && !isPublicSandbox(auth)) {
      requestLog.add({
        id: request.id.slice('req_'.length),
        accountId: auth.accountId,
        at: new Date(Date.now() - reply.elapsedTime),
        mode: auth.mode,
        source: sourceOf(request),
        method: request.method,
        route: route.url,
        status: reply.statusCode,
        code: request.problemCode ?? null,
        keyId: auth.id,
        durationMs: Math.round(reply.elapsedTime),
        verdict: result?.status ?? null,
        subStatus: result?.subStatus ?? null,
        credits: creditsOf(reply),
        validationId: result?.validationId ?? null,
      })
    }
    done()
  }
}

/** Counts results by status, for keys and for users. */
export function countResults({ requestLog }: { requestLog: RequestLog }) {
  return ({ auth }: FastifyRequest, { logged }: FastifyReply, done: () => void): void => {
    if (logged && auth && !isPublicSandbox(auth)) {
      const { accountId, mode } = auth
      const counts = logged.kind === 'bulk' ? Object.entries(logged.counts) : [[logged.status, 1] as const]
      for (const [status, count] of counts) requestLog.count({ accountId, mode, day: today(), status, count })
    }
    done()
  }
}

const DAY_MS = 24 * 60 * 60 * 1_000
let lastDay = { number: Number.NaN, text: '' }

/** The UTC day, written once for all requests of it. */
function today(): string {
  const number = Math.floor(Date.now() / DAY_MS)
  if (number !== lastDay.number) lastDay = { number, text: new Date(number * DAY_MS).toISOString().slice(0, 10) }
  return lastDay.text
}

function sourceOf({ headers, auth }: FastifyRequest): RequestSource {
  if (headers[INSIDE.name] === INSIDE.value) return 'mcp'
  return isPublishable(auth) ? 'page' : 'api'
}

function creditsOf(reply: FastifyReply): number | null {
  const charged = reply.getHeader('credits-charged')
  return charged === undefined ? null : Number(charged)
}
