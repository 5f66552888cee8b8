import type { Probity, Webhook, WebhookDelivery, WebhookSettings, WebhookWithSecret } from '@probity/sdk'
import { type Command, Option } from 'commander'
import { CliError } from '../cli-error.ts'
import { type ConfirmFlags, confirmAction } from '../confirm.ts'
import { countOf, formatPairs } from '../output/format.ts'
import { limitItems, type View } from '../output/output.ts'
import { createAction, openClient, type Run, type Stage } from '../run.ts'
import { addExamples, addYes, formatTime, readCount, readNames, readTime } from './options.ts'

export function addWebhooks(program: Command, stage: Stage): void {
  const webhooks = program
    .command('webhooks')
    .description('Webhooks and their deliveries. Scopes: webhooks:read, and webhooks:write for changes.')
  addExamples(webhooks, [
    ['probity webhooks create https://example.com/hook --events job.completed', 'Create a webhook.'],
    ['probity webhooks deliveries --status failed', 'List failed deliveries.'],
  ])
  addRead(webhooks, stage)
  addCreate(webhooks, stage)
  addUpdate(webhooks, stage)
  addDeliveries(webhooks, stage)
}

function addRead(webhooks: Command, stage: Stage): void {
  const list = webhooks
    .command('list')
    .description('List webhooks, newest first.')
    .option('--limit <n>', 'maximum number of webhooks', readCount, 100)
    .action(
      createAction(stage, async (run, { limit }: { limit: number }) => {
        const client = await openClient(run)
        await run.output.writeAll(limitItems(client.webhooks.list({ signal: run.signal }), limit), WEBHOOKS_VIEW)
      }),
    )
  addExamples(list, [['probity webhooks list --json', 'Print all webhooks as a JSON array.']])
  const view = webhooks
    .command('view')
    .description('Show a webhook, without its secret.')
    .argument('<id>', 'webhook id')
  view.action(
    createAction(stage, async (run, _flags, id: string) => {
      const client = await openClient(run)
      await writeWebhook(run, await client.webhooks.get(id, { signal: run.signal }))
    }),
  )
  addExamples(view, [['probity webhooks view ID', 'Show a webhook and whether it fails.']])
}

const WEBHOOKS_VIEW: View<Webhook> = {
  columns: [
    { head: 'id', cell: ({ id }) => id },
    { head: 'status', cell: statusOf },
    { head: 'events', cell: ({ events }) => events.join() },
    { head: 'url', cell: ({ url }) => url },
  ],
}

function statusOf({ enabled, disabled_reason, failing_since_at }: Webhook): string {
  if (!enabled) return `disabled (${disabled_reason})`
  return failing_since_at === null ? 'enabled' : 'failing'
}

async function writeWebhook({ output }: Run, webhook: Webhook): Promise<void> {
  await output.writeOne(webhook, (one) =>
    formatPairs([
      ['id', one.id],
      ['url', one.url],
      ['description', one.description],
      ['mode', one.livemode ? 'live' : 'test'],
      ['status', statusOf(one)],
      ['events', one.events.join(', ')],
      ['public key', one.public_key],
      ['created (UTC)', formatTime(one.created_at)],
    ]),
  )
}

/** The secret alone on standard output, so that a script can use it. */
async function writeSecret({ output, terminal }: Run, webhook: WebhookWithSecret): Promise<void> {
  terminal.note(`Webhook ${webhook.id} (${webhook.url}). The signing secret is shown once:`)
  await output.writeOne(webhook, ({ secret }) => `${secret}\n`)
}

type SettingFlags = { events?: string[]; description?: string }

function addSettings(command: Command): Command {
  return command
    .option('--events <types>', 'event types, separated by commas, such as job.completed; * for all', readNames)
    .option('--description <text>', 'description, up to 200 characters')
}

/** The service checks the types: newer ones may exist. */
function settingsOf({ events, description }: SettingFlags) {
  return { events: events as WebhookSettings['events'], description }
}

function addCreate(webhooks: Command, stage: Stage): void {
  const create = webhooks
    .command('create')
    .description('Create a webhook in the mode of the key and print its signing secret, which is shown once.')
    .argument('<url>', 'https URL that receives the events')
  addSettings(create).action(
    createAction(stage, async (run, flags: SettingFlags, url: string) => {
      const client = await openClient(run)
      await writeSecret(run, await client.webhooks.create({ url, ...settingsOf(flags) }))
    }),
  )
  addExamples(create, [
    ['probity webhooks create https://example.com/hook', 'Subscribe to all events.'],
    ['probity webhooks create https://example.com/hook --events job.completed,job.failed', 'Subscribe to two types.'],
  ])
  const rotate = webhooks
    .command('rotate')
    .description('Create a new signing secret and print it. The previous one also signs for a day.')
    .argument('<id>', 'webhook id')
  rotate.action(
    createAction(stage, async (run, _flags, id: string) => {
      const client = await openClient(run)
      await writeSecret(run, await client.webhooks.rotateSecret(id))
    }),
  )
  addExamples(rotate, [['probity webhooks rotate ID', 'Replace the signing secret.']])
}

function addUpdate(webhooks: Command, stage: Stage): void {
  const update = webhooks
    .command('update')
    .description('Change the given settings of a webhook.')
    .argument('<id>', 'webhook id')
    .option('--url <url>', 'https URL that receives the events')
    .addOption(new Option('--enable', 'send events from now on').conflicts('disable'))
    .option('--disable', 'send no events, and fail pending deliveries')
  addSettings(update).action(createAction(stage, updateWebhook))
  addExamples(update, [['probity webhooks update ID --disable', 'Disable a webhook.']])
  const remove = webhooks
    .command('delete')
    .description('Delete a webhook and its deliveries.')
    .argument('<id>', 'webhook id')
  addYes(remove).action(createAction(stage, deleteWebhook))
  addExamples(remove, [['probity webhooks delete ID', 'Delete a webhook after a confirmation.']])
}

type UpdateFlags = SettingFlags & { url?: string; enable?: boolean; disable?: boolean }

async function updateWebhook(run: Run, flags: UpdateFlags, id: string): Promise<void> {
  const enabled = flags.disable ? false : flags.enable
  const changes = { url: flags.url, enabled, ...settingsOf(flags) }
  if (Object.values(changes).every((value) => value === undefined)) {
    throw new CliError('usage', 'Nothing to change: pass at least one setting.', 'probity webhooks update --help')
  }
  const client = await openClient(run)
  await writeWebhook(run, await client.webhooks.update(id, changes))
}

async function deleteWebhook(run: Run, flags: ConfirmFlags, id: string): Promise<void> {
  const client = await openClient(run)
  const { url } = await client.webhooks.get(id, { signal: run.signal })
  await confirmAction(run, flags, `Webhook ${id} (${url}) and its deliveries will be deleted.`)
  await client.webhooks.delete(id)
  await run.output.writeOne({ id, deleted: true }, () => `Deleted webhook ${id}\n`)
}

const OPTIONAL_ID = 'webhook id; not needed if the account has one webhook'

function addDeliveries(webhooks: Command, stage: Stage): void {
  const send = webhooks.command('test').description('Send a test event.').argument('[id]', OPTIONAL_ID)
  send.action(
    createAction(stage, async (run, _flags, id: string | undefined) => {
      const client = await openClient(run)
      await writeDelivery(run, await client.webhooks.test(await chooseWebhook(run, client, id), { signal: run.signal }))
    }),
  )
  addExamples(send, [['probity webhooks test', 'Send a test event to the only webhook.']])
  const list = webhooks
    .command('deliveries')
    .description('List deliveries, newest first.')
    .argument('[id]', OPTIONAL_ID)
    .addOption(new Option('--status <status>', 'only deliveries with this status').choices(DELIVERY_STATUSES))
    .option('--type <type>', 'only events of this type, such as job.completed')
    .option('--limit <n>', 'maximum number of deliveries', readCount, 100)
    .action(createAction(stage, listDeliveries))
  addExamples(list, [['probity webhooks deliveries --status failed', 'List failed deliveries.']])
  const resend = webhooks
    .command('resend')
    .description('Resend a delivery, or all failed deliveries since a time.')
    .argument('[delivery]', 'delivery id')
    .option('--webhook <id>', OPTIONAL_ID)
    .option('--since <time>', 'resend all failed deliveries since 2026-11-02 or 2026-11-02T08:00:00Z', readTime)
    .action(createAction(stage, resendDeliveries))
  addExamples(resend, [
    ['probity webhooks resend DELIVERY', 'Resend one delivery.'],
    ['probity webhooks resend --since 2026-11-02', 'Resend all deliveries that failed since then.'],
  ])
}

const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const
type DeliveryFilter = { status?: (typeof DELIVERY_STATUSES)[number]; type?: string; limit: number }

async function listDeliveries(run: Run, flags: DeliveryFilter, named: string | undefined): Promise<void> {
  const client = await openClient(run)
  const id = await chooseWebhook(run, client, named)
  const { status, type, limit } = flags
  const deliveries = client.webhooks.deliveries.list(id, { status, type, signal: run.signal })
  await run.output.writeAll(limitItems(deliveries, limit), DELIVERIES_VIEW)
}

const DELIVERIES_VIEW: View<WebhookDelivery> = {
  columns: [
    { head: 'id', cell: ({ id }) => id },
    { head: 'status', cell: ({ status }) => status },
    { head: 'type', cell: ({ type }) => type },
    { head: 'attempts', cell: ({ attempt_count }) => String(attempt_count) },
    { head: 'created (UTC)', cell: ({ created_at }) => formatTime(created_at) },
  ],
}

async function writeDelivery({ output }: Run, delivery: WebhookDelivery): Promise<void> {
  await output.writeOne(delivery, ({ id, status, type, attempt_count, created_at }) =>
    formatPairs([
      ['id', id],
      ['status', status],
      ['type', type],
      ['attempts', String(attempt_count)],
      ['created (UTC)', formatTime(created_at)],
    ]),
  )
}

type ResendFlags = { webhook?: string; since?: Date }

async function resendDeliveries(
  run: Run,
  { webhook, since }: ResendFlags,
  delivery: string | undefined,
): Promise<void> {
  if ((delivery === undefined) === (since === undefined)) {
    throw new CliError('usage', 'Pass either a delivery id or --since.', 'probity webhooks deliveries')
  }
  const client = await openClient(run)
  const id = await chooseWebhook(run, client, webhook)
  if (delivery !== undefined)
    return writeDelivery(run, await client.webhooks.deliveries.resend(id, delivery, { signal: run.signal }))
  const recovered = await client.webhooks.deliveries.recover(id, { sinceAt: since ?? new Date(), signal: run.signal })
  await run.output.writeOne(recovered, ({ count }) => `Resending ${countOf(count, 'delivery', 'deliveries')}\n`)
}

/** The named webhook, or the only one of the account. */
async function chooseWebhook({ signal }: Run, client: Probity, named: string | undefined): Promise<string> {
  if (named !== undefined) return named
  const {
    data: [first, ...others],
  } = await client.webhooks.list({ limit: 2, signal })
  if (first === undefined) throw new CliError('input', 'The account has no webhook in the mode of this key.')
  if (others.length > 0)
    throw new CliError('usage', 'The account has several webhooks: name one.', 'probity webhooks list')
  return first.id
}
