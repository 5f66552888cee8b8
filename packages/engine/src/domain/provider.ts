import { PROVIDERS } from './data/providers.ts'
import type { MailHost } from './mail-hosts.ts'

const ID_BY_SUFFIX = new Map(PROVIDERS.flatMap(({ id, suffixes }) => suffixes.map((suffix) => [suffix, id])))

/** Who runs the mail hosts that mail goes to first; `''` when the table does not know. */
export function providerOf(hosts: MailHost[]): string {
  const best = Math.min(...hosts.map(({ preference }) => preference))
  const known = hosts.filter(({ preference }) => preference === best).map(({ name }) => providerOfHost(name))
  return known.find((id) => id !== '') ?? ''
}

/** Goes from the whole name to its parents, whole labels at a time, so the longest suffix wins and evilgoogle.com is not Google. */
function providerOfHost(name: string): string {
  for (let rest = name; rest !== ''; rest = rest.slice(rest.indexOf('.') + 1)) {
    const id = ID_BY_SUFFIX.get(rest)
    if (id !== undefined) return id
    if (!rest.includes('.')) return ''
  }
  return ''
}
