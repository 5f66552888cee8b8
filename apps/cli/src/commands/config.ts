import { formatKeyHint } from '@probity/contract/constants/keys'
import { Argument, type Command } from 'commander'
import { checkProfileName, findProfile, type Profile, saveConfig, withProfile } from '../config-file.ts'
import type { View } from '../output/output.ts'
import { createAction, type Run, type Stage } from '../run.ts'
import { checkBaseUrl, unknownProfile } from '../settings.ts'
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
