import { setTimeout as sleep } from 'node:timers/promises'
import type { Probity, RequestLogEntry } from '@probity/sdk'
import { type Command, Option } from 'commander'
import { formatTable } from '../output/table.ts'
import { act, openClient, type Run, type Stage } from '../run.ts'
import { addExamples, outputOption, readCount } from './options.ts'

const FORMATS = ['table', 'jsonl'] as const
const CLASSES = ['success', 'client_error', 'server_error'] as const

type Flags = {
  output: (typeof FORMATS)[number]
  class?: (typeof CLASSES)[number]
  code?: string
  limit: number
  follow?: boolean
}

export function addRequests(program: Command, stage: Stage): void {
  const command = program
    .command('requests')
    .description('What was asked with keys of this mode, and what came of it. Scope: account:read.')
    .addOption(new Option('--class <class>', 'only responses of this status class').choices(CLASSES))
    .option('--code <code>', 'only those answered with this problem, such as rate_limited')
    .option('--limit <n>', 'how many of the newest, up to 100', readCount, 20)
    .option('--follow', 'go on with new ones as they come, until Ctrl-C')
    .addOption(outputOption(FORMATS, 'table'))
  command.action(act(stage, showRequests))
  addExamples(command, [
    ['probity requests --class client_error', 'Show requests that were rejected.'],
    ['probity requests --follow', 'Look on while you try your code.'],
  ])
}

/** The oldest first, so that what comes later is written below. */
async function showRequests(run: Run, flags: Flags): Promise<void> {
  const client = await openClient(run)
  const { class: statusClass, code, limit } = flags
  const { data: requests } = await client.requests.list({ class: statusClass, code, limit, signal: run.signal })
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

async function follow(run: Run, client: Probity, flags: Flags, shown: RequestLogEntry[]): Promise<void> {
  const { class: statusClass, code, output } = flags
  const begun = Date.now()
  let seen = new Set(shown.map(({ id }) => id))
  while (!run.signal.aborted) {
    await sleep(LOOK_EVERY_MS, undefined, { signal: run.signal })
    const from = new Date(Math.max(begun, Date.now()) - LATE_MS)
    const found: RequestLogEntry[] = []
    const filter = { class: statusClass, code, from }
    for await (const request of client.requests.list({ ...filter, signal: run.signal })) found.push(request)
    const fresh = found.filter(({ id }) => !seen.has(id)).toReversed()
    if (fresh.length > 0) await run.terminal.print(write(fresh, output, { withHead: false }))
    seen = new Set([...found.map(({ id }) => id), ...(seen.size < SEEN_MAX ? seen : [])])
  }
}

/** Beyond this only what can still be met is remembered. */
const SEEN_MAX = 10_000

const HEAD = ['when (UTC)', 'status', 'request', 'verdict', 'took', 'id']

function write(requests: RequestLogEntry[], output: Flags['output'], { withHead = true } = {}): string {
  if (output === 'jsonl') return requests.map((request) => `${JSON.stringify(request)}\n`).join('')
  const rows = requests.map(({ occurred_at, http_status, code, method, route, result_status, duration_ms, id }) => [
    occurred_at.slice(0, 19).replace('T', ' '),
    code === null ? String(http_status) : `${http_status} ${code}`,
    `${method} ${route}`,
    result_status ?? '',
    `${duration_ms} ms`,
    id,
  ])
  const table = formatTable(HEAD, rows)
  return withHead ? table : table.slice(table.indexOf('\n') + 1)
}
