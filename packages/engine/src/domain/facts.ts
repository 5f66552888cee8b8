import { createLruCache } from '@probity/concurrency/lru-cache'
import { createSemaphore } from '@probity/concurrency/scheduling'
import { findMailHosts, type MailHosts, providerOf } from './mail-hosts.ts'
import { findDmarc, findSpf, type Policy } from './policies.ts'
import { type DnsFailure, limitQueries, type MailDns } from './resolver.ts'
import { type ResolverCheck, rejectUntrusted } from './resolver-check.ts'

/** Stores facts between lookups, as text. Workers use a store that all hosts share. */
export type FactsStore = {
  get(domain: string): Promise<string | undefined>
  set(domain: string, text: string, ttlMs: number): Promise<void>
}

type MemoryOptions = { entriesMax?: number; now?: () => number }

/** About a kilobyte each, so some ten megabytes when full. */
const ENTRIES_MAX = 10_000

/** Facts of this process only. */
export function openMemoryStore({ entriesMax = ENTRIES_MAX, now = Date.now }: MemoryOptions = {}): FactsStore {
  const entries = createLruCache<string, { text: string; until: number }>(entriesMax)
  return {
    async get(domain) {
      const entry = entries.get(domain)
      if (entry === undefined || entry.until > now()) return entry?.text
      entries.delete(domain)
      return undefined
    },
    async set(domain, text, ttlMs) {
      entries.set(domain, { text, until: now() + ttlMs })
    },
  }
}

/** The DNS data of a domain, the same for all of its addresses and for all accounts. */
export type DomainFacts = {
  domain: string
  mail: MailHosts
  /** `unasked` if the domain does not accept mail, because then it has no effect. */
  spf: Policy | 'unasked'
  dmarc: Policy | 'unasked'
  /** The provider of the mail hosts; `''` if it is unknown or there are none. */
  provider: string
  asked: Finding[]
}

/** One check: its outcome, its time (Unix time in seconds) and its duration. */
type Finding = { at: number; ms: number } & (
  | { check: 'mx'; outcome: MxOutcome }
  | { check: 'spf' | 'dmarc'; outcome: Policy }
)

type MxOutcome = 'found' | Exclude<MailHosts, { kind: 'hosts' | 'unknown' }>['reason'] | DnsFailure

export type DomainLookupResult = { facts: DomainFacts; source: 'live' | 'cache' }

export type DomainLookup = { lookUp(domain: string): Promise<DomainLookupResult> }

type Limits = typeof LIMITS

type DeskOptions = {
  dns: MailDns
  store?: FactsStore
  /** Without it, every response counts. */
  resolverCheck?: ResolverCheck | undefined
  limits?: Partial<Limits>
  /** Cached facts expire so many times faster. */
  timeFactor?: number
}

const LIMITS = {
  deadlineMs: 5_000,
  /** Each is at most two messages, the second over TCP, so that a lookup never sends more than twelve. */
  queriesMax: 6,
  /** Limit of the process. The socket buffer of a resolver holds about 270 queries; others are lost. */
  queriesInFlightMax: 200,
  storeTimeoutMs: 250,
  /** Mail hosts rarely change within an hour. */
  foundTtlMs: 60 * 60_000,
  /** Short, because a domain may be in the process of being set up. */
  absentTtlMs: 5 * 60_000,
  /** Lets the addresses of a batch at a failing domain share one failure. */
  failedTtlMs: 10_000,
}

/** Changes with the type and the meaning of `DomainFacts`, so that a new release does not read entries of an old one. */
const FACTS_VERSION = 3

/** Looks up domains and caches the results. Concurrent lookups of a domain share one. `domain` is in A-labels. */
export function createDomainLookup(options: DeskOptions): DomainLookup {
  const { store = openMemoryStore(), resolverCheck, timeFactor = 1 } = options
  const dns = resolverCheck ? rejectUntrusted(options.dns, resolverCheck) : options.dns
  const limits = { ...LIMITS, ...options.limits }
  const semaphore = createSemaphore(limits.queriesInFlightMax)
  const running = new Map<string, Promise<DomainLookupResult>>()

  const start = async (domain: string): Promise<DomainLookupResult> => {
    const deadline = performance.now() + limits.deadlineMs
    const kept = await findKept(store, domain, limits.storeTimeoutMs)
    if (kept && (await isCredible(kept, resolverCheck))) return { facts: kept, source: 'cache' }

    const facts = await findFacts(domain, limitQueries(dns, { deadline, queriesMax: limits.queriesMax, semaphore }))
    if (!isAboutResolver(facts)) void keep(store, facts, ttlOf(facts, limits) / timeFactor)
    return { facts, source: 'live' }
  }

  return {
    lookUp(given) {
      const domain = given.toLowerCase()
      const found = running.get(domain) ?? start(domain).finally(() => running.delete(domain))
      running.set(domain, found)
      return found
    },
  }
}

/**
 * A resolver is detected up to a minute after its first lie. So facts that rest on the absence of a record count only if they are younger
 * than the last failure of the check, whichever worker stored them.
 */
async function isCredible({ mail, asked }: DomainFacts, check: ResolverCheck | undefined): Promise<boolean> {
  const hasMx = (mail.kind === 'hosts' && mail.source === 'mx') || (mail.kind === 'none' && mail.reason === 'null_mx')
  if (check === undefined || hasMx || mail.kind === 'unknown') return true
  await check.isTrusted()
  const state = check.state()
  return state.kind === 'trusted' && asked.every(({ at }) => Math.round(at * 1_000) >= state.since)
}

/** A fault of our resolver says nothing about the domain, and other workers have their own resolvers. */
function isAboutResolver({ mail }: DomainFacts): boolean {
  return mail.kind === 'unknown' && mail.failure === 'resolver_untrusted'
}

/** Mail hosts first: if they are unknown or there are none, the policies are not queried. */
async function findFacts(domain: string, dns: MailDns): Promise<DomainFacts> {
  const mx = await timed(findMailHosts(domain, dns))
  const mail = mx.found
  const mxFinding: Finding = { check: 'mx', outcome: outcomeOf(mail), ...mx.taken }
  const known = { domain, mail, provider: mail.kind === 'hosts' ? providerOf(mail.hosts) : '' }
  if (mail.kind === 'none') return { ...known, spf: 'unasked', dmarc: 'unasked', asked: [mxFinding] }
  if (mail.kind === 'unknown') return { ...known, spf: 'failed', dmarc: 'failed', asked: [mxFinding] }

  const [spf, dmarc] = await Promise.all([timed(findSpf(domain, dns)), timed(findDmarc(domain, dns))])
  const asked: Finding[] = [
    mxFinding,
    { check: 'spf', outcome: spf.found, ...spf.taken },
    { check: 'dmarc', outcome: dmarc.found, ...dmarc.taken },
  ]
  return { ...known, spf: spf.found, dmarc: dmarc.found, asked }
}

async function timed<T>(work: Promise<T>): Promise<{ found: T; taken: { at: number; ms: number } }> {
  const began = performance.now()
  const found = await work
  return { found, taken: { at: Date.now() / 1000, ms: performance.now() - began } }
}

function outcomeOf(mail: MailHosts): MxOutcome {
  if (mail.kind === 'hosts') return 'found'
  return mail.kind === 'unknown' ? mail.failure : mail.reason
}

function ttlOf({ mail, spf, dmarc }: DomainFacts, limits: Limits): number {
  if (mail.kind === 'unknown' || spf === 'failed' || dmarc === 'failed') return limits.failedTtlMs
  return mail.kind === 'hosts' ? limits.foundTtlMs : limits.absentTtlMs
}

/** The store only saves work, so a store that fails, hangs or contains invalid data is treated as empty. */
async function findKept(store: FactsStore, domain: string, timeoutMs: number): Promise<DomainFacts | undefined> {
  let timer: NodeJS.Timeout | undefined
  const timeUp = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), timeoutMs)
  })
  try {
    const text = await Promise.race([store.get(domain), timeUp])
    const { version, facts } = JSON.parse(text ?? '{}')
    return version === FACTS_VERSION && facts.domain === domain ? facts : undefined
  } catch {
    return undefined // as if it were empty
  } finally {
    clearTimeout(timer)
  }
}

async function keep(store: FactsStore, facts: DomainFacts, ttlMs: number): Promise<void> {
  try {
    await store.set(facts.domain, JSON.stringify({ version: FACTS_VERSION, facts }), ttlMs)
  } catch {
    // The next lookup queries DNS again.
  }
}
