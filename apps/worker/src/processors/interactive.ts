import { unsettledResult } from '@probity/contract/standing-result'
import { type Taken, takeValidations } from '@probity/database/work'
import { validate } from '@probity/engine/validate'
import { present } from '@probity/engine/verdict/present'
import type { InteractiveTask, Ref } from '@probity/queue/interactive'
import { mannerOf } from '../manner-of.ts'
import type { Services } from '../services.ts'
import { throughOutage } from '../through-outage.ts'

/** How long a row is ours. Longer than any validation takes; when it is over, another worker may have it. */
const HOLD_S = 60
/** A row that failed this often fails for a reason of its own, and its caller is told so. */
const ATTEMPTS_MAX = 3
/** How long we try to keep what was found out. The caller waits, and until our hold ends nobody else may do it for us. */
const SETTLE_WITHIN_MS = 20_000

/** Works validations that callers wait for: takes the rows, asks the engine, settles. May run twice for the same rows. */
export function workInteractive(services: Services) {
  return async ({ refs, replyTo }: { refs: Ref[]; replyTo?: InteractiveTask['replyTo'] }): Promise<void> => {
    const taken = await takeValidations(services.db, refs, { holdS: HOLD_S, egresses: services.egresses })
    await Promise.all(taken.map((one) => workOne(services, one, replyTo)))
  }
}

async function workOne(services: Services, taken: Taken, replyTo: string | undefined): Promise<void> {
  const { network, histories, mailboxes, settler, log } = services
  const way = taken.mailbox ? mailboxes.deskFor('caller', taken.email, taken.egress) : undefined
  try {
    const whole = { ...network, histories: histories.of(taken.ref.accountId), ...(way && { mailboxes: way.desk }) }
    const validation = await validate(taken.email, whole, { tries: taken.tries + 1, manner: mannerOf(taken) })
    const done = { taken, result: present(validation), replyTo }
    const { retryAfterMs } = validation
    await throughOutage(log, SETTLE_WITHIN_MS, () =>
      retryAfterMs === null
        ? settler.settle(done)
        : settler.postpone({ ...done, retryAfterMs, egress: way?.egress ?? null }),
    )
  } catch (error) {
    log.error({ err: error, validationId: taken.ref.id, attempts: taken.attempts }, 'validation failed')
    // The row is still open and comes back when our hold on it ends.
    if (taken.attempts < ATTEMPTS_MAX) return
    await settler.settle({ taken, result: unsettledResult(taken.email, 'internal_error'), replyTo })
  }
}
