import { KEY_PATTERN } from './key-format.ts'

/** A text without API keys, other secrets and email addresses, for logs. A second lock: what is known to hold one is not logged at all. */
export function withoutSecrets(line: string): string {
  return withoutAddresses(
    line.replace(KEY_PATTERN, '[key]').replace(WEBHOOK_SECRET, '[secret]').replace(STRIPE_KEY, '[secret]'),
  )
}

/** Standard Webhooks: this, and the base64 of 24 bytes or more. */
const WEBHOOK_SECRET = /whsec_[A-Za-z0-9+/]{30,}={0,2}/g

/** What opens the operator's account at Stripe. */
const STRIPE_KEY = /\b[sr]k_(live|test)_[A-Za-z0-9]{8,}/g

const LOCAL_PART_MAX = 320
const DOMAIN_MAX = 255
/** Where a word ends, in prose as in JSON. */
const BOUNDARY = new Set(` \t\r\n"'<>@\\,;:(){}[]`)
/** Where packages live: in a stack trace their paths are full of names@versions and @scopes that are no addresses. */
const PACKAGE_PATH = /node_modules\S*$/
const PACKAGE_PATH_MAX = 400

// By hand and not by a regular expression: from each @ outwards it takes a bounded number of steps, whatever the line.
function withoutAddresses(line: string): string {
  let clean = ''
  let kept = 0
  for (let at = line.indexOf('@'); at >= 0; at = line.indexOf('@', at + 1)) {
    const from = Math.max(kept, startOfLocalPart(line, at))
    const to = endOfDomain(line, at)
    if (from === at || to === at + 1 || PACKAGE_PATH.test(line.slice(Math.max(0, at - PACKAGE_PATH_MAX), at))) continue
    clean += `${line.slice(kept, from)}[address]`
    kept = to
  }
  return clean + line.slice(kept)
}

function startOfLocalPart(line: string, at: number): number {
  const floor = Math.max(0, at - LOCAL_PART_MAX)
  // A quoted local part may hold anything, so all that stands within reach before the @ goes.
  if (line[at - 1] === '"') return floor
  let from = at
  while (from > floor && !BOUNDARY.has(line.charAt(from - 1))) from--
  return from
}

function endOfDomain(line: string, at: number): number {
  let to = at + 1
  while (to < line.length && to <= at + DOMAIN_MAX && !BOUNDARY.has(line.charAt(to))) to++
  return to
}
