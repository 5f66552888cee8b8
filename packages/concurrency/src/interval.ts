export type Interval = {
  /** Starts the next run now instead of at its scheduled time. `isDue` is not called. */
  runNow(): void
  /** Waits for the run in progress. */
  stop(): Promise<void>
}

type IntervalOptions = {
  /** Receives the error of a failed run; the next run takes place as scheduled. Not needed if `run` handles its errors itself. */
  onError?(error: unknown): void
  /** Called before each scheduled run, which is skipped if it resolves to false. */
  isDue?(): Promise<boolean>
  /** The first run starts after one interval instead of immediately. */
  delayFirst?: boolean
  /** The timer does not keep the process alive. */
  unref?: boolean
  /** Runs once more when it is stopped. */
  runOnStop?: boolean
}

/** Runs a function periodically, one run at a time. Any number of runs that are missed during a long run are made up by one. */
export function startInterval(everyMs: number, run: () => Promise<void>, options: IntervalOptions): Interval {
  const { onError, isDue, delayFirst = false, unref = false, runOnStop = false } = options
  let isStopped = false
  let running: Promise<void> | undefined
  /** Set if the timer or a call of `runNow` came during a run. */
  let missed: { isForced: boolean } | undefined

  async function runOnce(isForced: boolean): Promise<void> {
    try {
      if (isForced || !isDue || (await isDue())) await run()
    } catch (error) {
      if (onError === undefined) throw error
      onError(error)
    }
    running = undefined
    if (missed) start(missed.isForced)
  }

  function start(isForced: boolean): void {
    if (isStopped) return
    if (running) {
      missed = { isForced: isForced || missed?.isForced === true }
      return
    }
    missed = undefined
    running = runOnce(isForced)
  }

  const timer = setInterval(() => start(false), everyMs)
  if (unref) timer.unref()
  if (!delayFirst) start(false)
  return {
    runNow: () => start(true),
    async stop() {
      isStopped = true
      clearInterval(timer)
      await running
      if (runOnStop) await runOnce(true)
    },
  }
}
