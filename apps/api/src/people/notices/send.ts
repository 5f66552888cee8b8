import type { Db } from '@probity/database/connect'
import { claimNotices, type NoticeEnd, settleNotice } from '@probity/database/notices'
import type { FastifyBaseLogger } from 'fastify'
import type { Mail } from '../mail/send.ts'
import { noticeLetter } from './letters.ts'

const EVERY_MS = 5_000
const AT_ONCE_MAX = 20
/** Longer than a mail server may take for all of them. */
const HOLD_S = 900
/** When a letter is tried again that a mail server did not take; then it is given up. */
const AGAIN_AFTER_S = [60, 300, 900, 3_600, 3 * 3_600, 12 * 3_600]

type Office = { db: Db; mail: Mail; appUrl: string; log: FastifyBaseLogger }

/** Sends people what happened in their organisations. Any number of processes may: each takes its own. */
export function startSendingNotices(office: Office): { stop(): Promise<void> } {
  let sending: Promise<void> = Promise.resolve()
  let isSending = false
  const timer = setInterval(() => {
    if (isSending) return
    isSending = true
    sending = sendDue(office)
      .catch((error: unknown) => office.log.warn({ err: error }, 'letters are not sent; trying again'))
      .finally(() => {
        isSending = false
      })
  }, EVERY_MS)
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      await sending
    },
  }
}

/** One after the other, as a mail server likes it. */
async function sendDue({ db, mail, appUrl }: Office): Promise<void> {
  for (const notice of await claimNotices(db, AT_ONCE_MAX, HOLD_S)) {
    const isTaken = await mail.send(noticeLetter(notice, appUrl))
    await settleNotice(db, notice.id, isTaken ? { kind: 'sent' } : nextTry(notice.attempts))
  }
}

function nextTry(tries: number): NoticeEnd {
  const afterS = AGAIN_AFTER_S[tries - 1]
  return afterS === undefined ? { kind: 'given_up' } : { kind: 'again', afterS }
}
