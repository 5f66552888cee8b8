import { setTimeout as sleep } from 'node:timers/promises'
import { openDomainLists } from '@probity/engine/domain/domain-lists'
import { createDomainLookup, openMemoryStore } from '@probity/engine/domain/facts'
import { openResolver } from '@probity/engine/domain/resolver'
import { createResolverCheck, rejectUntrusted } from '@probity/engine/domain/resolver-check'
import { createLocalRateLimiter } from '@probity/engine/smtp/connections/local-rate-limiter'
import { DEFAULT_TIMEOUTS } from '@probity/engine/smtp/connections/open-connection'
import { createProbeCache } from '@probity/engine/smtp/connections/probe-cache'
import { scaleDurations, scaleProviderLimits } from '@probity/engine/smtp/connections/time-factor'
import { createMailboxProber } from '@probity/engine/smtp/probe/prober'
import type { TranscriptEntry } from '@probity/engine/smtp/replies/reply-text'
import { validate } from '@probity/engine/validate'
import type { Validation } from '@probity/engine/verdict/validation'
import { SIMULATED_ADDRESS_LIMITS, SIMULATED_LIMITS } from '@probity/lab/simulation/data/provider-limits'
import { SIMULATED_NAMES } from '@probity/lab/simulation/data/resolver-names'
import { type Answer, drive, type Limits, type Quote } from './drive.ts'
import { SENDER } from './library.ts'

/** The address of the simulation. */
export type OurTask = Limits & {
  dnsPort: number
  smtpPort: number
  addressBase: string
  /** Whether an attempt without a response is repeated. */
  retriesUnanswered: boolean
  /** How long a block suspends a site; by default a moment. */
  suspendS: number | undefined
  /** That of the simulation. */
  timeFactor: number
}

/** More than any provider's retry schedule has. */
const TRIES_MAX = 10

const task = JSON.parse(process.argv[2] ?? '') as OurTask
const servers = [`127.0.0.1:${task.dnsPort}`]
const dns = openResolver({ servers })
const resolverCheck = createResolverCheck({ servers, names: SIMULATED_NAMES, timeFactor: task.timeFactor })
const { timeFactor } = task
const limits = task.suspendS === undefined ? SIMULATED_LIMITS : suspendFor(task.suspendS)
const heloName = `probe.${SENDER.domain}`
const mailboxes = createMailboxProber({
  dns: rejectUntrusted(dns, resolverCheck),
  policy: { port: task.smtpPort, allows: (address) => address.startsWith(`${task.addressBase}.`) },
  egress: { name: heloName, heloName, mailFrom: SENDER.address },
  providerLimits: scaleProviderLimits(limits, timeFactor),
  addressLimits: SIMULATED_ADDRESS_LIMITS,
  rateLimiter: createLocalRateLimiter({ timeFactor }),
  probeCache: createProbeCache(openMemoryStore(), { timeFactor }),
  timeouts: scaleDurations(DEFAULT_TIMEOUTS, timeFactor),
  timeFactor,
})
const network = {
  timeFactor,
  domains: createDomainLookup({ dns, resolverCheck, timeFactor }),
  lists: openDomainLists(),
  prober: mailboxes,
}
const controls = new WeakSet<TranscriptEntry>()
const counts = { recipients: 0, controls: 0, tries: 0 }
drive(ask, task, async () => {
  await mailboxes.close()
  return counts
})

function suspendFor(seconds: number): typeof SIMULATED_LIMITS {
  const longer = Object.entries(SIMULATED_LIMITS).map(([provider, limits]) => {
    const suspendS = Object.fromEntries(Object.keys(limits.suspendS).map((reason) => [reason, seconds]))
    return [provider, { ...limits, suspendS }]
  })
  return Object.fromEntries(longer)
}

/**
 * As in the service: a deferred address is probed again at its retry time, until the verdict is final. A retry that would come too late is
 * not waited for.
 */
async function ask(email: string): Promise<Answer> {
  const endsAt = performance.now() + task.withinMs
  let attempts = 1
  let noResponses = 0
  for (let tries = 1; ; tries += 1) {
    const found = await validate(email, network, { attempts, ...(task.retriesUnanswered && { noResponses }) })
    count(found)
    const { retry } = found
    if (retry === null || tries === TRIES_MAX || performance.now() + retry.afterMs > endsAt) return describe(found)
    if (retry.kind === 'deferred') attempts += 1
    if (retry.kind === 'no_response') noResponses += 1
    await sleep(retry.afterMs)
  }
}

function describe({ verdict, evidence }: Validation): Answer {
  const about = evidence.filter(({ check }) => check === 'mx' || check === 'recipient' || check === 'catch_all')
  const text = about.map(({ check, outcome, detail }) => `${check} ${outcome}: ${detail}`).join(' ')
  const quotes = evidence.filter(({ check }) => check === 'recipient').flatMap(({ detail }) => listQuotes(detail))
  return { verdict: verdict.status, subStatus: verdict.subStatus, evidence: text, quotes }
}

function listQuotes(detail: string): Quote[] {
  const found = detail.matchAll(/RCPT TO(?: \((?<kind>[^)]*)\))?: “(?<reply>[^”]*)”/g)
  return [...found].map(({ groups: { kind = '', reply = '' } = {} }) => ({
    reply,
    isControl: kind !== '', // or an accepted recipient that was sent again
  }))
}

/** Several addresses share a control recipient, so it is identified by object and not counted per address. */
function count({ mailbox }: Validation): void {
  counts.tries += 1
  for (const said of mailbox?.transcript ?? []) {
    if (said.stage === 'rcpt') counts.recipients += 1
    if (said.stage !== 'control' || controls.has(said)) continue
    controls.add(said)
    counts.controls += 1
  }
}
