import type { WebhookEvent } from './generated/api-types.ts'
import { ProbityError, WebhookVerificationError } from './http/errors.ts'

export type VerifyWebhookOptions = {
  /** The request body as received, before it is parsed. */
  payload: string | Uint8Array
  /** The request headers. */
  headers: Headers | Record<string, string | string[] | undefined>
  /**
   * The signing secret (`whsec_…`, HMAC-SHA256) or public key (`whpk_…`, Ed25519) of the webhook. One valid signature is sufficient:
   * during a rotation, pass the old and the new one.
   */
  secret: string | readonly string[]
  /** Maximum difference between the timestamp of the request and the clock, in seconds. Default: 300. */
  toleranceSeconds?: number | undefined
}

export type SignWebhookOptions = {
  /** The request body to sign. */
  payload: string | Uint8Array
  /** Signing secret (`whsec_…`). */
  secret: string
  /** Id of the event. */
  id: string
  /** Time of the signature. Default: now. */
  timestamp?: Date | undefined
}

export type WebhookHeaders = { 'webhook-id': string; 'webhook-timestamp': string; 'webhook-signature': string }

const TOLERANCE_SECONDS = 300
/** During a rotation a request has two signatures of each kind. More than this are ignored. */
const SIGNATURES_MAX = 10

/**
 * Verifies a webhook request as Standard Webhooks defines it and returns its event, or rejects with `WebhookVerificationError`.
 * `event.type` narrows `event.data`. A repeated delivery has the same `event.id`. New types may be added: handle `default`.
 */
export async function verifyWebhook(options: VerifyWebhookOptions): Promise<WebhookEvent> {
  const { payload, headers, secret, toleranceSeconds = TOLERANCE_SECONDS } = options
  const id = getHeader(headers, 'webhook-id')
  const timestamp = getHeader(headers, 'webhook-timestamp')
  checkTimestamp(timestamp, toleranceSeconds)
  const signatures = getHeader(headers, 'webhook-signature').split(' ')
  const content = createSignedContent(id, timestamp, payload)
  for (const text of typeof secret === 'string' ? [secret] : secret) {
    const { key, version } = await importKey(text)
    for (const signature of readSignatures(signatures, version)) {
      // The platform compares in constant time.
      if (await crypto.subtle.verify(key.algorithm.name, key, signature, content)) return parseEvent(payload)
    }
  }
  throw new WebhookVerificationError('The webhook is not signed with this secret.')
}

/** Signs a payload as the service does and returns the headers, to test a webhook receiver. */
export async function signWebhook(options: SignWebhookOptions): Promise<WebhookHeaders> {
  const { payload, secret, id, timestamp: signedAt = new Date() } = options
  const timestamp = String(Math.floor(signedAt.getTime() / 1_000))
  const content = createSignedContent(id, timestamp, payload)
  const signature = await crypto.subtle.sign('HMAC', await importSecret(secret), content)
  const text = btoa(String.fromCharCode(...new Uint8Array(signature)))
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${text}` }
}

/** `v1` is HMAC-SHA256, `v1a` is Ed25519. */
function readSignatures(signatures: string[], version: 'v1' | 'v1a') {
  return signatures
    .filter((signature) => signature.startsWith(`${version},`))
    .slice(0, SIGNATURES_MAX)
    .flatMap((signature) => decodeBase64(signature.slice(version.length + 1)) ?? [])
}

function getHeader(headers: VerifyWebhookOptions['headers'], name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : findHeader(headers, name)
  if (typeof value === 'string' && value !== '') return value
  throw new WebhookVerificationError(`The webhook has no ${name} header.`)
}

/** Some frameworks do not convert header names to lower case. */
function findHeader(headers: Record<string, string | string[] | undefined>, name: string) {
  const value = headers[name] ?? Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return Array.isArray(value) ? value[0] : value
}

function checkTimestamp(timestamp: string, toleranceSeconds: number): void {
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError('The timestamp of the webhook is malformed.')
  const differenceSeconds = Math.abs(Date.now() / 1_000 - Number(timestamp))
  if (differenceSeconds > toleranceSeconds) {
    throw new WebhookVerificationError('The webhook is too old, or the clocks differ.')
  }
}

function createSignedContent(id: string, timestamp: string, payload: string | Uint8Array): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder()
  const head = encoder.encode(`${id}.${timestamp}.`)
  const body = typeof payload === 'string' ? encoder.encode(payload) : payload
  const content = new Uint8Array(head.length + body.length)
  content.set(head)
  content.set(body, head.length)
  return content
}

async function importKey(text: string) {
  if (text.startsWith(PUBLIC_KEY_PREFIX)) return { version: 'v1a', key: await importPublicKey(text) } as const
  return { version: 'v1', key: await importSecret(text) } as const
}

const PUBLIC_KEY_PREFIX = 'whpk_'
const PUBLIC_KEY_BYTES = 32

async function importPublicKey(text: string) {
  const bytes = decodeBase64(text.slice(PUBLIC_KEY_PREFIX.length))
  if (bytes?.length !== PUBLIC_KEY_BYTES) {
    throw new ProbityError('The webhook public key is malformed: expected `whpk_` and the base64 of 32 bytes.')
  }
  return crypto.subtle.importKey('raw', bytes, 'Ed25519', false, ['verify'])
}

async function importSecret(secret: string) {
  const bytes = decodeBase64(secret.replace(/^whsec_/, ''))
  if (!bytes?.length) throw new ProbityError('The webhook secret is malformed: expected `whsec_` and base64.')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined // a malformed signature matches nothing
  }
}

function parseEvent(payload: string | Uint8Array): WebhookEvent {
  try {
    return JSON.parse(typeof payload === 'string' ? payload : new TextDecoder().decode(payload)) as WebhookEvent
  } catch {
    throw new WebhookVerificationError('The webhook is signed, but its body is not JSON.')
  }
}
