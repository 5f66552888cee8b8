import { createBatcher } from '@probity/concurrency/scheduling'
import type { AccountOptions } from '@probity/database/accounts/keys'
import type { Db } from '@probity/database/connection/connect'
import { listHistories } from '@probity/database/feedback/histories'
import type { ProbeResult } from '@probity/engine/smtp/probe/result'
import type { Network } from '@probity/engine/validate'
import type { ValidationOptions } from '@probity/engine/verdict/conclude'
import type { History, HistoryLookup } from '@probity/engine/verdict/deliverability'
import { inSpan, NO_SPAN, type Span } from '@probity/telemetry/span'
import { providerLabel } from '../server/metrics.ts'

/** Delivery outcomes that accounts reported, for the verdict. */
export type FeedbackHistory = { of(accountId: string): HistoryLookup }

/** How long histories are cached. Short, and still enough for the addresses of a batch to share a query. */
const BELIEVED_FOR_MS = 2_000
const REMEMBERED_MAX = 5_000
const AT_ONCE_MAX = 200

type Asked = { domain: string; provider: string }
type Kept = { history: Promise<History>; until: number }

/** Reads histories in groups, one query per account at a time, and keeps them for two seconds. */
export function openFeedbackHistory(db: Db, { shared }: { shared: boolean }): FeedbackHistory {
  const gather = createBatcher<Asked, History>(AT_ONCE_MAX, (accountId, asked) =>
    listHistories(db, accountId, asked, { shared }),
  )
  const kept = new Map<string, Kept>()

  function look(accountId: string, asked: Asked): Promise<History> {
    const name = `${accountId} ${asked.domain} ${asked.provider}`
    const now = performance.now()
    const found = kept.get(name)
    if (found && found.until > now) return found.history
    const history = gather(accountId, asked)
    if (kept.size >= REMEMBERED_MAX) kept.clear() // the entries are at most two seconds old
    kept.set(name, { history, until: now + BELIEVED_FOR_MS })
    history.catch(() => kept.delete(name)) // the callers get the error, and the next call runs a new query
    return history
  }

  return { of: (accountId) => ({ find: (domain, provider) => look(accountId, { domain, provider }) }) }
}

/** The options of the account for a validation. */
export function optionsOf({ ai, catchall, sendThreshold, excludedTraits }: AccountOptions): ValidationOptions {
  return { ai, catchall, threshold: sendThreshold, excludedTraits }
}

/** Adds spans for DNS lookups and SMTP probes to the trace of a validation. */
export function traceNetwork(network: Network, span: Span): Network {
  if (span === NO_SPAN) return network
  const { domains, prober } = network
  return {
    ...network,
    domains: {
      lookUp: (domain) =>
        inSpan(span, 'dns', async (asking) => {
          const found = await domains.lookUp(domain)
          const { mail, provider } = found.facts
          const outcome = mail.kind === 'hosts' ? 'hosts' : mail.reason
          asking.note({ 'dns.outcome': outcome, 'dns.source': found.source, provider: providerLabel(provider) })
          return found
        }),
    },
    ...(prober && {
      prober: {
        ...prober,
        probe: (question) =>
          inSpan(span, 'smtp', async (asking) => {
            const answer = await prober.probe(question)
            asking.note({ ...describe(answer), provider: providerLabel(question.provider) })
            return answer
          }),
      },
    }),
  }
}

/** Stages and codes of the SMTP session. Reply texts are left out: they can contain the address. */
function describe({ finding, transcript, acceptAll }: ProbeResult) {
  const reason = finding.kind === 'refused' ? finding.reason : 'why' in finding ? finding.why : ''
  return {
    'smtp.finding': finding.kind,
    'smtp.reason': reason,
    'smtp.replies': transcript.map(({ stage, code }) => `${stage} ${code}`).join(', '),
    'smtp.accept_all': acceptAll,
  }
}
