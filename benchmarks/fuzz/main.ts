import { parseArgs } from 'node:util'
import { startEnvironment } from './environment.ts'
import { listOperations } from './operations.ts'
import { runFuzz } from './run.ts'
import { openSender } from './send.ts'

// Sends valid and hostile requests to every operation of a real API process. The last line of standard output is JSON.
const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '50000' },
    seed: { type: 'string', default: '1' },
    parallel: { type: 'string', default: '4' },
  },
})
const [requests, seed, parallel] = [Number(values.requests), Number(values.seed), Number(values.parallel)]

const operations = await listOperations()
await using cleanUp = new AsyncDisposableStack()
// The servers are separate processes and would outlive this one.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void cleanUp.disposeAsync().finally(() => process.exit(1)))
}
const environment = await startEnvironment(cleanUp)
const sender = openSender(environment.url, parallel)
cleanUp.defer(() => sender.stop())
const report = (line: string) => void process.stderr.write(`${line}\n`)
report(`${operations.length} operations, seed ${seed}`)
const began = performance.now()
const tally = await runFuzz({ environment, send: sender.send, operations }, { requests, seed, parallel, report })

const { serverErrors, unanswered, covered, succeeded } = tally
for (const line of [...serverErrors.slice(0, 50), ...unanswered.slice(0, 50).map((name) => `${name}: no response`)]) {
  report(line)
}
if (serverErrors.length > 0) {
  const logged = environment
    .readLog()
    .split('\n')
    .filter((line) => line.includes('request failed'))
  report(logged.slice(0, 20).join('\n'))
}
const result = {
  requests: tally.requests,
  seed,
  statuses: tally.statuses,
  rate_limited: tally.rateLimited,
  server_errors: serverErrors.length,
  unanswered: unanswered.length,
  operations: operations.length,
  covered: covered.size,
  succeeded: succeeded.size,
  without_success: Object.fromEntries(
    operations.filter(({ name }) => !succeeded.has(name)).map(({ name }) => [name, tally.rejections.get(name) ?? '']),
  ),
  slowest: tally.slowest,
  seconds: Math.round((performance.now() - began) / 1_000),
}
process.stdout.write(`${JSON.stringify(result)}\n`)
if (serverErrors.length > 0 || unanswered.length > 0) process.exitCode = 1
