import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { Db } from './connect.ts'
import { cacheSecret, getSecret } from './secrets.ts'

/** Long enough for the slowest upload of a look, too short to be of use to who finds it in a log. */
const LASTS_MS = 60_000

/** What the doctor shows at the public address, so that nobody else can have eight megabytes taken in there. */
export async function makeDoctorTicket(db: Db, now = Date.now()): Promise<string> {
  return `${now}.${sign(await getSecret(db, 'doctor'), String(now))}`
}

/** Checks tickets without a query for each: anyone can send a forged one. */
export function openDoctorTicketCheck(db: Db): (ticket: string) => Promise<boolean> {
  const secret = cacheSecret(db, 'doctor')
  return async (ticket) => {
    const [at = '', signature = ''] = ticket.split('.')
    if (!/^\d{1,15}$/.test(at) || Math.abs(Date.now() - Number(at)) > LASTS_MS) return false
    const [given, right] = [Buffer.from(signature), Buffer.from(sign(await secret(), at))]
    return given.length === right.length && timingSafeEqual(given, right)
  }
}

function sign(secret: KeyObject, text: string): string {
  return createHmac('sha256', secret).update(text).digest('base64url')
}
