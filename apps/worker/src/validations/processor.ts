import { pendingResult } from '@probity/contract/schemas/validations/stored-result'
import { type ClaimedValidation, claimValidations, pingDatabase } from '@probity/database/validations/queue'
import { validate } from '@probity/engine/validate'
import { present } from '@probity/engine/verdict/present'
import { publishResults } from '@probity/redis/result-notification'
import type { InteractiveTask, Traced } from '@probity/redis/task-queues'
import { inSpan, NO_SPAN, type Span } from '@probity/telemetry/span'
import { skipDomainLimited } from '../probing/opt-outs.ts'
import { summarise } from '../server/metrics.ts'
import { retryOnOutage } from '../server/retry-on-outage.ts'
import type { Services } from '../server/services.ts'
import { optionsOf, traceNetwork } from './engine-input.ts'

/** How long a claim lasts: longer than any validation. Afterwards another worker may claim the row. */
const HOLD_S = 60
/** A validation that failed this often ends with an internal error. */
const ATTEMPTS_MAX = 3
/** How long saving a result is retried. The client waits, and other workers cannot take over before the claim ends. */
const SETTLE_WITHIN_MS = 20_000

/** Processes validations that clients wait for: claims the rows, validates, settles. May run twice for the same rows. */
export function workInteractive(services: Services) {
  return async ({ refs, replyTo, traced, echo }: InteractiveTask): Promise<void> => {
    if (echo !== undefined && replyTo !== undefined) return answerEcho(services, replyTo, echo)
    const taken = await claimValidations(services.db, refs, { holdS: HOLD_S, egresses: services.egresses })
    await Promise.all(taken.map((one) => workTraced(services, { taken: one, replyTo, traced })))
  }
}

/** Includes a query to PostgreSQL, like every task, because API processes measure the whole path. */
async function answerEcho({ db, redis }: Services, replyTo: string, echo: string): Promise<void> {
  await pingDatabase(db)
  await publishResults(redis, replyTo, [{ id: echo, result: null, retryAt: null, refunded: false }])
}

type One = { taken: ClaimedValidation; replyTo: string | undefined; traced: Traced | undefined }

/** Runs in the trace of the request that waits for it, if it is traced. */
async function workTraced(services: Services, { taken, replyTo, traced }: One): Promise<void> {
  const parent = traced?.parents[taken.ref.id]
  if (parent === undefined) return workOne(services, { taken, replyTo, span: NO_SPAN })
  services.traces.begin('queue', { parent, at: traced?.at ?? Date.now() }).end()
  const span = services.traces.begin('process', {
    parent,
    kind: 'consumer',
    attributes: { attempts: taken.deferrals + 1 },
  })
  await workOne(services, { taken, replyTo, span }).finally(() => span.end())
}

type Work = Omit<One, 'traced'> & { span: Span }

async function workOne(services: Services, { taken, replyTo, span }: Work): Promise<void> {
  const { network, feedbackHistory, probers, settler, meters, log } = services
  const began = performance.now()
  const { accountId } = taken.ref
  const chosen = taken.mailbox ? probers.proberFor('caller', taken.email, { ...taken, accountId }) : undefined
  const prober = chosen && (taken.domainLimited ? skipDomainLimited(chosen.prober) : chosen.prober)
  try {
    const whole = { ...network, histories: feedbackHistory.of(accountId), ...(prober && { prober }) }
    const attempt = { attempts: taken.deferrals + 1, options: optionsOf(taken) }
    const validation = await inSpan(span, 'validate', async (validating) => {
      const found = await validate(taken.email, traceNetwork(whole, validating), attempt)
      validating.note({ status: found.verdict.status, sub_status: found.verdict.subStatus })
      return found
    })
    const done = { taken, result: present(validation), replyTo }
    const { retry } = validation
    const ms = performance.now() - began
    meters.judged({ ...summarise(validation), asker: 'caller', isFinal: retry === null, ms })
    const settle = () =>
      retry === null
        ? settler.settle(done)
        : settler.defer({ ...done, retryAfterMs: retry.afterMs, egress: chosen?.egress ?? null })
    await inSpan(span, 'settle', () => retryOnOutage(log, SETTLE_WITHIN_MS, settle))
  } catch (error) {
    log.error({ err: error, validationId: taken.ref.id, attempts: taken.attempts }, 'validation failed')
    // The row is still open and is dispatched again when the claim ends.
    if (taken.attempts < ATTEMPTS_MAX) return
    await settler.settle({ taken, result: pendingResult(taken.email, 'internal_error'), replyTo })
  }
}
