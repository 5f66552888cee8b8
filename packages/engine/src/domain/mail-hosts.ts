import type { MxRecord } from 'node:dns'
import { isMailHostName, isName } from './host-name.ts'
import { type DnsFailure, type QueryResult, queryDns } from './query.ts'
import type { MailDns } from './resolver.ts'

export type MailHost = { name: string; preference: number }

/** Where mail for a domain goes, that it goes nowhere, that it goes where we do not follow, or that DNS would not say. */
export type MailHosts =
  | { kind: 'hosts'; hosts: MailHost[]; source: 'mx' | 'address' }
  | { kind: 'none'; reason: 'domain_not_found' | 'no_mail_server' | 'null_mx' }
  | { kind: 'unroutable'; reason: 'not_routable' }
  | { kind: 'unknown'; reason: 'dns_failed'; failure: DnsFailure }

/** Nobody runs more to be reached by; a domain with thousands of records wants to keep somebody busy. */
const HOSTS_MAX = 10

/** `domain` is in lower case, as A-labels. */
export async function findMailHosts(domain: string, dns: MailDns): Promise<MailHosts> {
  if (!isName(domain)) return unknown('bad_name')
  const found = await findOnce(domain, dns)
  if (found.kind !== 'none') return found

  // A "no" condemns every address of the domain, so it has to be said twice: a resolver whose answers change from one question
  // to the next is then caught. Where nothing changes, the second round comes out of the resolver's cache.
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
  // RFC 7505 §3: a null MX stands alone. Beside another record it is a mistake, and the other one counts.
  if (records.length === 1 && records[0]?.exchange === '') return { kind: 'none', reason: 'null_mx' }

  const hosts = listHosts(records)
  return hosts.length > 0 ? { kind: 'hosts', hosts, source: 'mx' } : { kind: 'unroutable', reason: 'not_routable' }
}

/** The best hosts, each once. RFC 5321 §5.1 would shuffle equals; we go by name, so that two runs ask the same hosts. */
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
 * RFC 5321 §5.1: a domain without MX records is its own mail host, if it has an address. That a name does not exist must hold for
 * every type of record: there are servers that deny the whole name when asked for a type they do not know (RFC 4074 §4.2).
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
