import type { MxRecord } from 'node:dns'
import { toASCII } from 'tr46'
import { PROVIDERS } from './data/providers.ts'
import { SPECIAL_USE } from './data/special-use.ts'
import { type DnsFailure, type MailDns, type QueryResult, queryDns } from './resolver.ts'

/** RFC 1035 §2.3.4, written without the last dot. */
const NAME_LENGTH_MAX = 253

/** Letters, digits and inner hyphens, up to 63 octets (RFC 1123 §2.1). */
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** The last part of every spelling of an IPv4 address, down to a single number: decimal or hexadecimal. */
const NUMBER = /^(?:\d+|0x[\da-f]*)$/

/**
 * Whether a name from DNS can be that of a mail host on the internet. DNS can return `localhost`, `redis`, `0` and `2130706433` like
 * any name, and a connection to one of them would reach this host or its network.
 */
export function isMailHostName(name: string): boolean {
  const labels = name.split('.')
  const last = labels.at(-1) ?? ''
  return isName(name) && labels.length >= 2 && !NUMBER.test(last) && !SPECIAL_USE.has(last) && isIdna(name)
}

/** Whether the name can be queried. The empty name is the root, which exists and does not accept mail. */
export function isName(name: string): boolean {
  return name.length <= NAME_LENGTH_MAX && name.split('.').every((label) => LABEL.test(label))
}

/** Labels that begin with `xn--` must be a valid encoding (RFC 5891 §5.4). */
function isIdna(name: string): boolean {
  if (!name.includes('xn--')) return true
  return toASCII(name, { checkBidi: true, checkJoiners: true, useSTD3ASCIIRules: true, verifyDNSLength: true }) === name
}

export type MailHost = { name: string; preference: number }

/** The mail hosts of a domain, or that it has none, has unusable ones, or that DNS failed. */
export type MailHosts =
  | { kind: 'hosts'; hosts: MailHost[]; source: 'mx' | 'address' }
  | { kind: 'none'; reason: 'domain_not_found' | 'no_mail_server' | 'null_mx' }
  | { kind: 'unroutable'; reason: 'not_routable' }
  | { kind: 'unknown'; reason: 'dns_failed'; failure: DnsFailure }

/** No real domain needs more; a domain with thousands of records is an attack. */
const HOSTS_MAX = 10

/** `domain` is in lower case, as A-labels. */
export async function findMailHosts(domain: string, dns: MailDns): Promise<MailHosts> {
  if (!isName(domain)) return unknown('bad_name')
  const found = await findOnce(domain, dns)
  if (found.kind !== 'none') return found

  // A negative response makes every address of the domain invalid, so it must be confirmed by a second query, which detects a resolver
  // with changing responses. Normally the second response is from the cache of the resolver.
  const again = await findOnce(domain, dns)
  if (again.kind === 'none' && again.reason !== found.reason) return unknown('inconsistent')
  return again
}

async function findOnce(domain: string, dns: MailDns): Promise<MailHosts> {
  const mx = await queryDns(dns.resolveMx(domain))
  if (mx.kind === 'failed') return unknown(mx.failure)
  if (mx.kind === 'records') return readMx(mx.records)

  const addresses = await Promise.all([queryDns(dns.resolve4(domain)), queryDns(dns.resolve6(domain))])
  return concludeWithoutMx(domain, mx.kind, addresses)
}

function readMx(records: MxRecord[]): MailHosts {
  // RFC 7505 §3: a null MX is the only record. With other records it is a mistake, and the others count.
  if (records.length === 1 && records[0]?.exchange === '') return { kind: 'none', reason: 'null_mx' }

  const hosts = listHosts(records)
  return hosts.length > 0 ? { kind: 'hosts', hosts, source: 'mx' } : { kind: 'unroutable', reason: 'not_routable' }
}

/** The most preferred hosts, each once. RFC 5321 §5.1 randomizes equal ones; here they are sorted, so that two runs use the same. */
function listHosts(records: MxRecord[]): MailHost[] {
  const sorted = records
    .map(({ exchange, priority }) => ({ name: exchange.toLowerCase(), preference: priority }))
    .filter(({ name }) => isMailHostName(name))
    .toSorted((a, b) => a.preference - b.preference || (a.name < b.name ? -1 : 1))

  const best = new Map<string, MailHost>()
  for (const host of sorted) if (!best.has(host.name)) best.set(host.name, host)
  return [...best.values()].slice(0, HOSTS_MAX)
}

/**
 * RFC 5321 §5.1: a domain without MX records is its own mail host, if it has an address. NXDOMAIN counts only if
 * all record types return it: some servers return it for types that they do not know (RFC 4074 §4.2).
 */
function concludeWithoutMx(domain: string, mx: 'no_data' | 'no_name', addresses: QueryResult<string>[]): MailHosts {
  const hasAddress = addresses.some(({ kind }) => kind === 'records')
  if (hasAddress && mx === 'no_name') return unknown('inconsistent')
  if (hasAddress && !isMailHostName(domain)) return { kind: 'unroutable', reason: 'not_routable' }
  if (hasAddress) return { kind: 'hosts', hosts: [{ name: domain, preference: 0 }], source: 'address' }

  const failed = addresses.find((answer) => answer.kind === 'failed')
  if (failed) return unknown(failed.failure)
  if (addresses.some(({ kind }) => kind !== mx)) return unknown('inconsistent')
  return { kind: 'none', reason: mx === 'no_name' ? 'domain_not_found' : 'no_mail_server' }
}

function unknown(failure: DnsFailure): MailHosts {
  return { kind: 'unknown', reason: 'dns_failed', failure }
}

const ID_BY_SUFFIX = new Map(PROVIDERS.flatMap(({ id, suffixes }) => suffixes.map((suffix) => [suffix, id])))

/**
 * The provider that runs every mail host of a domain; `''` when the table does not know one of them or when they differ. Any domain can
 * name a provider's host in an MX record, so a set that mixes hosts proves nothing about the others.
 */
export function providerOf(hosts: MailHost[]): string {
  const [first = '', ...others] = new Set(hosts.map(({ name }) => providerOfHost(name)))
  return others.length === 0 ? first : ''
}

/**
 * The provider that runs a mail host, proven by its name: only the provider publishes names below its own domains. Goes from the whole
 * name to its parents, whole labels at a time, so the longest suffix wins and evilgoogle.com is not Google.
 */
export function providerOfHost(name: string): string {
  for (let rest = name; rest !== ''; rest = rest.slice(rest.indexOf('.') + 1)) {
    const id = ID_BY_SUFFIX.get(rest)
    if (id !== undefined) return id
    if (!rest.includes('.')) return ''
  }
  return ''
}
