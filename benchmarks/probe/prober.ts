import { openMemoryStore } from '@probity/engine/domain/facts'
import { createLocalRateLimiter } from '@probity/engine/smtp/connections/local-rate-limiter'
import { DEFAULT_TIMEOUTS } from '@probity/engine/smtp/connections/open-connection'
import { createProbeCache } from '@probity/engine/smtp/connections/probe-cache'
import { createMailboxProber, type MailboxProber } from '@probity/engine/smtp/probe/prober'
import type { ProbeResult } from '@probity/engine/smtp/probe/result'
import { PROVIDER_LIMITS } from '@probity/engine/smtp/providers/data/limits'
import type { ProviderLimits } from '@probity/engine/smtp/providers/limits'
import type { Place } from '@probity/lab/mail/process'
import { domainOf, type Known } from './addresses.ts'

const MAIL_HOST = 'mx.bench.example'
const WITHIN_MS = 120_000

/** The limits of an unknown provider, without the rate limit of new connections: the probe is measured, not the delay. */
const UNPACED: ProviderLimits = { ...PROVIDER_LIMITS[''], connectionsPerMinute: 60_000, errorsPerHour: null }

/**
 * Probes lists one after the other, as a worker with an empty cache does. Closes its last connection, and fails if a
 * result is wrong.
 */
export async function probeLists(lists: Known[][], place: Place, limits: Partial<ProviderLimits> = {}): Promise<void> {
  const prober = openProber(place, limits)
  try {
    for (const list of lists) await probeList(list, prober)
  } finally {
    await prober.close()
  }
}

function openProber({ host, port }: Place, limits: Partial<ProviderLimits>): MailboxProber {
  return createMailboxProber({
    dns: {
      resolve4: async () => [host],
      resolve6: async () => [],
      resolveMx: async () => [{ exchange: MAIL_HOST, priority: 10 }],
      resolveTxt: async () => [],
    },
    policy: { port, allows: (address) => address === host },
    egress: { name: 'bench', heloName: 'bench.probity.example', mailFrom: 'bounce@probity.example' },
    providerLimits: { '': { ...UNPACED, ...limits } },
    addressLimits: { connections: 100, perMinute: UNPACED.connectionsPerMinute },
    rateLimiter: createLocalRateLimiter(),
    probeCache: createProbeCache(openMemoryStore()),
    timeouts: DEFAULT_TIMEOUTS,
  })
}

async function probeList(list: Known[], prober: MailboxProber): Promise<void> {
  const where = { hosts: [{ name: MAIL_HOST, preference: 10 }], provider: '', deadline: performance.now() + WITHIN_MS }
  const answers = await Promise.all(
    list.map(({ email: path }) =>
      prober.probe({ ...where, domain: domainOf(path), recipient: { path, needsUtf8: false } }),
    ),
  )
  const wrong = answers.filter((answer, n) => !isTrue(answer, list[n]?.exists === true))
  if (wrong.length > 0) throw new Error(`${wrong.length} wrong answers, the first ${JSON.stringify(wrong[0])}`)
}

function isTrue({ finding, acceptAll }: ProbeResult, exists: boolean): boolean {
  return exists
    ? finding.kind === 'accepted' && acceptAll === 'no'
    : finding.kind === 'refused' && finding.reason === 'mailbox_not_found'
}
