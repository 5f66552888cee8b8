import { startDns } from '@probity/lab/dns/start'
import type { Names } from '@probity/lab/dns/zone-file'
import { freePort } from '@probity/lab/services/daemon'
import { type Script, type ScriptedServer, startScripted } from '@probity/lab/smtp/server'
import { whenDone } from '@probity/lab/when-done'
import { openDomainLists } from '../../domain/domain-lists.ts'
import { createDomainLookup, openMemoryStore } from '../../domain/facts.ts'
import { openResolver } from '../../domain/resolver.ts'
import { validate } from '../../validate.ts'
import type { AddressLimits } from '../connections/destination-limits.ts'
import { createLocalRateLimiter } from '../connections/local-rate-limiter.ts'
import { DEFAULT_TIMEOUTS, type Timeouts } from '../connections/open-connection.ts'
import { createProbeCache } from '../connections/probe-cache.ts'
import { PROVIDER_LIMITS } from '../providers/data/limits.ts'
import type { ProviderLimitsTable } from '../providers/limits.ts'
import { createMailboxProber } from './prober.ts'
import type { UnclassifiedReply } from './request.ts'

/** An egress with names that tests expect, or do not expect, in the SMTP session. */
export const EGRESS = {
  name: 'probe.probity.example',
  heloName: 'probe.probity.example',
  mailFrom: 'bounce@probity.example',
}

export function onLoopback(port: number) {
  return { port, allows: (address: string) => address.startsWith('127.') }
}

type MailOptions = {
  /** Domains and the scripts of their mail hosts, in the order of preference. */
  domains: Record<string, Script[]>
  names?: Names
  /** Servers at addresses that `names` give to hosts. */
  servers?: Record<string, Script>
  /** The name of a domain's only mail host, for tests that depend on it. */
  hostNames?: Record<string, string>
  providerLimits?: ProviderLimitsTable
  addressLimits?: AddressLimits
  timeouts?: Partial<Timeouts>
}

/** The production limits, except that a new connection need not wait for two seconds. */
const QUICK: ProviderLimitsTable = { ...PROVIDER_LIMITS, '': { ...PROVIDER_LIMITS[''], connectionsPerMinute: 6_000 } }

let addressesUsed = 0

/** Scripted mail servers with real DNS, and functions that validate addresses with them end to end. */
export async function startMail({
  domains,
  names = {},
  servers: placed = {},
  hostNames = {},
  ...options
}: MailOptions) {
  const port = await freePort()
  const servers: Record<string, ScriptedServer[]> = {}
  const zone: Names = { ...names }
  const nameOf = (domain: string, n: number) => hostNames[domain] ?? `mx${n + 1}.${domain}`
  for (const [domain, scripts] of Object.entries(domains)) {
    servers[domain] = []
    zone[domain] = { mx: scripts.map((_, n) => [10 * (n + 1), nameOf(domain, n)]) }
    for (const [n, script] of scripts.entries()) {
      addressesUsed += 1
      const host = `127.91.${Math.floor(addressesUsed / 250)}.${1 + (addressesUsed % 250)}`
      zone[nameOf(domain, n)] = { a: [host] }
      const server = await startScripted({ name: nameOf(domain, n), ...script }, { host, port })
      whenDone(() => server.stop())
      servers[domain].push(server)
    }
  }
  for (const [host, script] of Object.entries(placed)) {
    const server = await startScripted(script, { host, port })
    whenDone(() => server.stop())
  }
  const dns = await startDns({ names: zone, faults: {} })
  whenDone(() => dns.stop())
  return { servers, port, dns, ...openProber({ dnsPort: dns.port, port, ...options }) }
}

type Prober = {
  dnsPort: number
  port: number
  providerLimits?: ProviderLimitsTable
  addressLimits?: AddressLimits
  timeouts?: Partial<Timeouts>
}

/** Limits that no test reaches unintentionally. */
const WIDE: AddressLimits = { connections: 100, perMinute: 60_000 }

/** The engine over loopback: only the IP addresses differ from production. */
export function openProber({ dnsPort, port, providerLimits = QUICK, addressLimits = WIDE, timeouts = {} }: Prober) {
  // With a long DNS timeout: DNS is not tested here and must not fail on a busy machine.
  const dns = openResolver({ servers: [`127.0.0.1:${dnsPort}`], timeoutMs: 4_000 })
  const unclassified: UnclassifiedReply[] = []
  const rateLimiter = createLocalRateLimiter()
  let leaseRequests = 0
  const desk = createMailboxProber({
    dns,
    policy: onLoopback(port),
    egress: EGRESS,
    providerLimits,
    addressLimits,
    rateLimiter: {
      ...rateLimiter,
      lease: (target, destination) => {
        leaseRequests += 1
        return rateLimiter.lease(target, destination)
      },
    },
    probeCache: createProbeCache(openMemoryStore()),
    timeouts: { ...DEFAULT_TIMEOUTS, ...timeouts },
    recordUnclassified: (reply) => unclassified.push(reply),
  })
  whenDone(() => desk.close())
  const network = {
    domains: createDomainLookup({ dns, limits: { deadlineMs: 15_000 } }),
    lists: openDomainLists(),
    prober: desk,
  }
  return {
    desk,
    unclassified,
    /** The number of lease requests. */
    countLeaseRequests: () => leaseRequests,
    /** Fills the DNS cache, so that a time measurement after it covers mail servers alone. */
    lookUpAll: (names: string[]) => Promise.all(names.map((name) => network.domains.lookUp(name))),
    /** Validates some addresses at once, with a deadline for the mail server. */
    validateAll: (emails: string[], withinMs = 20_000) =>
      Promise.all(emails.map((email) => validate(email, network, { deadline: performance.now() + withinMs }))),
  }
}
