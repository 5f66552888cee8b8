/**
 * `node deploy/healthcheck.ts URL`: exits with 0 if what listens there says that it is well, else with 1. For images that have no curl,
 * and small enough to be started every few seconds.
 */
const ANSWERS_WITHIN_MS = 4_000

try {
  const answer = await fetch(process.argv[2] ?? '', { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) })
  if (!answer.ok) {
    process.stderr.write(`${answer.status} ${await answer.text()}\n`)
    process.exitCode = 1
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : 'no answer'}\n`)
  process.exitCode = 1
}
