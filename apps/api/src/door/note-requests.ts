import { randomUUID } from 'node:crypto'
import type { RequestSource } from '@probity/contract/requests'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isPublicCaller } from './public-sandbox.ts'
import { isPublishable } from './publishable.ts'
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
    const { caller, finding, routeOptions } = request
    if (caller?.id && routeOptions.url && !isPublicCaller(caller)) {
      requestLog.add({
        id: request.id.slice('req_'.length),
        accountId: caller.accountId,
        at: new Date(Date.now() - reply.elapsedTime),
        mode: caller.mode,
        source: sourceOf(request),
        method: request.method,
        route: routeOptions.url,
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
    const counts = verdict === undefined ? verdicts : { [verdict]: 1 }
    if (caller && counts && !isPublicCaller(caller)) {
      const day = new Date().toISOString().slice(0, 10)
      const { accountId, mode } = caller
      for (const [status, count] of Object.entries(counts)) {
        if (count > 0) requestLog.count({ accountId, mode, day, status, count })
      }
    }
    done()
  }
}

function sourceOf({ headers, caller }: FastifyRequest): RequestSource {
  if (headers[INSIDE.name] === INSIDE.value) return 'mcp'
  return isPublishable(caller) ? 'page' : 'api'
}

function creditsOf(reply: FastifyReply): number | null {
  const charged = reply.getHeader('credits-charged')
  return charged === undefined ? null : Number(charged)
}
