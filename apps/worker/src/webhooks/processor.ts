import { createHmac, createPrivateKey, type KeyObject, sign as signBytes } from 'node:crypto'
import type { KeyMode } from '@probity/contract/constants/keys'
import { eventName, sentHeaders, timestampOf } from '@probity/contract/constants/webhooks'
import {
  type ClaimedDelivery,
  claimDelivery,
  type DeliveryOutcome,
  type DispatchedDelivery,
  type NewAttempt,
  recordAttempt,
} from '@probity/database/webhooks/events'
import { retryOnOutage } from '../server/retry-on-outage.ts'
import type { Services } from '../server/services.ts'
import { type Posted, post, type WebhookNetwork } from './post.ts'

/** Claim time: longer than a request and saving its outcome. After it, another worker takes over. */
const HOLD_S = 30
/** How long saving the outcome is retried while PostgreSQL is down. */
const SETTLE_WITHIN_MS = 10_000

const GONE = 410

type Needed = Pick<Services, 'db' | 'dns' | 'meters' | 'log'>

/** Sends one event to one webhook and saves the outcome. May run twice: receivers deduplicate by event id. */
export function deliverWebhooks({ db, dns, meters, log }: Needed, outside: WebhookNetwork) {
  return async (task: DispatchedDelivery): Promise<void> => {
    const delivery = await claimDelivery(db, task, HOLD_S)
    if (delivery === undefined) return // claimed by another worker or already settled: a duplicate task
    const { posted, tried } = await send(delivery, { ...outside, dns })
    const outcome = conclude(delivery, posted)
    const settled = await retryOnOutage(log, SETTLE_WITHIN_MS, () => recordAttempt(db, delivery, outcome, tried))
    meters.delivered(outcome.kind)
    log.debug(
      { delivery: delivery.id, outcome: outcome.kind, status: tried.status, error: tried.error, settled },
      'webhook delivery attempted',
    )
  }
}

async function send(delivery: ClaimedDelivery, around: Parameters<typeof post>[1]) {
  const { eventId, body, url } = delivery
  const began = performance.now()
  const signedAt = new Date(Math.floor(Date.now() / 1000) * 1000)
  const signature = body === null ? '' : sign({ eventId, body, signedAt }, signingKeysOf(delivery))
  const hindrance = findHindrance(delivery)
  const posted: Posted =
    hindrance ?? (await post({ url, headers: sentHeaders({ eventId, signedAt, signature }), body: body ?? '' }, around))
  const what =
    posted.kind === 'answered' ? { status: posted.status, error: null } : { status: null, error: posted.error }
  const tried: NewAttempt = { signedAt, signature, durationMs: performance.now() - began, ...what }
  return { posted, tried }
}

function signingKeysOf({ secret, previousSecret, privateKey, previousPrivateKey }: ClaimedDelivery): SigningKeys {
  const present = (keys: (string | null)[]) => keys.filter((key) => key !== null)
  return { secrets: present([secret, previousSecret]), privateKeys: present([privateKey, previousPrivateKey]) }
}

/** Reason why a delivery cannot be sent. A delivery that never completes may be the one that crashes workers. */
function findHindrance({ body, attemptsBegun }: ClaimedDelivery): Posted | undefined {
  if (body === null) return { kind: 'failed', error: 'event_expired' }
  if (attemptsBegun > 2 * TRIES_MAX) return { kind: 'failed', error: 'not_finished' }
  return undefined
}

function conclude({ body, attemptsBegun, mode }: ClaimedDelivery, posted: Posted): DeliveryOutcome {
  if (posted.kind === 'answered' && posted.status >= 200 && posted.status < 300) return { kind: 'delivered' }
  if (posted.kind === 'answered' && posted.status === GONE) return { kind: 'gone' }
  const retryAfterS = posted.kind === 'answered' ? posted.retryAfterS : 0
  const afterMs = body === null ? undefined : delayAfter(attemptsBegun, mode, retryAfterS)
  return afterMs === undefined ? { kind: 'given_up' } : { kind: 'again', afterMs }
}

const MINUTE_S = 60
const HOUR_S = 60 * MINUTE_S

/**
 * Delays between failed attempts. The first ones are for a receiver that is being deployed, the long ones for one that must be repaired.
 * Together they cover a weekend: ten attempts within 75 hours.
 */
const DELAYS_S = [
  5,
  1 * MINUTE_S,
  5 * MINUTE_S,
  30 * MINUTE_S,
  2 * HOUR_S,
  6 * HOUR_S,
  12 * HOUR_S,
  24 * HOUR_S,
  30 * HOUR_S,
]

export const TRIES_MAX = DELAYS_S.length + 1

/** Jitter relative to the delay, so that deliveries that failed together are not retried together. */
const JITTER = 0.2

/** Speeds up retries in test mode, so that testing failures does not take days. */
const TEST_MODE_FASTER = 20

/** Limit of the additional delay that a receiver can request. */
const RETRY_AFTER_MAX_S = 1 * HOUR_S

/** Delay before the next attempt after so many failures; undefined after the last attempt. */
export function delayAfter(tries: number, mode: KeyMode, retryAfterS = 0): number | undefined {
  const delayS = DELAYS_S[tries - 1]
  if (delayS === undefined) return undefined
  const jitter = 1 + JITTER * (2 * Math.random() - 1)
  const scheduledS = (delayS * jitter) / (mode === 'test' ? TEST_MODE_FASTER : 1)
  return 1000 * Math.max(scheduledS, Math.min(retryAfterS, RETRY_AFTER_MAX_S))
}

type Message = { eventId: string; body: string; signedAt: Date }

/** The HMAC secrets (`whsec_…`) and Ed25519 private keys (`whsk_…`) of an endpoint: the current ones, and after a rotation the previous ones. */
export type SigningKeys = { secrets: string[]; privateKeys: string[] }

/**
 * The signatures of Standard Webhooks over id, time and body: `v1` is HMAC-SHA256, `v1a` is Ed25519. The time is part of the content,
 * so that an intercepted request cannot be replayed later.
 */
export function sign({ eventId, body, signedAt }: Message, { secrets, privateKeys }: SigningKeys): string {
  const content = `${eventName(eventId)}.${timestampOf(signedAt)}.${body}`
  return [
    ...secrets.map((secret) => `v1,${hmac(secret, content)}`),
    ...privateKeys.map((key) => `v1a,${signBytes(null, Buffer.from(content), readPrivateKey(key)).toString('base64')}`),
  ].join(' ')
}

function hmac(secret: string, content: string): string {
  return createHmac('sha256', bytesOf(secret)).update(content).digest('base64')
}

/** PKCS #8 (RFC 8410, section 7) of an Ed25519 key up to its 32 bytes. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex')

function readPrivateKey(text: string): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, bytesOf(text)]), format: 'der', type: 'pkcs8' })
}

/** Keys have a prefix that ends with an underscore, then base64. */
function bytesOf(key: string): Buffer {
  return Buffer.from(key.slice(key.indexOf('_') + 1), 'base64')
}
