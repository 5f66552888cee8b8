import { setTimeout as sleep } from 'node:timers/promises'
import { openDomainLists } from '@probity/engine/domain/domain-lists'
import { createDomainLookup, openMemoryStore } from '@probity/engine/domain/facts'
import { openResolver } from '@probity/engine/domain/resolver'
import { createLocalRateLimiter } from '@probity/engine/smtp/connections/local-rate-limiter'
import { DEFAULT_TIMEOUTS } from '@probity/engine/smtp/connections/open-connection'
import { createProbeCache } from '@probity/engine/smtp/connections/probe-cache'
import { createMailboxProber } from '@probity/engine/smtp/probe/prober'
import type { TranscriptEntry } from '@probity/engine/smtp/replies/reply-text'
import { validate } from '@probity/engine/validate'
import type { Validation } from '@probity/engine/verdict/validation'
import { SIMULATED_ADDRESS_LIMITS, SIMULATED_LIMITS } from '@probity/lab/simulation/data/provider-limits'
import { type Answer, drive, type Limits } from './drive.ts'
import { SENDER } from './library.ts'

/** The address of the simulation. */
export type OurTask = Limits & { dnsPort: number; smtpPort: number; addressBase: string }

/** More than any provider's retry schedule has. */
const TRIES_MAX = 10

const task = JSON.parse(process.argv[2] ?? '') as OurTask
const dns = openResolver({ servers: [`127.0.0.1:${task.dnsPort}`] })
const heloName = `probe.${SENDER.domain}`
const mailboxes = createMailboxProber({
  dns,
  policy: { port: task.smtpPort, allows: (address) => address.startsWith(`${task.addressBase}.`) },
  egress: { name: heloName, heloName, mailFrom: SENDER.address },
  providerLimits: SIMULATED_LIMITS,
  addressLimits: SIMULATED_ADDRESS_LIMITS,
  rateLimiter: createLocalRateLimiter(),
  probeCache: createProbeCache(openMemoryStore()),
  timeouts: DEFAULT_TIMEOUTS,
})
const network = { domains: createDomainLookup({ dns }), lists: openDomainLists(), prober: mailboxes }
const controls = new WeakSet<TranscriptEntry>()
const counts = { recipients: 0, controls: 0, tries: 0 }
drive(ask, task, async () => {
  await mailboxes.close()
  return counts
})

/** As in the service: a deferred address is probed again at its retry time, until the verdict is final. */
async function ask(email: string): Promise<Answer> {
  for (let attempts = 1; ; attempts += 1) {
    const found = await validate(email, network, { attempts })
    count(found)
    if (found.retry === null || attempts === TRIES_MAX) {
      return describe(found)
    }
    await sleep(found.retry.afterMs)
  }
}

function describe({ verdict, evidence }: Validation): Answer {
  const about = evidence.filter(({ check }) => check === 'mx' || check === 'recipient' || check === 'catch_all')
  const text = about.map(({ check, outcome, detail }) => `${check} ${outcome}: ${detail}`).join(' ')
  return { verdict: verdict.status, subStatus: verdict.subStatus, evidence: text }
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
