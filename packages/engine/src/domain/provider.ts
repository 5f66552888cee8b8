import { PROVIDERS } from './data/providers.ts'
import type { MailHost } from './mail-hosts.ts'

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
