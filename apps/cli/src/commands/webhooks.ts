import type { Probity, Webhook, WebhookDelivery } from '@probity/sdk'
import type { Command } from 'commander'
import { countOf } from '../output/numbers.ts'
import { formatTable } from '../output/table.ts'
import { Refusal } from '../refusal.ts'
import { act, openClient, type Run, type Stage } from '../run.ts'
import { addExamples, outputOption, readTime } from './options.ts'

const FORMATS = ['table', 'json'] as const
type Output = { output: (typeof FORMATS)[number] }

export function addWebhooks(program: Command, stage: Stage): void {
  const webhooks = program
    .command('webhooks')
    .description('Webhooks and their deliveries. Scopes: webhooks:read, and webhooks:write for changes.')
  addExamples(webhooks, [
    ['probity webhooks trigger', 'Send a test event.'],
    ['probity webhooks deliveries --status failed', 'List failed deliveries.'],
    ['probity webhooks resend DELIVERY', 'Resend a delivery.'],
    ['probity webhooks resend --since 2026-11-02', 'Resend all deliveries that failed since then.'],
  ])
  webhooks
    .command('ls')
    .description('List webhooks, newest first.')
    .addOption(outputOption(FORMATS, 'table'))
    .action(act(stage, showWebhooks))
  ofWebhook(webhooks.command('trigger').description('Send a test event.')).action(act(stage, trigger))
  ofWebhook(webhooks.command('deliveries').description('List recent deliveries, newest first.'))
    .option('--status <status>', 'only deliveries that are pending, delivered or failed')
    .option('--type <type>', 'only events of this type, such as job.completed')
    .action(act(stage, showDeliveries))
  ofWebhook(webhooks.command('resend').description('Resend a delivery, or all that failed since a time.'))
    .argument('[delivery]', 'the id of the delivery, as deliveries shows it')
    .option('--since <time>', 'all that failed since then, as 2026-11-02 or 2026-11-02T08:00:00Z', readTime)
    .action(act(stage, resend))
}

function ofWebhook(command: Command): Command {
  return command
    .option('--webhook <id>', 'which webhook; needed where there are several')
    .addOption(outputOption(FORMATS, 'table'))
}

type Chosen = Output & { webhook?: string }

async function showWebhooks(run: Run, { output }: Output): Promise<void> {
  const client = await openClient(run)
  const webhooks: Webhook[] = []
  for await (const webhook of client.webhooks.list({ signal: run.signal })) webhooks.push(webhook)
  if (output === 'json') return run.terminal.print(`${JSON.stringify(webhooks, null, 2)}\n`)
  const rows = webhooks.map(({ id, enabled, disabled_reason, failing_since_at, events, url }) => {
    const status = enabled ? (failing_since_at === null ? 'enabled' : 'failing') : `disabled (${disabled_reason})`
    return [id, status, events.join(), url]
  })
  await run.terminal.print(formatTable(['id', 'status', 'events', 'url'], rows))
}

async function trigger(run: Run, { webhook, output }: Chosen): Promise<void> {
  const client = await openClient(run)
  const sent = await client.webhooks.test(await chooseWebhook(run, client, webhook), { signal: run.signal })
  await printDeliveries(run, [sent], output)
}

type Filter = Chosen & { status?: string; type?: string }

/** As many as one looks at. The rest is for programs, by way of the API. */
const SHOWN = 100

async function showDeliveries(run: Run, { webhook, output, status, type }: Filter): Promise<void> {
  const client = await openClient(run)
  const id = await chooseWebhook(run, client, webhook)
  const options = { status, type, limit: SHOWN, signal: run.signal }
  await printDeliveries(run, (await client.webhooks.deliveries.list(id, options)).data, output)
}

async function resend(run: Run, flags: Chosen & { since?: Date }, delivery: string | undefined): Promise<void> {
  const { webhook, output, since } = flags
  if ((delivery === undefined) === (since === undefined)) {
    throw new Refusal('usage', 'Say which delivery, or --since when.')
  }
  const client = await openClient(run)
  const id = await chooseWebhook(run, client, webhook)
  if (delivery !== undefined) {
    const sent = await client.webhooks.deliveries.resend(id, delivery, { signal: run.signal })
    return printDeliveries(run, [sent], output)
  }
  const recovered = await client.webhooks.deliveries.recover(id, { sinceAt: since ?? new Date(), signal: run.signal })
  if (output === 'json') return run.terminal.print(`${JSON.stringify(recovered, null, 2)}\n`)
  await run.terminal.print(`${countOf(recovered.count, 'delivery is', 'deliveries are')} resent\n`)
}

async function printDeliveries({ terminal }: Run, deliveries: WebhookDelivery[], output: Output['output']) {
  if (output === 'json') return terminal.print(`${JSON.stringify(deliveries, null, 2)}\n`)
  const rows = deliveries.map(({ id, status, type, attempt_count, created_at }) => [
    id,
    status,
    type,
    String(attempt_count),
    created_at.slice(0, 19).replace('T', ' '),
  ])
  await terminal.print(formatTable(['id', 'status', 'type', 'attempts', 'created (UTC)'], rows))
}

/** Most accounts have one, and then it need not be named. */
async function chooseWebhook({ signal }: Run, client: Probity, named: string | undefined): Promise<string> {
  if (named !== undefined) return named
  const { data } = await client.webhooks.list({ limit: 2, signal })
  const [first, ...others] = data
  if (first === undefined) throw new Refusal('input', 'The account has no webhook of the mode of this key.')
  if (others.length > 0) throw new Refusal('usage', 'There are several webhooks: name one with --webhook.')
  return first.id
}
