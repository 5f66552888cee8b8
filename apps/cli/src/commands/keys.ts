import { KEY_SCOPES } from '@probity/contract/constants/keys'
import type { ApiKey, ApiKeyWithSecret, KeySettings } from '@probity/sdk'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { CliError } from '../cli-error.ts'
import { type ConfirmFlags, confirmAction } from '../confirm.ts'
import { formatCount, formatPairs } from '../output/format.ts'
import { limitItems, type View } from '../output/output.ts'
import { createAction, openClient, type Run, type Stage } from '../run.ts'
import { addExamples, addYes, formatTime, readCount, readNames, readTime } from './options.ts'

export function addKeys(program: Command, stage: Stage): void {
  const keys = program.command('keys').description('API keys. Scopes: keys:read, and keys:write for changes.')
  addExamples(keys, [
    ['probity keys create --name "Sign-up form" --scopes validations:write', 'Create a key that can only validate.'],
    ['probity keys rotate ID', 'Replace a key; the old one keeps working for a day.'],
  ])
  addRead(keys, stage)
  addCreate(keys, stage)
  addUpdate(keys, stage)
  addPause(keys, stage)
  const revoke = keys.command('revoke').description('Revoke a key permanently.').argument('<id>', 'key id')
  addYes(revoke).action(createAction(stage, revokeKey))
  addExamples(revoke, [['probity keys revoke ID', 'Revoke a key after a confirmation.']])
}

function addRead(keys: Command, stage: Stage): void {
  const list = keys
    .command('list')
    .description('List keys, newest first.')
    .option('--limit <n>', 'maximum number of keys', readCount, 100)
    .action(
      createAction(stage, async (run, { limit }: { limit: number }) => {
        const client = await openClient(run)
        await run.output.writeAll(limitItems(client.keys.list({ signal: run.signal }), limit), KEYS_VIEW)
      }),
    )
  addExamples(list, [
    ['probity keys list --format csv -o keys.csv', 'Write all keys to a file, without their secrets.'],
  ])
  const view = keys.command('view').description('Show a key, without its secret.').argument('<id>', 'key id')
  view.action(
    createAction(stage, async (run, _flags, id: string) => {
      const client = await openClient(run)
      await writeKey(run, await client.keys.get(id, { signal: run.signal }))
    }),
  )
  addExamples(view, [['probity keys view ID', 'Show the settings of a key.']])
}

const KEYS_VIEW: View<ApiKey> = {
  columns: [
    { head: 'id', cell: ({ id }) => id },
    { head: 'key', cell: ({ hint }) => hint },
    { head: 'status', cell: ({ status }) => status },
    { head: 'scopes', cell: ({ scopes }) => scopes.join() },
    { head: 'last used (UTC)', cell: ({ last_used_at }) => formatTime(last_used_at, 'never') },
    { head: 'name', cell: ({ name }) => name },
  ],
}

async function writeKey({ output }: Run, key: ApiKey): Promise<void> {
  await output.writeOne(key, formatKey)
}

function formatKey(key: ApiKey): string {
  const { monthly_cap: cap } = key
  return formatPairs([
    ['id', key.id],
    ['name', key.name],
    ['key', key.hint],
    ['mode', key.livemode ? 'live' : 'test'],
    ['status', key.status],
    ['scopes', key.scopes.join(', ')],
    ['monthly cap', cap === null ? 'none' : formatCount(cap)],
    ['IP allowlist', key.ip_allowlist.join(', ') || 'none'],
    ['expires (UTC)', formatTime(key.expires_at, 'never')],
    ['last used (UTC)', formatTime(key.last_used_at, 'never')],
  ])
}

/** The secret alone on standard output, so that a script can use it. */
async function writeSecret({ output, terminal }: Run, key: ApiKeyWithSecret): Promise<void> {
  terminal.note(`Key ${key.id} (${key.name}), ${key.livemode ? 'live' : 'test'} mode, scopes ${key.scopes.join(', ')}.`)
  terminal.note('The key is shown once:')
  await output.writeOne(key, () => `${key.key}\n`)
}

/** Commander replaces null with an empty string, so null is set after it. */
const NONE = 'none'
type None = typeof NONE

type SettingFlags = {
  name?: string
  scopes?: KeySettings['scopes']
  expires?: Date | None
  monthlyCap?: number | None
  ipAllowlist?: string[]
}

function addSettings(command: Command): Command {
  return command
    .option('--scopes <names>', `scopes, separated by commas: ${Object.keys(KEY_SCOPES).join(', ')}`, readNames)
    .option('--expires <time>', 'expiry, such as 2027-01-31; none for no expiry', readOrNone(readTime))
    .option('--monthly-cap <n>', 'credits per calendar month; none for no cap', readOrNone(readCount))
    .option(
      '--ip-allowlist <addresses>',
      'IP addresses and CIDR ranges, separated by commas; none for all',
      readAllowlist,
    )
}

function settingsOf({ scopes, expires, monthlyCap, ipAllowlist }: SettingFlags): KeySettings {
  const orNull = <T>(value: T | None | undefined) => (value === NONE ? null : value)
  return { scopes, expiresAt: orNull(expires), monthlyCap: orNull(monthlyCap), ipAllowlist }
}

function readOrNone<T>(read: (text: string) => T): (text: string) => T | None {
  return (text) => (text === NONE ? NONE : read(text))
}

function readAllowlist(text: string): string[] {
  return text === NONE ? [] : readNames(text)
}

function addCreate(keys: Command, stage: Stage): void {
  const create = keys
    .command('create')
    .description('Create a key and print it. It is shown once.')
    .requiredOption('--name <name>', 'name of the key')
    .addOption(new Option('--mode <mode>', 'live or test mode').choices(['live', 'test']).default('live'))
  addSettings(create).action(
    createAction(stage, async (run, flags: SettingFlags & { name: string; mode: 'live' | 'test' }) => {
      const client = await openClient(run)
      const { name, mode } = flags
      await writeSecret(run, await client.keys.create({ name, livemode: mode === 'live', ...settingsOf(flags) }))
    }),
  )
  addExamples(create, [
    ['probity keys create --name CI --mode test', 'Create a test key.'],
    ['probity keys create --name Form --scopes validations:write --monthly-cap 5000', 'Create a limited key.'],
  ])
  const rotate = keys
    .command('rotate')
    .description('Create a key with the same settings and print it. The old key expires after the overlap.')
    .argument('<id>', 'key id')
    .option(
      '--overlap <seconds>',
      'seconds that the old key keeps working, at most 604800; a day by default',
      readOverlap,
    )
  rotate.action(
    createAction(stage, async (run, { overlap }: { overlap?: number }, id: string) => {
      const client = await openClient(run)
      await writeSecret(run, await client.keys.rotate(id, { overlapSeconds: overlap }))
    }),
  )
  addExamples(rotate, [['probity keys rotate ID --overlap 0', 'Replace a key at once.']])
}

function readOverlap(text: string): number {
  const seconds = readCount(text)
  if (seconds > 604_800) throw new InvalidArgumentError('Must be at most 604800, a week.')
  return seconds
}

function addUpdate(keys: Command, stage: Stage): void {
  const update = keys
    .command('update')
    .description('Change the given settings of a key.')
    .argument('<id>', 'key id')
    .option('--name <name>', 'name of the key')
  addSettings(update).action(
    createAction(stage, async (run, flags: SettingFlags, id: string) => {
      const changes = { name: flags.name, ...settingsOf(flags) }
      if (Object.values(changes).every((value) => value === undefined)) {
        throw new CliError('usage', 'Nothing to change: pass at least one setting.', 'probity keys update --help')
      }
      const client = await openClient(run)
      await writeKey(run, await client.keys.update(id, changes))
    }),
  )
  addExamples(update, [['probity keys update ID --monthly-cap none', 'Remove the monthly cap of a key.']])
}

function addPause(keys: Command, stage: Stage): void {
  for (const verb of ['pause', 'resume'] as const) {
    const effect = verb === 'pause' ? 'Pause a key: its requests are rejected.' : 'Resume a paused key.'
    const command = keys.command(verb).description(effect).argument('<id>', 'key id')
    command.action(
      createAction(stage, async (run, _flags, id: string) => {
        const client = await openClient(run)
        await writeKey(run, await client.keys[verb](id))
      }),
    )
    addExamples(command, [[`probity keys ${verb} ID`, effect]])
  }
}

async function revokeKey(run: Run, flags: ConfirmFlags, id: string): Promise<void> {
  const client = await openClient(run)
  const { name, hint } = await client.keys.get(id, { signal: run.signal })
  await confirmAction(run, flags, `Key ${name} (${hint}) will stop working permanently.`)
  await writeKey(run, await client.keys.revoke(id))
}
