import { once } from 'node:events'
import { buildDocs, buildWeb } from '@probity/admin/build'
import { readConfig } from '@probity/admin/config'
import { UserError } from '@probity/admin/database'
import { canConnect } from '@probity/lab/services/daemon'
import { withDefaults } from '@probity/settings/every-setting'
import { BadSettings } from '@probity/settings/parse'
import { Command } from 'commander'
import { describeAccess, describeAsking } from './guide.ts'
import { takePlace } from './place.ts'
import { type Demo, startDemo } from './product.ts'
import { takeTour } from './tour.ts'

/** Line width for files, and the minimum for terminals: a wrapped reply is better than a truncated one. */
const WIDTH = 160
const WIDTH_MIN = 120

const stopping = new AbortController()
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stopping.abort())
process.stdout.on('error', () => stopping.abort()) // the reader closed the pipe, as `head` does

const program = new Command('demo')
  .description('Runs Probity against a simulated mail internet on loopback. Needs PostgreSQL and Redis.')
  .option('--once', 'exit after the tour, with code 0 if every verdict was correct', false)
const { once: isOnce } = program.parse().opts<{ once: boolean }>()
try {
  await run()
} catch (error) {
  if (error instanceof UserError || error instanceof BadSettings) process.stderr.write(`${error.message}\n`)
  else if (!stopping.signal.aborted) throw error
  process.exitCode = stopping.signal.aborted && !isOnce ? 0 : 1
}

async function run(): Promise<void> {
  const config = readConfig(withDefaults(process.env, { PORT: '0' }))
  if (config.port !== 0 && (await canConnect(config.port))) {
    throw new UserError(`Port ${config.port} is in use. Choose another with PROBITY_PORT, or none for a free one.`)
  }
  const place = await takePlace({ databaseUrl: config.ownerUrl, redisUrl: config.redisUrl })
  try {
    await Promise.all([buildWeb(process.env, report), buildDocs(process.env, report)])
    report('Starting: a database, a simulated mail internet, the API and a worker …')
    const demo = await startDemo(place, { port: config.port, write })
    try {
      await show(demo)
    } finally {
      await demo.stop()
    }
  } finally {
    await place.leave()
  }
}

async function show(demo: Demo): Promise<void> {
  const { domains, addresses } = demo.simulation.simulation
  write(describeAccess(demo))
  write(
    `\nSimulated mail internet: ${domains.length} domains, ${addresses.length} addresses. No traffic leaves this host.\n`,
  )
  const width = Math.max(process.stdout.columns || WIDTH, WIDTH_MIN)
  const isRight = await takeTour(demo, { width, write }, stopping.signal)
  if (isOnce) {
    process.exitCode = isRight ? 0 : 1
    return
  }
  write(`\n${describeAsking(demo)}`)
  write('\nCtrl-C stops the demo and deletes its databases.')
  if (!stopping.signal.aborted) await once(stopping.signal, 'abort')
}

function write(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Progress goes to standard error: standard output begins with the addresses. */
function report(line: string): void {
  process.stderr.write(`${line}\n`)
}
