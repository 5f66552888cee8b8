import { randomUUID } from 'node:crypto'
import type { RequestSource } from '@probity/contract/constants/accounts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isPublicCaller } from '../authentication/public-sandbox.ts'
import { isPublishable } from '../authentication/publishable-keys.ts'
import type { RequestLog } from './request-log.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What a single address was answered with, beside the status. */
    finding: { subStatus: string | null; validationId: string | null } | undefined
    /** How many addresses were answered with each status, where there were several. */
    verdicts: Record<string, number> | undefined
    /** The code of the problem that was answered with. */
    problemCode: string | undefined
  }
}

/** What our own requests carry that a tool of an agent makes. Nobody outside can know it. */
export const INSIDE = { name: 'probity-inside', value: randomUUID() } as const

/** Puts each answer to a key into the account's log. As a callback, like all that runs for every request. */
export function noteRequests({ requestLog }: { requestLog: RequestLog }) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const { caller, finding, route } = request
    if (caller?.id && route.url && !isPublicCaller(caller)) {
      requestLog.add({
        id: request.id.slice('req_'.length),
        accountId: caller.accountId,
        at: new Date(Date.now() - reply.elapsedTime),
        mode: caller.mode,
        source: sourceOf(request),
        method: request.method,
        route: route.url,
        status: reply.statusCode,
        code: request.problemCode ?? null,
        keyId: caller.id,
        durationMs: Math.round(reply.elapsedTime),
        verdict: request.verdict ?? null,
        subStatus: finding?.subStatus ?? null,
        credits: creditsOf(reply),
        validationId: finding?.validationId ?? null,
      })
    }
    done()
  }
}

/** Counts what addresses were answered with, for keys and for people. */
export function noteVerdicts({ requestLog }: { requestLog: RequestLog }) {
  return (request: FastifyRequest, _reply: FastifyReply, done: () => void): void => {
    const { caller, verdict, verdicts } = request
    if (caller && !isPublicCaller(caller)) {
      const { accountId, mode } = caller
      if (verdict !== undefined) requestLog.count({ accountId, mode, day: today(), status: verdict, count: 1 })
      else if (verdicts) {
        for (const [status, count] of Object.entries(verdicts)) {
          if (count > 0) requestLog.count({ accountId, mode, day: today(), status, count })
        }
      }
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

function sourceOf({ headers, caller }: FastifyRequest): RequestSource {
  if (headers[INSIDE.name] === INSIDE.value) return 'mcp'
  return isPublishable(caller) ? 'page' : 'api'
}

function creditsOf(reply: FastifyReply): number | null {
  const charged = reply.getHeader('credits-charged')
  return charged === undefined ? null : Number(charged)
}
