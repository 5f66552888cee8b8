import { ProbityError, ProbityWebhookError } from './errors.ts'
import type { WebhookEvent } from './generated/wire.ts'

/** A webhook with a valid signature. */
export type WebhookMessage<T = WebhookEvent> = {
  /** The id of the event. A delivery that is repeated has the same id. */
  id: string
  sentAt: Date
  payload: T
}

export type VerifyOptions = {
  /** How many seconds the timestamp may differ from the clock, in either direction; 300 by default. */
  toleranceS?: number | undefined
}

type HeaderSource = Headers | Record<string, string | string[] | undefined>

const TOLERANCE_S = 300
/** A request has two signatures of each kind during a rotation; more than this are ignored. */
const SIGNATURES_MAX = 10

/**
 * Verifies a webhook as Standard Webhooks defines it and returns its content, or throws. `rawBody` is the body as received, before
 * it is parsed. A key is the signing secret (`whsec_…`, HMAC-SHA256) or the public key (`whpk_…`, Ed25519) of the webhook; one
 * valid signature is enough. During a rotation, pass the old and the new one.
 */
export async function verifyWebhook<T = WebhookEvent>(
  rawBody: string | Uint8Array,
  headers: HeaderSource,
  keys: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookMessage<T>> {
  const id = readHeader(headers, 'webhook-id')
  const timestamp = readHeader(headers, 'webhook-timestamp')
  const sentAt = readTime(timestamp, options.toleranceS ?? TOLERANCE_S)
  const signatures = readHeader(headers, 'webhook-signature').split(' ')
  const content = contentOf(id, timestamp, rawBody)
  for (const text of typeof keys === 'string' ? [keys] : keys) {
    const { key, version } = await importKey(text)
    for (const signature of readSignatures(signatures, version)) {
      // The platform compares in constant time.
      if (await crypto.subtle.verify(key.algorithm.name, key, signature, content))
        return { id, sentAt, payload: readPayload<T>(rawBody) }
    }
  }
  throw new ProbityWebhookError('The webhook is not signed with this key.')
}

/** `v1` is HMAC-SHA256, `v1a` is Ed25519. */
function readSignatures(signatures: string[], version: 'v1' | 'v1a') {
  return signatures
    .filter((one) => one.startsWith(`${version},`))
    .slice(0, SIGNATURES_MAX)
    .flatMap((one) => readBase64(one.slice(version.length + 1)) ?? [])
}

/** The headers of a webhook as the service would sign it with a secret (`whsec_…`), to test your own receiver. */
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

async function importKey(text: string) {
  if (text.startsWith(PUBLIC_KEY)) return { version: 'v1a', key: await importPublicKey(text) } as const
  return { version: 'v1', key: await importSecret(text) } as const
}

const PUBLIC_KEY = 'whpk_'
const PUBLIC_KEY_BYTES = 32

async function importPublicKey(text: string) {
  const bytes = readBase64(text.slice(PUBLIC_KEY.length))
  if (bytes?.length !== PUBLIC_KEY_BYTES) {
    throw new ProbityError('The public key of the webhook is not `whpk_` and the base64 of 32 bytes.')
  }
  return crypto.subtle.importKey('raw', bytes, 'Ed25519', false, ['verify'])
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
    return undefined // an invalid signature matches nothing
  }
}

function readPayload<T>(body: string | Uint8Array): T {
  try {
    return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body)) as T
  } catch {
    throw new ProbityWebhookError('The webhook is signed, but its body is not JSON.')
  }
}
