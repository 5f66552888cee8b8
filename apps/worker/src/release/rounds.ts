import type { Logger } from 'pino'

export type Rounds = {
  /** Does the next round at once rather than when its time has come. */
  hurry(): void
  /** Waits for the round that is under way. */
  stop(): Promise<void>
}

/** Does something again and again, one round at a time. A round that fails is logged and the next comes all the same. */
export function startRounds(
  everyMs: number,
  round: () => Promise<void>,
  { log, name }: { log: Logger; name: string },
): Rounds {
  let stopped = false
  let running: Promise<void> | undefined
  let wanted = false

  async function run(): Promise<void> {
    try {
      await round()
    } catch (error) {
      log.warn({ err: error }, `${name} failed; trying again`)
    }
    running = undefined
    if (wanted && !stopped) start()
  }

  function start(): void {
    wanted = running !== undefined
    if (!stopped && !running) running = run()
  }

  const timer = setInterval(start, everyMs)
  start()
  return {
    hurry: start,
    async stop() {
      stopped = true
      clearInterval(timer)
      await running
    },
  }
}
