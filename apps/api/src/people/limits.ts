import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { RatePolicy } from '../door/rate.ts'
import { Problem } from '../problem.ts'
import type { Services } from '../services.ts'
import type { EndpointLimit } from './data/endpoints.ts'

type Bounds = { perNetworkAddress: number; perEmailHere: number; perEmail: number }

/**
 * Requests in a minute, counted before anything is hashed, looked up or sent. Who guesses the password of one person from one place
 * has five; that many cannot keep the person themselves out, who comes from elsewhere.
 */
const BOUNDS: Record<EndpointLimit, Bounds> = {
  password: { perNetworkAddress: 20, perEmailHere: 5, perEmail: 30 },
  letter: { perNetworkAddress: 20, perEmailHere: 3, perEmail: 6 },
  code: { perNetworkAddress: 20, perEmailHere: 20, perEmail: 20 },
  plain: { perNetworkAddress: 120, perEmailHere: 120, perEmail: 120 },
}

/** While Redis is away each process counts for itself, and somebody who mistypes a password must still get in. */
const SHARE_MIN = 3

/** Counts one request of somebody who may be anybody, over all processes, and throws where there were too many. */
export async function limitPerson(
  { admission }: Pick<Services, 'admission'>,
  request: FastifyRequest,
  limit: EndpointLimit,
  email?: unknown,
): Promise<void> {
  const { perNetworkAddress, perEmailHere, perEmail } = BOUNDS[limit]
  const counted: [string, number][] = [[`${limit}:ip:${request.ip}`, perNetworkAddress]]
  if (typeof email === 'string') {
    const who = digest(email.trim().toLowerCase())
    counted.push([`${limit}:here:${who}:${request.ip}`, perEmailHere], [`${limit}:email:${who}`, perEmail])
  }
  for (const [name, quota] of counted) {
    const policy: RatePolicy = { name: 'sign-in', quota, windowS: 60, shareMin: SHARE_MIN }
    const { rate } = await admission.admit(`people:${name}`, policy)
    request.rate = rate
    if (!rate.allowed) throw new Problem('rate_limited', undefined, { retryAfterS: rate.retryAfterS })
  }
}

/** Addresses are not kept in Redis, not as what is counted either. */
function digest(email: string): string {
  return createHash('sha256').update(email).digest('base64url').slice(0, 22)
}
