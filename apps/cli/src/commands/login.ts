import type { Account } from '@probity/sdk'
import type { Command } from 'commander'
import { CliError, hasProblemCode } from '../cli-error.ts'
import { findProfile, saveConfig, withProfile } from '../config-file.ts'
import { formatPairs } from '../output/table.ts'
import { createAction, openClient, type Run, type Stage } from '../run.ts'
import { getKey, type Key, readKey, unknownProfile } from '../settings.ts'
import { addExamples } from './options.ts'

/** Far above the length of a key. */
const INPUT_MAX = 4_096

export function addLogin(program: Command, stage: Stage): void {
  const login = program
    .command('login')
    .description('Save an API key in a profile. It is read from a prompt or from standard input.')
    .option('--no-verify', 'save the key without a request to the service')
    .action(createAction(stage, saveKey))
  addExamples(login, [
    ['probity login', 'Enter a key without echo.'],
    ['probity login --profile staging --base-url https://probity.example.com <key.txt', 'Add a profile.'],
  ])
  const logout = program
    .command('logout')
    .description('Remove a profile with its key.')
    .action(createAction(stage, removeProfile))
  addExamples(logout, [['probity logout --profile staging', 'Remove the profile staging.']])
  const whoami = program
    .command('whoami')
    .description('Show the profile, the key and the account in use.')
    .action(createAction(stage, async (run) => writeIdentity(run, getKey(run.settings), await findAccount(run))))
  addExamples(whoami, [['probity whoami --profile staging', 'Show the account of a profile.']])
}

async function saveKey(run: Run, { verify }: { verify: boolean }): Promise<void> {
  const { profile, baseUrl, configFile } = run.settings
  const key = readKey(await readSecret(run), 'standard input')
  // The saved key may be the one that does not work.
  const settings = { ...withoutKey(run), key, baseUrl }
  const account = verify ? await findAccount({ ...run, settings }) : undefined
  await saveConfig(configFile, withProfile(configFile.config, profile, { api_key: key.text, base_url: baseUrl }))
  run.terminal.note(`Saved ${key.hint} in profile ${profile} (${configFile.path}).`)
  await writeIdentity({ ...run, settings }, key, account)
}

/** A spread of the settings would evaluate `key`, which throws if the saved key is damaged. */
function withoutKey({ settings }: Run) {
  const { profile, baseUrlFrom, configFile, stateFolder } = settings
  return { profile, baseUrlFrom, configFile, stateFolder }
}

async function removeProfile({ settings, output }: Run): Promise<void> {
  const { profile, configFile } = settings
  const isSaved = configFile.state === 'broken' || findProfile(configFile.config, profile) !== undefined
  if (!isSaved) throw unknownProfile(profile)
  await saveConfig(configFile, withProfile(configFile.config, profile, undefined))
  await output.writeOne({ profile, deleted: true }, () => `Removed profile ${profile}\n`)
}

async function writeIdentity({ settings, output }: Run, key: Key, account: Account | undefined): Promise<void> {
  const identity = {
    profile: settings.profile,
    base_url: settings.baseUrl,
    key: { hint: key.hint, livemode: key.mode === 'live', from: key.from, scopes: account?.key?.scopes ?? null },
    account: account === undefined ? null : { id: account.id, name: account.name, plan: account.plan.name },
  }
  await output.writeOne(identity, () =>
    formatPairs([
      ['profile', identity.profile],
      ['base URL', identity.base_url],
      ['key', `${key.hint}, ${key.mode} mode, from ${key.from}`],
      ['scopes', identity.key.scopes?.join(', ') ?? 'unknown: the key lacks the scope account:read'],
      ['account', identity.account === null ? 'unknown' : `${identity.account.name}, plan ${identity.account.plan}`],
    ]),
  )
}

async function readSecret({ terminal, signal }: Run): Promise<string> {
  const { stdin: input, stderr: output } = terminal
  if (terminal.isInteractive) {
    const { isCancel, password } = await import('@clack/prompts')
    const answer = await password({ message: 'API key', input, output, signal })
    if (isCancel(answer)) throw new CliError('interrupted', 'Interrupted. Nothing was saved.')
    return answer
  }
  let text = ''
  for await (const chunk of input.setEncoding('utf8')) {
    text += chunk
    if (text.length > INPUT_MAX) break
  }
  return text
}

/** Undefined if the key works but cannot read the account. */
async function findAccount(run: Run): Promise<Account | undefined> {
  try {
    return await (await openClient(run)).account.get({ signal: run.signal })
  } catch (error) {
    if (hasProblemCode(error, 'missing_scope', 'key_type_not_allowed')) return undefined
    throw error
  }
}
