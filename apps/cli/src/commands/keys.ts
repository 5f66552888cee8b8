import { KEY_SCOPES } from '@probity/contract/key-scopes'
import type { ApiKey, KeySettings } from '@probity/sdk'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { ask } from '../consent.ts'
import { formatTable } from '../output/table.ts'
import { Refusal } from '../refusal.ts'
import { act, openClient, type Run, type Stage } from '../run.ts'
import { addExamples, outputOption, readCount, readTime } from './options.ts'

const FORMATS = ['table', 'json'] as const
type Output = { output: (typeof FORMATS)[number] }

export function addKeys(program: Command, stage: Stage): void {
  const keys = program.command('keys').description('API keys. Scopes: keys:read, and keys:write for changes.')
  addExamples(keys, [
    ['probity keys create --name "Sign-up form" --scopes validations:write', 'Create a key that can only validate.'],
    ['probity keys revoke ID', 'Revoke a key permanently.'],
  ])
  keys
    .command('ls')
    .description('All keys, the newest first.')
    .addOption(outputOption(FORMATS, 'table'))
    .action(act(stage, showKeys))
  keys
    .command('create')
    .description('Create a key and print it. It is not shown again.')
    .requiredOption('--name <name>', 'name of the key')
    .addOption(new Option('--mode <mode>', 'live or test mode').choices(['live', 'test']).default('live'))
    .option('--scopes <names>', `scopes, separated by commas: ${Object.keys(KEY_SCOPES).join(', ')}`, readScopes)
    .option('--expires <date>', 'expiry, as 2027-01-31', readTime)
    .option('--monthly-cap <n>', 'credits that it can use per month', readCount)
    .addOption(outputOption(FORMATS, 'table'))
    .action(act(stage, createKey))
  keys
    .command('revoke')
    .description('Revoke a key permanently.')
    .argument('<id>', 'the id of the key, as keys ls shows it')
    .option('-y, --yes', 'without asking')
    .addOption(outputOption(FORMATS, 'table'))
    .action(act(stage, revokeKey))
}

async function showKeys(run: Run, { output }: Output): Promise<void> {
  const client = await openClient(run)
  const keys: ApiKey[] = []
  for await (const key of client.keys.list({ signal: run.signal })) keys.push(key)
  if (output === 'json') return run.terminal.print(`${JSON.stringify(keys, null, 2)}\n`)
  await run.terminal.print(formatTable(HEAD, keys.map(rowOf)))
}

const HEAD = ['id', 'key', 'status', 'scopes', 'last used (UTC)', 'name']

function rowOf({ id, hint, status, scopes, last_used_at, name }: ApiKey): string[] {
  return [id, hint, status, scopes.join(), last_used_at?.slice(0, 16).replace('T', ' ') ?? 'never', name]
}

type NewKey = Output & {
  name: string
  mode: 'live' | 'test'
  scopes?: KeySettings['scopes']
  expires?: Date
  monthlyCap?: number
}

async function createKey(run: Run, { name, mode, scopes, expires, monthlyCap, output }: NewKey): Promise<void> {
  const client = await openClient(run)
  const created = await client.keys.create({ name, livemode: mode === 'live', scopes, expiresAt: expires, monthlyCap })
  if (output === 'json') return run.terminal.print(`${JSON.stringify(created, null, 2)}\n`)
  run.terminal.say(`${created.name}, ${mode} mode, scopes ${created.scopes.join(', ')}. The key is not shown again:`)
  // By itself, so that a script can take it as it is.
  await run.terminal.print(`${created.key}\n`)
}

async function revokeKey(run: Run, { yes, output }: Output & { yes?: boolean }, id: string): Promise<void> {
  const client = await openClient(run)
  const { name, hint } = await client.keys.get(id, { signal: run.signal })
  if (!yes) {
    const why = `${name} (${hint}) would stop working for good`
    if (!run.terminal.isInteractive) throw new Refusal('credits', `${why}, and nobody is here to ask: add --yes.`)
    if (!(await ask(run, `${why}. Revoke it?`))) throw new Refusal('credits', 'Not agreed to. The key works on.')
  }
  const revoked = await client.keys.revoke(id)
  if (output === 'json') return run.terminal.print(`${JSON.stringify(revoked, null, 2)}\n`)
  await run.terminal.print(formatTable(HEAD, [rowOf(revoked)]))
}

/** Which scopes there are, the service knows. */
function readScopes(text: string): string[] {
  const scopes = text.split(',').map((scope) => scope.trim())
  if (scopes.includes(''))
    throw new InvalidArgumentError('Separate scopes by commas, as in validations:write,account:read.')
  return scopes
}
