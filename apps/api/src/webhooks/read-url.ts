import { isIP } from 'node:net'
import { Problem } from '../problem.ts'

/** Names that never lead out of somebody's own network (RFC 6761, RFC 6762, RFC 8375 and what ICANN keeps for that). */
const INSIDE = new Set(['localhost', 'local', 'internal', 'lan', 'home', 'corp', 'arpa', 'onion', 'invalid', 'test'])

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * The URL of a webhook as we keep it. Whoever names one would have us send requests to it, so it has to look like something on the
 * public internet. This is the first lock and says what is wrong; the worker judges the address that the name leads to.
 */
export function readUrl(text: string): string {
  const url = URL.parse(text.trim())
  if (url === null) throw rejected('It is not a URL.')
  if (url.protocol !== 'https:') throw rejected('It must begin with https://.')
  if (url.username !== '' || url.password !== '') throw rejected('It must hold neither a user nor a password.')
  if (url.port !== '') throw rejected('It must use port 443.')
  if (url.hash !== '') throw rejected('It must have no fragment.')
  refuseHost(url.hostname)
  return url.href
}

/** The parser has read 127.1, 0x7f000001 and their kin as the address that they are. */
function refuseHost(host: string): void {
  if (isIP(host) > 0 || host.startsWith('[')) throw rejected('It must name a host, not an address.')
  const labels = host.split('.')
  const isName = host.length <= 253 && labels.length >= 2 && labels.every((label) => LABEL.test(label))
  if (!isName || INSIDE.has(labels.at(-1) ?? '')) throw rejected('Its host is not a name on the public internet.')
}

function rejected(reason: string): Problem {
  const errors = [{ pointer: '/url', detail: reason }]
  return new Problem('webhook_url_rejected', reason, { errors })
}
