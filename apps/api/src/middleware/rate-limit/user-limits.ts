import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { digestAddress } from '@probity/email/limits'
import type { Admission } from '@probity/redis/admission'
import type { RatePolicy } from '@probity/redis/request-rate'
import type { FastifyRequest } from 'fastify'
import { networkOf, wideNetworkOf } from '../../http/networks.ts'
import { Problem } from '../../http/problem.ts'
import { cookieNames, readCookie, type UserAuthentication } from '../authentication/session.ts'
import type { EndpointLimit } from './data/endpoints.ts'

const MAX_AGE_S = 180 * 24 * 60 * 60
const FORM = /^([\w-]{22})\.([\w-]{43})$/

type Cookies = { publicUrl: string | undefined; secret: string }

/**
 * A cookie that a browser gets when a user has signed in with it. It does not sign in the user: it gives the browser its own sign-in limit
 * for
 * the user's address, so that attempts from elsewhere cannot lock the user out.
 */
export function writeDeviceCookie({ publicUrl, secret }: Cookies, email: string): string {
  const { device, isSecure } = cookieNames(publicUrl)
  const id = randomBytes(16).toString('base64url')
  const value = `${id}.${macOf(secret, id, email).toString('base64url')}`
  return `${device}=${value}; Max-Age=${MAX_AGE_S}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
}

/** The id of the device, if the user with this address has signed in with it. */
export function readDeviceCookie({ publicUrl, secret }: Cookies, header: string | undefined, email: string) {
  const cookie = readCookie(header, cookieNames(publicUrl).device)
  const [, id, mac] = FORM.exec(cookie ?? '') ?? []
  if (id === undefined || mac === undefined) return undefined
  return timingSafeEqual(Buffer.from(mac, 'base64url'), macOf(secret, id, email)) ? id : undefined
}

function macOf(secret: string, id: string, email: string): Buffer {
  return createHmac('sha256', secret).update(`device ${id} ${email.trim().toLowerCase()}`).digest()
}

type Bounds = { perNetwork: number; perWideNetwork: number; perEmailHere: number; perEmail: number }

/**
 * Requests per minute, counted before anything is hashed, looked up or sent. A network is an IPv4 address or an IPv6 /64, a wide network
 * a /24 or a /48.
 */
const BOUNDS: Record<EndpointLimit, Bounds> = {
  password: { perNetwork: 20, perWideNetwork: 200, perEmailHere: 5, perEmail: 30 },
  letter: { perNetwork: 20, perWideNetwork: 200, perEmailHere: 3, perEmail: 6 },
  code: { perNetwork: 20, perWideNetwork: 200, perEmailHere: 20, perEmail: 20 },
  plain: { perNetwork: 120, perWideNetwork: 1_200, perEmailHere: 120, perEmail: 120 },
}

/** Quota per network for an email address that exceeded its limit over all networks. */
const PER_EMAIL_HERE_UNDER_ATTACK = 1

/** While Redis is unavailable each process counts separately, and a user who mistypes a password can still sign in. */
const SHARE_MIN = 3

type Dependencies = { admission: Admission; people: UserAuthentication }

/**
 * Counts a request of a client that may not be signed in, over all processes, and throws if there were too many. Requests for one address
 * from many networks leave each network fewer requests, but never none: a user from another network always has a first attempt. A
 * browser that the user has signed in with has a limit of its own, whatever happens elsewhere.
 * Returns whether the request comes from such a browser.
 */
export async function limitUser(
  dependencies: Dependencies,
  request: FastifyRequest,
  limit: EndpointLimit,
  email?: unknown,
): Promise<boolean> {
  const bounds = BOUNDS[limit]
  const address = typeof email === 'string' ? email : undefined
  const device = address === undefined ? undefined : await findDevice(dependencies, request, address)
  if (device !== undefined) {
    await take(dependencies, request, `${limit}:device:${device}`, bounds.perEmailHere)
    return true
  }
  const network = networkOf(request.ip)
  await take(dependencies, request, `${limit}:network:${network}`, bounds.perNetwork)
  await take(dependencies, request, `${limit}:wide:${wideNetworkOf(request.ip)}`, bounds.perWideNetwork)
  if (address === undefined) return false
  const who = digestAddress(address)
  const { allowed } = await count(dependencies, `${limit}:email:${who}`, bounds.perEmail)
  const quota = allowed ? bounds.perEmailHere : PER_EMAIL_HERE_UNDER_ATTACK
  await take(dependencies, request, `${limit}:here:${who}:${network}`, quota)
  return false
}

async function findDevice(
  { people }: Dependencies,
  { headers }: FastifyRequest,
  email: string,
): Promise<string | undefined> {
  if (headers.cookie === undefined) return undefined
  return readDeviceCookie({ publicUrl: people.publicUrl, secret: await people.secret() }, headers.cookie, email)
}

async function count({ admission }: Dependencies, name: string, quota: number) {
  const policy: RatePolicy = { name: 'sign-in', quota, windowS: 60, shareMin: Math.min(SHARE_MIN, quota) }
  return (await admission.admit(`people:${name}`, policy)).rate
}

async function take(dependencies: Dependencies, request: FastifyRequest, name: string, quota: number): Promise<void> {
  const rate = await count(dependencies, name, quota)
  request.rateLimit = { state: rate }
  if (!rate.allowed) throw new Problem('rate_limited', undefined, { retryAfterS: rate.retryAfterS })
}

const DAY_S = 24 * 60 * 60

/** Invitations of an account per day. With open sign-up an account could otherwise send emails to any number of recipients. */
const INVITATIONS_PER_DAY = { open: 20, invitation: 200 }

/** Counts an invitation of an account, and throws if there were too many. */
export async function limitInvitations({ admission, people }: Dependencies, accountId: string): Promise<void> {
  const policy: RatePolicy = {
    name: 'invitations',
    quota: INVITATIONS_PER_DAY[people.signUp],
    windowS: DAY_S,
    shareMin: 3,
  }
  const { rate } = await admission.admit(`people:invitations:${accountId}`, policy)
  if (!rate.allowed) throw new Problem('rate_limited', TOO_MANY_INVITATIONS, { retryAfterS: rate.retryAfterS })
}

const TOO_MANY_INVITATIONS = 'The account has reached its limit of invitations per day.'
