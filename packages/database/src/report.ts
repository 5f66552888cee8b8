/** Brings what was gathered in memory to the database now and then, one report after the other, and the rest at the end. */
export function reportEvery(everyMs: number, report: () => Promise<void>): { stop(): Promise<void> } {
  let reporting = Promise.resolve()
  const timer = setInterval(() => {
    reporting = reporting.then(report)
  }, everyMs)
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      await reporting
      await report()
    },
  }
}
