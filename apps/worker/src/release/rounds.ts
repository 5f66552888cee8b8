import type { Logger } from 'pino'

export type Rounds = {
  /** Does the next round at once rather than when its time has come. */
  hurry(): void
  /** Waits for the round that is under way. */
  stop(): Promise<void>
}

type Manner = {
  log: Logger
  name: string
  /** Asked before each round that comes by the clock: without anything to do it is left out. */
  isWanted?(): Promise<boolean>
}

/** Does something again and again, one round at a time. A round that fails is logged and the next comes all the same. */
export function startRounds(everyMs: number, round: () => Promise<void>, { log, name, isWanted }: Manner): Rounds {
  let stopped = false
  let running: Promise<void> | undefined
  /** What came while a round was under way: the clock, or somebody in a hurry. */
  let missed: { isHurried: boolean } | undefined

  async function run(isHurried: boolean): Promise<void> {
    try {
      if (isHurried || !isWanted || (await isWanted())) await round()
    } catch (error) {
      log.warn({ err: error }, `${name} failed; trying again`)
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
