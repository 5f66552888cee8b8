import { isIP } from 'node:net'
import { Problem } from './problem.ts'

/** Top-level names of private networks (RFC 6761, RFC 6762, RFC 8375 and names that ICANN reserves for that). */
const INSIDE = new Set(['localhost', 'local', 'internal', 'lan', 'home', 'corp', 'arpa', 'onion', 'invalid', 'test'])

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * The URL of a webhook or callback as it is stored. Requests are sent to it, so it must name a host on the public internet. This
 * check explains the rejection; the worker checks the IP address that the name resolves to.
 */
export function readUrl(text: string, pointer = '/url'): string {
  const url = URL.parse(text.trim())
  const reason = url === null ? 'It is not a URL.' : findFault(url)
  if (url === null || reason !== undefined) {
    throw new Problem('webhook_url_rejected', reason, { errors: [{ pointer, detail: reason ?? '' }] })
  }
  return url.href
}

function findFault(url: URL): string | undefined {
  if (url.protocol !== 'https:') return 'It must begin with https://.'
  if (url.username !== '' || url.password !== '') return 'It must contain neither a user nor a password.'
  if (url.port !== '') return 'It must use port 443.'
  if (url.hash !== '') return 'It must have no fragment.'
  return findHostFault(url.hostname)
}

/** The parser has already turned 127.1, 0x7f000001 and similar spellings into IP addresses. */
function findHostFault(host: string): string | undefined {
  if (isIP(host) > 0 || host.startsWith('[')) return 'It must name a host, not an address.'
  const labels = host.split('.')
  const isName = host.length <= 253 && labels.length >= 2 && labels.every((label) => LABEL.test(label))
  const isPublic = isName && !INSIDE.has(labels.at(-1) ?? '')
  return isPublic ? undefined : 'Its host is not a name on the public internet.'
}
