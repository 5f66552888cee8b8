import { startInterval } from '@probity/concurrency/scheduling'
import type { Db } from '@probity/database/connection/connect'
import {
  claimNotifications,
  type DueNotification,
  finishNotification,
  type NotificationOutcome,
} from '@probity/database/users/notifications'
import { countEmail, digestAddress } from '@probity/email/limits'
import type { Mailer } from '@probity/email/send'
import type { Admission } from '@probity/redis/admission'
import type { Logger } from 'pino'
import { notificationEmail } from './templates.ts'

const EVERY_MS = 5_000
const CLAIMS_MAX = 20
/** Longer than the SMTP relay may take for all emails of one claim. */
const CLAIM_S = 900
/** Retry schedule of an email that the SMTP relay did not accept. After the last attempt it has failed. */
const RETRY_AFTER_S = [60, 300, 900, 3_600, 3 * 3_600, 12 * 3_600]

/** Up to this number of events of a kind get one email each. */
const SEPARATE_MAX = 3
/** Emails about events to one member of one account. Further ones wait, and are then sent as one email per kind. */
const PER_MEMBER = { quota: 10, windowS: 3_600 }
const LIMITED_FOR_S = 3_600

type Needed = { db: Db; mailer: Mailer; admission: Admission; appUrl: string; log: Logger }

/** Sends members emails about events in their accounts. Any number of processes can run it: each claims its own notifications. */
export function startNotifications(needed: Needed): { stop(): Promise<void> } {
  return startInterval(EVERY_MS, () => sendDue(needed), {
    delayFirst: true,
    onError: (error) => needed.log.warn({ err: error }, 'failed to send email notifications; retrying'),
  })
}

/** One email at a time, and one for all due events of a kind in an account if there are many. */
async function sendDue(needed: Needed): Promise<void> {
  const due = await claimNotifications(needed.db, CLAIMS_MAX, CLAIM_S)
  const groups = Map.groupBy(due, ({ email, kind, slug, organisation }) =>
    JSON.stringify([email, kind, slug, organisation]),
  )
  for (const notifications of groups.values()) {
    if (notifications.length > SEPARATE_MAX) await sendGroup(needed, notifications)
    else for (const notification of notifications) await sendGroup(needed, [notification])
  }
}

async function sendGroup({ db, mailer, admission, appUrl }: Needed, group: DueNotification[]): Promise<void> {
  const [first] = group
  if (first === undefined) return
  const member = `notice:${digestAddress(`${first.email} ${first.slug ?? first.organisation}`)}`
  const isAllowed = await countEmail(admission, member, PER_MEMBER)
  const isSent = isAllowed && (await mailer.send(notificationEmail(first, appUrl, group.length - 1)))
  for (const { id, attempts } of group) await finishNotification(db, id, outcomeOf(isAllowed, isSent, attempts))
}

function outcomeOf(isAllowed: boolean, isSent: boolean, attempts: number): NotificationOutcome {
  if (!isAllowed) return { kind: 'again', afterS: LIMITED_FOR_S }
  if (isSent) return { kind: 'sent' }
  const afterS = RETRY_AFTER_S[attempts - 1]
  return afterS === undefined ? { kind: 'given_up' } : { kind: 'again', afterS }
}
