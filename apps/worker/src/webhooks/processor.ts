import { sentHeaders } from '@probity/contract/constants/webhooks'
import {
  type ClaimedDelivery,
  claimDelivery,
  type DeliveryOutcome,
  type DispatchedDelivery,
  type NewAttempt,
  recordAttempt,
} from '@probity/database/webhooks/events'
import { throughOutage } from '../server/retry-on-outage.ts'
import type { Services } from '../server/services.ts'
import { type Outside, type Posted, post } from './post.ts'
import { delayAfter, TRIES_MAX } from './schedule.ts'
import { type SigningKeys, sign } from './sign.ts'

/** Claim time: longer than a request and saving its outcome. After it, another worker takes over. */
const HOLD_S = 30
/** How long saving the outcome is retried while PostgreSQL is down. */
const SETTLE_WITHIN_MS = 10_000

const GONE = 410

type Needed = Pick<Services, 'db' | 'dns' | 'meters' | 'log'>

/** Sends one event to one webhook and saves the outcome. May run twice: receivers deduplicate by event id. */
export function deliverWebhooks({ db, dns, meters, log }: Needed, outside: Outside) {
  return async (task: DispatchedDelivery): Promise<void> => {
    const delivery = await claimDelivery(db, task, HOLD_S)
    if (delivery === undefined) return // claimed by another worker or already settled: a duplicate task
    const { posted, tried } = await send(delivery, { ...outside, dns })
    const outcome = conclude(delivery, posted)
    const settled = await throughOutage(log, SETTLE_WITHIN_MS, () => recordAttempt(db, delivery, outcome, tried))
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

/** Why nothing can be sent. One that was begun again and again and never ended may be what ends workers. */
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
