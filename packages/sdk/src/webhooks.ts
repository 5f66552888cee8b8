import { ProbityError, ProbityWebhookError } from './errors.ts'

/** A webhook that was really sent by the service. */
export type WebhookMessage<T = unknown> = {
  /** Names the message; one that comes twice has the same. */
  id: string
  sentAt: Date
  payload: T
}

export type VerifyOptions = {
  /** How many seconds the time of the message may be off, either way; 300 if left out. */
  toleranceS?: number | undefined
}

type HeaderSource = Headers | Record<string, string | string[] | undefined>

const TOLERANCE_S = 300
/** A header may hold several, while a secret is being replaced; nobody needs this many. */
const SIGNATURES_MAX = 10

/**
 * Checks a webhook as the Standard Webhooks say and returns what it holds, or throws. `rawBody` is the body as it came, before
 * anything has parsed it. While a secret is being replaced, give the old one and the new one.
 */
export async function verifyWebhook<T = unknown>(
  rawBody: string | Uint8Array,
  headers: HeaderSource,
  secrets: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookMessage<T>> {
  const id = readHeader(headers, 'webhook-id')
  const timestamp = readHeader(headers, 'webhook-timestamp')
  const sentAt = readTime(timestamp, options.toleranceS ?? TOLERANCE_S)
  const signatures = readHeader(headers, 'webhook-signature')
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .slice(0, SIGNATURES_MAX)
    .flatMap((one) => readBase64(one.slice('v1,'.length)) ?? [])
  const content = contentOf(id, timestamp, rawBody)
  for (const secret of typeof secrets === 'string' ? [secrets] : secrets) {
    const key = await importSecret(secret)
    for (const signature of signatures) {
      // The platform compares in constant time.
      if (await crypto.subtle.verify('HMAC', key, signature, content))
        return { id, sentAt, payload: readPayload<T>(rawBody) }
    }
  }
  throw new ProbityWebhookError('The webhook is not signed with this secret.')
}

/** The headers of a webhook as the service would sign it, to try your own receiver with. */
export async function signWebhook(rawBody: string | Uint8Array, secret: string, id: string, sentAt = new Date()) {
  const timestamp = String(Math.floor(sentAt.getTime() / 1_000))
  const signature = await crypto.subtle.sign('HMAC', await importSecret(secret), contentOf(id, timestamp, rawBody))
  const text = btoa(String.fromCharCode(...new Uint8Array(signature)))
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${text}` }
}

function readHeader(headers: HeaderSource, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : findHeader(headers, name)
  if (typeof value === 'string' && value !== '') return value
  throw new ProbityWebhookError(`The webhook has no ${name} header.`)
}

/** Not every framework writes the names in lower case. */
function findHeader(headers: Record<string, string | string[] | undefined>, name: string) {
  const value = headers[name] ?? Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return Array.isArray(value) ? value[0] : value
}

function readTime(timestamp: string, toleranceS: number): Date {
  if (!/^\d{1,12}$/.test(timestamp)) throw new ProbityWebhookError('The time of the webhook cannot be read.')
  const offS = Math.abs(Date.now() / 1_000 - Number(timestamp))
  if (offS > toleranceS) throw new ProbityWebhookError('The webhook is too old, or the clocks differ.')
  return new Date(Number(timestamp) * 1_000)
}

function contentOf(id: string, timestamp: string, body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder()
  const head = encoder.encode(`${id}.${timestamp}.`)
  const rest = typeof body === 'string' ? encoder.encode(body) : body
  const content = new Uint8Array(head.length + rest.length)
  content.set(head)
  content.set(rest, head.length)
  return content
}

async function importSecret(secret: string) {
  const bytes = readBase64(secret.replace(/^whsec_/, ''))
  if (!bytes?.length) throw new ProbityError('The secret of the webhook is not `whsec_` and base64.')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])
}

function readBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined // a signature like this matches nothing
  }
}

function readPayload<T>(body: string | Uint8Array): T {
  try {
    return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body)) as T
  } catch {
    throw new ProbityWebhookError('The webhook is signed, but its body is not JSON.')
  }
}
