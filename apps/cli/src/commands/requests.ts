import { setTimeout as sleep } from 'node:timers/promises'
import type { Probity, RequestLogEntry, RequestLogEntryDetail } from '@probity/sdk'
import { type Command, Option } from 'commander'
import { formatPairs } from '../output/format.ts'
import { limitItems, type View } from '../output/output.ts'
import { createAction, openClient, type Run, type Stage } from '../run.ts'
import { addExamples, readCount } from './options.ts'

const CLASSES = ['success', 'client_error', 'server_error'] as const

type Filter = { class?: (typeof CLASSES)[number]; code?: string }
type Flags = Filter & { limit: number; follow?: boolean }

export function addRequests(program: Command, stage: Stage): void {
  const requests = program
    .command('requests')
    .description('Request log of the account, in the mode of the key. Scope: account:read.')
  addExamples(requests, [
    ['probity requests --class client_error', 'List rejected requests.'],
    ['probity requests view req_…', 'Show one request with its result.'],
  ])
  const list = requests
    .command('list', { isDefault: true })
    .description('List requests, oldest first. This is the default command.')
    .addOption(new Option('--class <class>', 'only responses of this status class').choices(CLASSES))
    .option('--code <code>', 'only responses with this problem code, such as rate_limited')
    .option('--limit <n>', 'number of recent requests', readCount, 20)
    .option('--follow', 'continue with new requests until Ctrl-C')
    .action(createAction(stage, listRequests))
  addExamples(list, [
    ['probity requests list --class client_error', 'List rejected requests.'],
    ['probity requests list --follow --format jsonl', 'Print new requests as they arrive.'],
  ])
  const view = requests.command('view').description('Show a request with its result.').argument('<id>', 'request id')
  view.action(
    createAction(stage, async (run, _flags, id: string) => {
      const client = await openClient(run)
      await run.output.writeOne(await client.requests.get(id, { signal: run.signal }), formatRequest)
    }),
  )
  addExamples(view, [['probity requests view req_… --json', 'Print a request with its result.']])
}

/** Oldest first, so that new requests follow below. */
async function listRequests(run: Run, flags: Flags): Promise<void> {
  const client = await openClient(run)
  const { class: statusClass, code, limit } = flags
  const recent: RequestLogEntry[] = []
  const all = client.requests.list({ class: statusClass, code, signal: run.signal })
  for await (const request of limitItems(all, limit)) recent.push(request)
  recent.reverse()
  await run.output.writeGroups(flags.follow ? follow(run, client, flags, recent) : [recent], REQUESTS_VIEW)
  if (flags.follow) run.signal.throwIfAborted()
}

const POLL_INTERVAL_MS = 2_000
/** Requests are recorded after their response, and long ones appear before others that are already listed. */
const LATE_MS = 60_000
/** Above this, only ids that can still appear again are remembered. */
const SEEN_MAX = 10_000

/** Ends on Ctrl-C without an error, so that the written document is complete. */
async function* follow(run: Run, client: Probity, flags: Filter, recent: RequestLogEntry[]) {
  const { signal } = run
  const startedAt = Date.now()
  let seen = new Set(recent.map(({ id }) => id))
  yield recent
  while (!signal.aborted) {
    try {
      await sleep(POLL_INTERVAL_MS, undefined, { signal })
      const from = new Date(Math.max(startedAt, Date.now()) - LATE_MS)
      const found: RequestLogEntry[] = []
      const filter = { class: flags.class, code: flags.code, from }
      for await (const request of client.requests.list({ ...filter, signal })) found.push(request)
      const fresh = found.filter(({ id }) => !seen.has(id)).reverse()
      seen = new Set([...found.map(({ id }) => id), ...(seen.size < SEEN_MAX ? seen : [])])
      if (fresh.length > 0) yield fresh
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
}

const REQUESTS_VIEW: View<RequestLogEntry> = {
  columns: [
    { head: 'time (UTC)', cell: ({ occurred_at }) => occurred_at.slice(0, 19).replace('T', ' ') },
    { head: 'status', cell: statusOf },
    { head: 'request', cell: ({ method, route }) => `${method} ${route}` },
    { head: 'result', cell: ({ result_status }) => result_status ?? '' },
    { head: 'duration', cell: ({ duration_ms }) => `${duration_ms} ms` },
    { head: 'id', cell: ({ id }) => id },
  ],
}

function statusOf({ http_status, code }: Pick<RequestLogEntry, 'http_status' | 'code'>): string {
  return code === null ? String(http_status) : `${http_status} ${code}`
}

function formatRequest(request: RequestLogEntryDetail): string {
  const { result_status: status, sub_status: reason, credits } = request
  return formatPairs([
    ['id', request.id],
    ['time (UTC)', request.occurred_at.slice(0, 19).replace('T', ' ')],
    ['request', `${request.method} ${request.route}`],
    ['status', statusOf(request)],
    ['duration', `${request.duration_ms} ms`],
    ['key', request.key_name ?? ''],
    ['result', [status, reason].filter(Boolean).join(', ')],
    ['credits', credits === null ? '' : String(credits)],
  ])
}
