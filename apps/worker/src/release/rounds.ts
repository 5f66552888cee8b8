import type { Logger } from 'pino'

export type Rounds = {
  /** Starts the next round now instead of at its scheduled time. */
  hurry(): void
  /** Waits for the round that is under way. */
  stop(): Promise<void>
}

type Manner = {
  log: Logger
  name: string
  /** Called before each scheduled round, which is skipped if there is nothing to do. */
  isWanted?(): Promise<boolean>
}

/** Does something again and again, one round at a time. A round that fails is logged and the next comes all the same. */
export function startInterval(everyMs: number, round: () => Promise<void>, { log, name, isWanted }: Manner): Rounds {
  let stopped = false
  let running: Promise<void> | undefined
  /** What was triggered while a round was running: the timer or an explicit request. */
  let missed: { isHurried: boolean } | undefined

  async function run(isHurried: boolean): Promise<void> {
    try {
      if (isHurried || !isWanted || (await isWanted())) await round()
    } catch (error) {
      log.warn({ err: error }, `${name} failed; retrying`)
    }
    running = undefined
    if (missed) start(missed.isHurried)
  }

  function start(isHurried: boolean): void {
    if (stopped) return
    if (running) {
      missed = { isHurried: isHurried || missed?.isHurried === true }
      return
    }
    missed = undefined
    running = run(isHurried)
  }

  const timer = setInterval(() => start(false), everyMs)
  start(false)
  return {
    hurry: () => start(true),
    async stop() {
      stopped = true
      clearInterval(timer)
      await running
    },
  }
}
