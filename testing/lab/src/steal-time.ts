import { readFileSync } from 'node:fs'

/**
 * Starts a measurement and returns a function for the share of CPU time that other machines on the same host have taken
 * since (steal time).
 */
export function watchStolenTime(): () => number {
  const before = readProcessors()
  return () => {
    const now = readProcessors()
    return (now.stolen - before.stolen) / Math.max(1, now.all - before.all)
  }
}

/** In ticks of all processors since boot: the total, and the stolen ones. */
function readProcessors(): { all: number; stolen: number } {
  const [first = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
  const ticks = first.trim().split(/\s+/).slice(1, 9).map(Number)
  return { all: ticks.reduce((sum, one) => sum + one, 0), stolen: ticks[7] ?? 0 }
}
