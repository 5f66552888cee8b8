import { setTimeout as sleep } from 'node:timers/promises'
import type { Probity, Request } from '@probity/sdk'
import { type Command, Option } from 'commander'
import { formatTable } from '../output/table.ts'
import { act, openClient, type Run, type Stage } from '../run.ts'
import { addExamples, outputOption, readCount } from './options.ts'

const FORMATS = ['table', 'jsonl'] as const
const OUTCOMES = ['ok', 'refused', 'failed'] as const

type Flags = {
  output: (typeof FORMATS)[number]
  outcome?: (typeof OUTCOMES)[number]
  code?: string
  limit: number
  follow?: boolean
}

export function addRequests(program: Command, stage: Stage): void {
  const command = program
    .command('requests')
    .description('What was asked with keys of this mode, and what came of it. Needs a key with the scope account.')
    .addOption(new Option('--outcome <outcome>', 'only those that came to this').choices(OUTCOMES))
    .option('--code <code>', 'only those answered with this problem, such as rate_limited')
    .option('--limit <n>', 'how many of the newest, up to 100', readCount, 20)
    .option('--follow', 'go on with new ones as they come, until Ctrl-C')
    .addOption(outputOption(FORMATS, 'table'))
  command.action(act(stage, showRequests))
  addExamples(command, [
    ['probity requests --outcome refused', 'What went wrong lately?'],
    ['probity requests --follow', 'Look on while you try your code.'],
  ])
}

/** The oldest first, so that what comes later is written below. */
async function showRequests(run: Run, flags: Flags): Promise<void> {
  const client = await openClient(run)
  const { outcome, code, limit } = flags
  const { requests } = await client.requests.list({ outcome, code, limit, signal: run.signal })
  await run.terminal.print(write(requests.toReversed(), flags.output))
  if (!flags.follow) return
  try {
    await follow(run, client, flags, requests)
  } catch (error) {
    run.signal.throwIfAborted() // Ctrl-C, wherever it was met
    throw error
  }
}

const LOOK_EVERY_MS = 2_000
/** A request is written down a moment after it was answered, and one that took long came before others that are there already. */
const LATE_MS = 60_000

async function follow(run: Run, client: Probity, flags: Flags, shown: Request[]): Promise<void> {
  const { outcome, code, output } = flags
  const begun = Date.now()
  let seen = new Set(shown.map(({ id }) => id))
  while (!run.signal.aborted) {
    await sleep(LOOK_EVERY_MS, undefined, { signal: run.signal })
    const from = new Date(Math.max(begun, Date.now()) - LATE_MS)
    const found: Request[] = []
    for await (const request of client.requests.all({ outcome, code, from, signal: run.signal })) found.push(request)
    const fresh = found.filter(({ id }) => !seen.has(id)).toReversed()
    if (fresh.length > 0) await run.terminal.print(write(fresh, output, { withHead: false }))
    seen = new Set([...found.map(({ id }) => id), ...(seen.size < SEEN_MAX ? seen : [])])
  }
}

/** Beyond this only what can still be met is remembered. */
const SEEN_MAX = 10_000

const HEAD = ['when (UTC)', 'status', 'request', 'verdict', 'took', 'id']

function write(requests: Request[], output: Flags['output'], { withHead = true } = {}): string {
  if (output === 'jsonl') return requests.map((request) => `${JSON.stringify(request)}\n`).join('')
  const rows = requests.map(({ at, status, code, method, route, verdict, duration_ms, id }) => [
    at.slice(0, 19).replace('T', ' '),
    code === null ? String(status) : `${status} ${code}`,
    `${method} ${route}`,
    verdict ?? '',
    `${duration_ms} ms`,
    id,
  ])
  const table = formatTable(HEAD, rows)
  return withHead ? table : table.slice(table.indexOf('\n') + 1)
}
