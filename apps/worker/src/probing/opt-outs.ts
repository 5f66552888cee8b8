import { startInterval } from '@probity/concurrency/scheduling'
import type { Db } from '@probity/database/connection/connect'
import { readOptedOut } from '@probity/database/validations/probing'
import type { MailboxProber } from '@probity/engine/smtp/probe/prober'
import type { ProbeResult, SkipReason } from '@probity/engine/smtp/probe/result'
import type { Logger } from 'pino'
import type { Meters } from '../server/metrics.ts'

/** Mail domains whose owners opted out of probing, as this worker knows them. */
export type OptOuts = {
  /** Whether a domain, or one above it, is listed. `domain` is in A-labels. */
  has(domain: string): boolean
  stop(): Promise<void>
}

const LOAD_EVERY_MS = 2_000

/** Reads the list every two seconds. While the database is unavailable, the last known list applies. */
export async function openOptOuts({ db, log }: { db: Db; log: Logger }): Promise<OptOuts> {
  let domains: ReadonlySet<string> = new Set()
  const load = async () => {
    domains = new Set(await readOptedOut(db))
  }
  const onError = (error: unknown) => log.debug({ err: error }, 'failed to load opted-out domains')
  await load().catch(onError)
  const interval = startInterval(LOAD_EVERY_MS, load, { onError, delayFirst: true, unref: true })
  return {
    has: (domain) => domains.size > 0 && withParents(domain.toLowerCase()).some((name) => domains.has(name)),
    stop: () => interval.stop(),
  }
}

function withParents(domain: string): string[] {
  const labels = domain.split('.')
  return labels.map((_, n) => labels.slice(n).join('.'))
}

/** A prober that sends no probe to domains that opted out. */
export function applyOptOuts(prober: MailboxProber, optOuts: OptOuts, meters: Meters): MailboxProber {
  return {
    ...prober,
    async probe(request) {
      if (!optOuts.has(request.domain)) return prober.probe(request)
      meters.optedOut()
      return skippedResult('opted_out')
    },
  }
}

/** A prober that sends no probe at all, for addresses beyond the daily limit of their domain. */
export function skipDomainLimited(prober: MailboxProber): MailboxProber {
  return { ...prober, probe: async () => skippedResult('domain_limit') }
}

function skippedResult(why: SkipReason): ProbeResult {
  return {
    finding: { kind: 'unasked', why },
    acceptAll: 'untested',
    acceptAllSource: 'live',
    host: null,
    transcript: [],
    at: Date.now() / 1_000,
    ms: 0,
  }
}
