import { formatKeyHint } from '@probity/contract/constants/keys'
import type { Account } from '@probity/sdk'
import { Argument, type Command } from 'commander'
import { CliError, hasProblemCode } from '../cli-error.ts'
import { formatPairs } from '../output/format.ts'
import type { View } from '../output/output.ts'
import { createAction, openClient, type Run, type Stage } from '../run.ts'
import {
  checkBaseUrl,
  checkProfileName,
  findProfile,
  getKey,
  type Key,
  type Profile,
  readKey,
  saveConfig,
  unknownProfile,
  withProfile,
} from '../settings.ts'
import { addExamples } from './options.ts'

const SETTINGS = ['base_url', 'api_key'] as const
type Setting = (typeof SETTINGS)[number]

export function addConfig(program: Command, stage: Stage): void {
  const config = program
    .command('config')
    .description('Profiles: named pairs of an API key and a base URL, for example live and test.')
  addExamples(config, [
    ['probity login --profile test', 'Add a profile with a key.'],
    ['probity config use test', 'Use it by default.'],
  ])
  const list = config.command('list').description('List profiles.').action(createAction(stage, listProfiles))
  addExamples(list, [['probity config list --json', 'Print all profiles, without their keys.']])
  const get = config
    .command('get')
    .description('Print a setting of the profile. Of a key, only the hint is printed.')
    .addArgument(new Argument('<setting>', 'setting').choices(SETTINGS))
    .action(createAction(stage, getSetting))
  addExamples(get, [['probity config get base_url --profile test', 'Print the base URL of a profile.']])
  const set = config
    .command('set')
    .description('Change a setting of the profile. Keys are saved with probity login.')
    .addArgument(new Argument('<setting>', 'setting').choices(['base_url']))
    .argument('<value>', 'new value')
    .action(createAction(stage, setSetting))
  addExamples(set, [['probity config set base_url https://probity.example.com', 'Use your own service.']])
  const unset = config
    .command('unset')
    .description('Remove a setting of the profile.')
    .addArgument(new Argument('<setting>', 'setting').choices(SETTINGS))
    .action(createAction(stage, unsetSetting))
  addExamples(unset, [['probity config unset base_url', 'Use the default base URL.']])
  const use = config
    .command('use')
    .description('Use a profile by default.')
    .argument('<profile>', 'profile name')
    .action(createAction(stage, useProfile))
  addExamples(use, [['probity config use live', 'Switch to the profile live.']])
}

type ShownProfile = { profile: string; current: boolean; base_url: string | null; api_key: string | null }

function presentProfile({ settings }: Run, name: string, { base_url, api_key }: Profile): ShownProfile {
  const key = api_key === undefined ? null : formatKeyHint(api_key)
  return { profile: name, current: name === settings.profile, base_url: base_url ?? null, api_key: key }
}

const PROFILES_VIEW: View<ShownProfile> = {
  columns: [
    { head: 'profile', cell: ({ profile, current }) => `${profile}${current ? ' *' : ''}` },
    { head: 'base URL', cell: ({ base_url }) => base_url ?? 'default' },
    { head: 'key', cell: ({ api_key }) => api_key ?? 'none' },
  ],
}

async function listProfiles(run: Run): Promise<void> {
  const { profiles } = run.settings.configFile.config
  const shown = Object.entries(profiles).map(([name, profile]) => presentProfile(run, name, profile))
  await run.output.writeAll(shown, PROFILES_VIEW)
}

async function getSetting(run: Run, _flags: object, setting: Setting): Promise<void> {
  const { profile, configFile } = run.settings
  const found = findProfile(configFile.config, profile)
  if (found === undefined) throw unknownProfile(profile)
  const value = presentProfile(run, profile, found)[setting]
  await run.output.writeOne({ profile, setting, value }, () => `${value ?? ''}\n`)
}

async function setSetting(run: Run, _flags: object, setting: 'base_url', value: string): Promise<void> {
  await changeProfile(run, (profile) => ({ ...profile, [setting]: checkBaseUrl(value, 'The value') }))
}

async function unsetSetting(run: Run, _flags: object, setting: Setting): Promise<void> {
  await changeProfile(run, ({ [setting]: _, ...others }) => others)
}

async function changeProfile(run: Run, change: (profile: Profile) => Profile): Promise<void> {
  const { profile, configFile } = run.settings
  const changed = change(findProfile(configFile.config, profile) ?? {})
  await saveConfig(configFile, withProfile(configFile.config, profile, changed))
  await run.output.writeOne(presentProfile(run, profile, changed), () => `Saved profile ${profile}\n`)
}

async function useProfile(run: Run, _flags: object, name: string): Promise<void> {
  const { configFile } = run.settings
  const profile = findProfile(configFile.config, checkProfileName(name))
  if (profile === undefined) throw unknownProfile(name)
  await saveConfig(configFile, { ...configFile.config, current_profile: name })
  await run.output.writeOne({ ...presentProfile(run, name, profile), current: true }, () => `Using profile ${name}\n`)
}

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
