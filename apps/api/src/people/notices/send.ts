import { startInterval } from '@probity/concurrency/scheduling'
import type { Db } from '@probity/database/connection/connect'
import {
  claimNotifications,
  type DueNotification,
  finishNotification,
  type NotificationOutcome,
} from '@probity/database/users/notifications'
import { digestAddress, takeEmail } from '@probity/email/limits'
import type { Mailer } from '@probity/email/send'
import type { Admission } from '@probity/redis/admission'
import type { FastifyBaseLogger } from 'fastify'
import { noticeLetter } from './letters.ts'

const EVERY_MS = 5_000
const AT_ONCE_MAX = 20
/** Longer than the SMTP relay may take for all of them. */
const HOLD_S = 900
/** Retry schedule of an email that the SMTP relay did not accept. After the last attempt it has failed. */
const AGAIN_AFTER_S = [60, 300, 900, 3_600, 3 * 3_600, 12 * 3_600]

/** Up to this number of events of a kind get one email each. */
const APART_MAX = 3
/** Emails about events to one member of one account. Further ones wait, and are then sent as one email per kind. */
const PER_MEMBER = { quota: 10, windowS: 3_600 }
const LIMITED_FOR_S = 3_600

type Office = { db: Db; mail: Mailer; admission: Admission; appUrl: string; log: FastifyBaseLogger }

/** Sends members emails about events in their accounts. Any number of processes can run it: each claims its own notifications. */
export function startSendingNotices(office: Office): { stop(): Promise<void> } {
  return startInterval(EVERY_MS, () => sendDue(office), {
    delayFirst: true,
    unref: true,
    onError: (error) => office.log.warn({ err: error }, 'failed to send email notifications; retrying'),
  })
}

/** One email at a time, and one for all due events of a kind in an account if there are many. */
async function sendDue(office: Office): Promise<void> {
  const due = await claimNotifications(office.db, AT_ONCE_MAX, HOLD_S)
  const groups = Map.groupBy(due, ({ email, kind, slug, organisation }) =>
    JSON.stringify([email, kind, slug, organisation]),
  )
  for (const notices of groups.values()) {
    if (notices.length > APART_MAX) await sendGroup(office, notices)
    else for (const notice of notices) await sendGroup(office, [notice])
  }
}

async function sendGroup({ db, mail, admission, appUrl }: Office, notices: DueNotification[]): Promise<void> {
  const [first] = notices
  if (first === undefined) return
  const member = `notice:${digestAddress(`${first.email} ${first.slug ?? first.organisation}`)}`
  const isAllowed = await takeEmail(admission, member, PER_MEMBER)
  const isTaken = isAllowed && (await mail.send(noticeLetter(first, appUrl, notices.length - 1)))
  for (const { id, attempts } of notices) await finishNotification(db, id, endOf(isAllowed, isTaken, attempts))
}

function endOf(isAllowed: boolean, isTaken: boolean, attempts: number): NotificationOutcome {
  if (!isAllowed) return { kind: 'again', afterS: LIMITED_FOR_S }
  return isTaken ? { kind: 'sent' } : nextTry(attempts)
}

function nextTry(tries: number): NotificationOutcome {
  const afterS = AGAIN_AFTER_S[tries - 1]
  return afterS === undefined ? { kind: 'given_up' } : { kind: 'again', afterS }
}
