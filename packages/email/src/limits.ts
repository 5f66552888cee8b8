import { createHash } from 'node:crypto'
import type { Admission } from '@probity/redis/admission'
import type { EmailLog, EmailMessage, Mailer } from './send.ts'

const HOUR_S = 60 * 60
const DAY_S = 24 * HOUR_S

type Limit = { quota: number; windowS: number }

/**
 * Limits of emails that any client can trigger, per recipient. All kinds together have 10 per day. Password resets have a limit of their
 * own, so that other emails cannot use it up; when it is used up, the newest link in the mailbox is less than an hour old and still valid.
 * So do notices about the user's login, which a thief would like to keep from the user.
 */
const PER_KIND: Limit = { quota: 3, windowS: HOUR_S }
const PER_DAY: Record<'reset' | 'login' | 'other', Limit> = {
  reset: { quota: 24, windowS: DAY_S },
  login: { quota: 24, windowS: DAY_S },
  other: { quota: 10, windowS: DAY_S },
}

const GROUPS: Record<string, keyof typeof PER_DAY | undefined> = {
  reset: 'reset',
  email_changed: 'login',
  second_factor_on: 'login',
  second_factor_off: 'login',
  recovery_codes_created: 'login',
  wrong_codes: 'login',
}

/** Drops emails to a recipient that has received too many. The client gets the same response, so that it learns nothing. */
export function limitRecipients(mailer: Mailer, admission: Admission, log: EmailLog): Mailer {
  return {
    ...mailer,
    async send(message) {
      if (await mayReceive(admission, message)) return mailer.send(message)
      log.info({ kind: message.kind }, 'email not sent: recipient limit reached')
      return false
    },
  }
}

/** Counts an email to a recipient, and returns whether it may be sent. */
export async function mayReceive(
  admission: Admission,
  { kind, to }: Pick<EmailMessage, 'kind' | 'to'>,
): Promise<boolean> {
  const group = GROUPS[kind] ?? 'other'
  const recipient = digestAddress(to)
  const isWithinHour = await countEmail(admission, `hour:${kind}:${recipient}`, PER_KIND)
  return isWithinHour && (await countEmail(admission, `day:${group}:${recipient}`, PER_DAY[group]))
}

/** Counts an email under a name over all processes. While Redis is unavailable each process has the whole quota, which is small. */
export async function countEmail(admission: Admission, name: string, limit: Limit): Promise<boolean> {
  const { rate } = await admission.admit(`people:email:${name}`, { name: 'email', shareMin: limit.quota, ...limit })
  return rate.allowed
}

/** An address in the names of counters. Redis contains no addresses. */
export function digestAddress(email: string): string {
  return createHash('sha256').update(email.trim().toLowerCase()).digest('base64url').slice(0, 22)
}
