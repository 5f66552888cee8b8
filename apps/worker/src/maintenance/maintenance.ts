import { startInterval } from '@probity/concurrency/scheduling'
import { type MaintenanceContext, STEPS, type Step } from './steps.ts'

/** Runs all steps at the start and then at their intervals. */
export function startMaintenance(
  context: MaintenanceContext,
  steps: readonly Step[] = STEPS,
): { stop(): Promise<void> } {
  let isStopping = false
  const byInterval = Map.groupBy(steps, ({ everyMs }) => everyMs)
  const intervals = [...byInterval].map(([everyMs, group]) =>
    startInterval(
      everyMs,
      async () => {
        for (const step of group) if (!isStopping) await runStep(context, step)
      },
      {},
    ),
  )
  return {
    async stop() {
      isStopping = true
      await Promise.all(intervals.map((interval) => interval.stop()))
    },
  }
}

/**
 * A failed step does not stop the next one: addresses are deleted when they expire, and the credits of a job are in its own row, which
 * is kept.
 */
export async function runStep(context: MaintenanceContext, { name, run, done, levels }: Step): Promise<void> {
  const { log, metrics } = context
  try {
    const counts = await run(context)
    metrics.ran(name, true)
    if (done !== undefined && Object.values(counts).some((count) => count > 0)) {
      log[levels?.done ?? 'info']({ step: name, ...counts }, done)
    }
  } catch (error) {
    metrics.ran(name, false)
    log[levels?.failed ?? 'warn']({ err: error, step: name }, 'maintenance step failed; retrying at the next run')
  }
}
