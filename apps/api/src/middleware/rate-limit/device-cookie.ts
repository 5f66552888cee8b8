import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { cookieNames, readCookie } from '../authentication/cookies.ts'

const MAX_AGE_S = 180 * 24 * 60 * 60
const FORM = /^([\w-]{22})\.([\w-]{43})$/

type Cookies = { publicUrl: string | undefined; secret: string }

/**
 * A cookie that a browser gets when a user has signed in with it. It signs nobody in: it gives the browser its own sign-in limit for the
 * user's address, so that attempts from elsewhere cannot keep the user out.
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
