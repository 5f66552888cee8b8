import { randomBytes } from 'node:crypto'
import type { ResolverNames } from './data/known-domains.ts'
import { type DnsFailure, dnsError, type MailDns, openResolver, type QueryResult, queryDns } from './resolver.ts'

/** A query whose result is known, and to which a server responded otherwise. */
export type ResolverFault = {
  server: string
  name: string
  /** `unresolved`: an existing name has no record; `invented`: a nonexistent name has one; `failed`: there is no usable response. */
  kind: 'unresolved' | 'invented' | 'failed'
  saw: 'records' | 'no_data' | 'no_name' | DnsFailure
}

export type ResolverState =
  | { kind: 'unchecked' }
  /** `since`: Unix time in milliseconds of the first check that passed after the last one that failed. */
  | { kind: 'trusted'; since: number }
  | { kind: 'untrusted'; faults: ResolverFault[] }

/** Whether responses without records can be believed. */
export type ResolverCheck = {
  /** Runs a check if the last one is too old. Concurrent calls share it. */
  isTrusted(): Promise<boolean>
  /** A response without MX records for this domain. For a known mail domain it proves that the resolver is wrong. */
  noteMissingMx(domain: string): void
  state(): ResolverState
}

type CheckOptions = {
  /** All resolvers. Lookups rotate over them, so one wrong server is enough. */
  servers: string[]
  names: ResolverNames
  /** Called when the resolvers become trusted or untrusted. */
  report?: (state: ResolverState) => void
  /** Unix time in milliseconds. */
  now?: () => number
  /** A check expires so many times faster. */
  timeFactor?: number
}

/** A resolver behind a captive portal or in a new container network starts to lie at any time, so trust ends soon. */
const TRUSTED_MS = 60_000
/** Short, because valid results are unknown in the meantime, and longer than a resolver needs for a failing lookup. */
const UNTRUSTED_MS = 10_000
/** A query without a response is repeated once, so a check takes at most three seconds. */
const QUERY_TIMEOUT_MS = 1_500
/** Of the table, in turn: a provider whose DNS fails does not fail the next check. */
const MAIL_DOMAINS_PER_CHECK = 3

/**
 * Detects resolvers that deny existing names: those of captive portals, of networks without internet access, and of broken containers. A check
 * is five queries per server, at most once per minute while it passes and every ten seconds while it fails.
 */
export function createResolverCheck(options: CheckOptions): ResolverCheck {
  const { servers, names, report, now = Date.now, timeFactor = 1 } = options
  let state: ResolverState = { kind: 'unchecked' }
  let validUntil = 0
  let running: Promise<void> | undefined
  let turn = 0

  function conclude(faults: ResolverFault[]): void {
    const before = state
    if (faults.length > 0) state = { kind: 'untrusted', faults }
    else if (before.kind !== 'trusted') state = { kind: 'trusted', since: now() }
    validUntil = now() + (faults.length > 0 ? UNTRUSTED_MS : TRUSTED_MS) / timeFactor
    if (state.kind !== before.kind) report?.(state)
  }

  async function checkAll(): Promise<void> {
    const before = state
    const mailDomains = pickMailDomains(names.mailDomains, turn)
    turn += 1
    const faults = await Promise.all(servers.map((server) => checkServer(server, { ...names, mailDomains })))
    // A lie that was noted in the meantime outweighs a check that began before it.
    if (state === before) conclude(faults.flat())
  }

  return {
    async isTrusted() {
      if (now() >= validUntil) {
        running ??= checkAll().finally(() => {
          running = undefined
        })
        await running
      }
      return state.kind === 'trusted'
    },
    noteMissingMx(name) {
      if (names.mailDomains.includes(name)) {
        conclude([{ server: servers.join(', '), name, kind: 'unresolved', saw: 'no_data' }])
      }
    },
    state: () => state,
  }
}

function pickMailDomains(all: readonly string[], turn: number): string[] {
  const count = Math.min(MAIL_DOMAINS_PER_CHECK, all.length)
  return Array.from({ length: count }, (_, n) => all[(turn * count + n) % all.length] ?? '')
}

/** Sends the queries to one server, all at once, and returns those with a wrong response or none. */
export async function checkServer(server: string, names: ResolverNames): Promise<ResolverFault[]> {
  const dns = openResolver({ servers: [server], timeoutMs: QUERY_TIMEOUT_MS })
  const absent = `${randomBytes(16).toString('hex')}.${names.absentBelow}`
  const found = await Promise.all([
    ask(() => dns.resolveSoa(names.zone)).then((result) => judgeExisting(names.zone, result)),
    ask(() => dns.resolve4(absent)).then((result) => judgeAbsent(absent, result)),
    ...names.mailDomains.map((name) => ask(() => dns.resolveMx(name)).then((result) => judgeExisting(name, result))),
  ])
  return found.flatMap((fault) => (fault === undefined ? [] : [{ server, ...fault }]))
}

/** A lost datagram is not a fault. */
async function ask<T>(query: () => Promise<T[]>): Promise<QueryResult<T>> {
  const result = await queryDns(query())
  return result.kind === 'failed' && result.failure === 'timeout' ? queryDns(query()) : result
}

type Fault = Omit<ResolverFault, 'server'>

function judgeExisting(name: string, result: QueryResult<unknown>): Fault | undefined {
  if (result.kind === 'failed') return { name, kind: 'failed', saw: result.failure }
  return result.kind === 'records' ? undefined : { name, kind: 'unresolved', saw: result.kind }
}

/** Only NXDOMAIN is correct. A response without an address (NODATA) still claims that the name exists. */
function judgeAbsent(name: string, result: QueryResult<unknown>): Fault | undefined {
  if (result.kind === 'failed') return { name, kind: 'failed', saw: result.failure }
  return result.kind === 'no_name' ? undefined : { name, kind: 'invented', saw: result.kind }
}

/**
 * A resolver whose responses without records count only while the check passes. Otherwise the query fails, so that a name that the resolver
 * denies is unknown and never absent. That covers a domain with its own address as mail host too, because that requires the absence
 * of MX records. TXT is spared: no verdict depends on it.
 */
export function rejectUntrusted(dns: MailDns, check: ResolverCheck): MailDns {
  const guard = async <T>(query: Promise<T[]>): Promise<T[]> => {
    try {
      return await query
    } catch (error) {
      if (!isAbsence(error) || (await check.isTrusted())) throw error
      throw dnsError('EUNTRUSTED', 'The resolver failed its check.')
    }
  }
  const resolveMx = async (name: string) => {
    try {
      return await dns.resolveMx(name)
    } catch (error) {
      if (isAbsence(error)) check.noteMissingMx(name)
      throw error
    }
  }
  return {
    resolveMx: (name) => guard(resolveMx(name)),
    resolve4: (name) => guard(dns.resolve4(name)),
    resolve6: (name) => guard(dns.resolve6(name)),
    resolveTxt: (name) => dns.resolveTxt(name),
  }
}

/** NXDOMAIN or NODATA. */
function isAbsence(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOTFOUND' || code === 'ENODATA'
}
