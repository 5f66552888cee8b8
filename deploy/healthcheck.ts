/**
 * `node deploy/healthcheck.ts URL`: exits with 0 if the response has a 2xx status, else with 1. For images without curl; small enough
 * to run every few seconds.
 */
const ANSWERS_WITHIN_MS = 4_000

try {
  const answer = await fetch(process.argv[2] ?? '', { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) })
  if (!answer.ok) {
    process.stderr.write(`${answer.status} ${await answer.text()}\n`)
    process.exitCode = 1
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : 'no response'}\n`)
  process.exitCode = 1
}
