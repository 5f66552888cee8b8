import { TEST_EVENT, WEBHOOK_EVENT_TYPES, type WebhookEventType } from '@probity/contract/constants/webhooks'
import type { AttemptResult, Probity, WebhookEvent } from '@probity/sdk'
import { type Command, InvalidArgumentError } from 'commander'
import type { ForwardResult } from '../forward-event.ts'
import type { View } from '../output/output.ts'
import { createAction, logRequest, type Run, type Stage } from '../run.ts'
import { getKey } from '../settings.ts'
import type { Terminal } from '../terminal.ts'
import { addExamples, readNames } from './options.ts'

type Flags = { forwardTo: URL; events?: WebhookEventType[] }

export function addListen(program: Command, stage: Stage): void {
  const command = program
    .command('listen')
    .description('Forward events of the account to a local webhook receiver until Ctrl-C. Scope: webhooks:read.')
    .requiredOption('--forward-to <url>', 'http or https URL that receives the events', readForwardUrl)
    .option('--events <types>', 'only these event types, separated by commas', readEventTypes)
    .action(createAction(stage, listen))
  addExamples(command, [
    ['probity listen --forward-to http://localhost:8080/webhooks', 'Forward all events.'],
    ['probity listen --forward-to http://localhost:8080 --events job.completed,job.failed', 'Forward two event types.'],
  ])
}

async function listen(run: Run, { forwardTo, events }: Flags): Promise<void> {
  const { settings, terminal, signal } = run
  const { text: apiKey, mode } = getKey(settings)
  // Loads node:https, which other commands do not need at their start.
  const { createSigningSecret, forwardEvent } = await import('../forward-event.ts')
  const secret = createSigningSecret()
  const report = reportConnection(terminal, () => {
    // Also written with --quiet: the receiver cannot verify anything without it.
    terminal.stderr.write(`Signing secret: ${secret}\n`)
    terminal.note(`Forwarding ${mode} events to ${forwardTo.href}. Press Ctrl-C to stop.`)
  })
  const { Probity } = await import('@probity/sdk')
  const onResponse = (attempt: AttemptResult) => {
    logRequest(terminal, attempt)
    report(attempt)
  }
  const client = new Probity({ apiKey, baseUrl: settings.baseUrl, onResponse })
  const target = { url: forwardTo, secret, signal }
  const forward = (event: WebhookEvent) => forwardEvent(event, target)
  await run.output.writeGroups(forwardEvents(client, forward, { types: events, signal }), FORWARD_VIEW)
}

type Forward = (event: WebhookEvent) => Promise<ForwardResult>
type StreamOptions = { types: WebhookEventType[] | undefined; signal: AbortSignal }

/** One event at a time, in the order of the stream. Ends on Ctrl-C without an error, so that the exit code is 0. */
async function* forwardEvents(client: Probity, forward: Forward, { types, signal }: StreamOptions) {
  try {
    for await (const event of client.events.stream({ types, signal, maxReconnects: Number.POSITIVE_INFINITY })) {
      yield [await forward(event)]
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** Writes to standard error when the stream is lost and open again. */
function reportConnection(terminal: Terminal, onOpen: () => void) {
  let hasOpened = false
  return ({ status, error }: AttemptResult): void => {
    if (status !== 200) {
      if (hasOpened) terminal.note(`Cannot reconnect (${status ?? describe(error)}). Trying again.`)
    } else if (hasOpened) terminal.note('Reconnected. Events that occurred in between are not forwarded.')
    else {
      hasOpened = true
      onOpen()
    }
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : 'no response'
}

const FORWARD_VIEW: View<ForwardResult> = {
  columns: [
    { head: 'time (UTC)', cell: ({ forwarded_at }) => forwarded_at.slice(11, 19) },
    {
      head: 'status',
      cell: (result) => statusOf(result).padEnd(6),
      style: (result) => (isSuccess(result) ? 'green' : 'red'),
    },
    { head: 'duration', cell: ({ duration_ms }) => `${duration_ms} ms`.padStart(8) },
    { head: 'type', cell: ({ type }) => type.padEnd(TYPE_WIDTH) },
    { head: 'id', cell: ({ id }) => id },
  ],
}

/** Rows are written one by one, so the column cannot adapt to its longest cell. */
const TYPE_WIDTH = Math.max(...WEBHOOK_EVENT_TYPES.map((type) => type.length))

function statusOf({ http_status, error }: ForwardResult): string {
  return http_status === null ? (error ?? '') : String(http_status)
}

function isSuccess({ http_status }: ForwardResult): boolean {
  return http_status !== null && http_status >= 200 && http_status < 300
}

function readForwardUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol)) return url
  throw new InvalidArgumentError('Must be an http or https URL such as http://localhost:8080/webhooks.')
}

/** The stream has all types except `webhook.test`, which is sent to one webhook. */
const STREAM_TYPES: readonly string[] = WEBHOOK_EVENT_TYPES.filter((type) => type !== TEST_EVENT)

function readEventTypes(text: string): WebhookEventType[] {
  const types = readNames(text)
  const unknown = types.find((type) => !STREAM_TYPES.includes(type))
  if (unknown === undefined) return types as WebhookEventType[]
  throw new InvalidArgumentError(`${unknown} is not one of ${STREAM_TYPES.join(', ')}.`)
}
