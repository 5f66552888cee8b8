import { readFileSync, statSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CliError, systemCodeOf } from './cli-error.ts'
import { writeFileAtomically } from './write-file.ts'

/** The settings of one profile. */
export type Profile = { api_key?: string; base_url?: string }
export type Config = { current_profile: string; profiles: Record<string, Profile> }

export const DEFAULT_PROFILE = 'default'

/** `exposed`: other users can read the file. `broken`: it is not a configuration. */
export type ConfigFile = { path: string; state: 'usable' | 'exposed' | 'broken'; config: Config }

export function readConfigFile(path: string): ConfigFile {
  const none: Config = { current_profile: DEFAULT_PROFILE, profiles: {} }
  try {
    const config = readConfig(JSON.parse(readFileSync(path, 'utf8')))
    // As ssh does with private keys.
    return { path, state: (statSync(path).mode & 0o077) === 0 ? 'usable' : 'exposed', config }
  } catch (error) {
    const isMissing = systemCodeOf(error) === 'ENOENT' || systemCodeOf(error) === 'ENOTDIR'
    return { path, state: isMissing ? 'usable' : 'broken', config: none }
  }
}

/** Throws if keys of this file must not be used. */
export function checkUsable({ path, state }: ConfigFile): void {
  if (state === 'exposed')
    throw new CliError('auth', `Other users can read ${path}, which contains a key.`, `chmod 600 ${path}`)
  checkReadable({ path, state })
}

function checkReadable({ path, state }: Pick<ConfigFile, 'path' | 'state'>): void {
  if (state === 'broken') throw new CliError('auth', `${path} is not a configuration of probity. Correct or remove it.`)
}

/** Saves the configuration for its owner only. Without profiles the file is removed. */
export async function saveConfig(file: ConfigFile, config: Config): Promise<void> {
  checkReadable(file)
  if (Object.keys(config.profiles).length === 0) return rm(file.path, { force: true })
  await mkdir(dirname(file.path), { recursive: true, mode: 0o700 })
  await writeFileAtomically(file.path, textOf(config))
}

async function* textOf(config: Config) {
  yield `${JSON.stringify(config, null, 2)}\n`
}

export function findProfile({ profiles }: Config, name: string): Profile | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined
}

/** The configuration with another version of a profile, or without the profile. */
export function withProfile({ current_profile, profiles }: Config, name: string, profile: Profile | undefined): Config {
  const { [name]: _, ...others } = profiles
  const changed = profile === undefined ? others : { ...profiles, [name]: profile }
  const isCurrentGone = profile === undefined && current_profile === name
  return { current_profile: isCurrentGone ? DEFAULT_PROFILE : current_profile, profiles: changed }
}

export function checkProfileName(name: string): string {
  if (/^[a-z0-9][a-z0-9_.-]{0,62}$/i.test(name)) return name
  throw new CliError('usage', 'A profile name has 1 to 63 letters, digits, dots, hyphens and underscores.')
}

function readConfig(value: unknown): Config {
  const { current_profile, profiles } = readObject(value)
  const read = Object.entries(readObject(profiles)).map(([name, profile]) => [name, readProfile(profile)])
  return {
    current_profile: typeof current_profile === 'string' ? current_profile : DEFAULT_PROFILE,
    profiles: Object.fromEntries(read),
  }
}

function readProfile(value: unknown): Profile {
  const { api_key, base_url } = readObject(value)
  return {
    ...(typeof api_key === 'string' && { api_key }),
    ...(typeof base_url === 'string' && { base_url }),
  }
}

function readObject(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new TypeError('not an object')
}
