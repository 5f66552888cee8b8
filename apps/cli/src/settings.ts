import { readFileSync, statSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { formatKeyHint, isWellFormedKey, type KeyMode } from '@probity/contract/constants/keys'
import { CliError, systemCodeOf } from './cli-error.ts'
import { writeFileAtomically } from './write-file.ts'

export type Environment = Record<string, string | undefined>
export type SettingFlags = { baseUrl?: string; profile?: string }

/** An API key and its source. */
export type Key = { text: string; hint: string; mode: KeyMode; from: string }

export type Settings = {
  /** The name of the profile in use. */
  profile: string
  /** Undefined if none is set: some commands need none. Throws if the key cannot be used. */
  readonly key: Key | undefined
  /** Throws if it is not a URL. */
  readonly baseUrl: string
  baseUrlFrom: string
  configFile: ConfigFile
  /** The folder with the ids of started jobs. */
  stateFolder: string
}

/** The address of `pnpm dev`. */
const BASE_URL = 'http://localhost:3000'

/**
 * Flags take precedence over the environment, and the environment over the configuration file. So `--profile` also takes precedence
 * over PROBITY_API_KEY and PROBITY_BASE_URL. An empty variable counts as not set.
 */
export function readSettings(env: Environment, flags: SettingFlags): Settings {
  const configFile = readConfigFile(join(folderOf(env, 'XDG_CONFIG_HOME', '.config'), 'config.json'))
  const profile = checkProfileName(flags.profile ?? (env['PROBITY_PROFILE'] || configFile.config.current_profile))
  const source = { env, flags, configFile, profile }
  const address = findBaseUrl(source)
  return {
    profile,
    get key() {
      return findKey(source)
    },
    get baseUrl() {
      return checkBaseUrl(address.text, address.from)
    },
    baseUrlFrom: address.from,
    configFile,
    stateFolder: join(folderOf(env, 'XDG_STATE_HOME', '.local/state'), 'jobs'),
  }
}

export function getKey({ key }: Settings): Key {
  if (key !== undefined) return key
  throw new CliError('auth', 'No API key: set PROBITY_API_KEY or run probity login.', 'probity login')
}

/** A key as it was pasted or piped in. No message contains any of it. */
export function readKey(text: string, from: string): Key {
  const key = text.trim()
  if (!isWellFormedKey(key)) {
    throw new CliError('auth', `${from} does not contain a complete API key: keys start with pb_live_ or pb_test_.`)
  }
  return { text: key, hint: formatKeyHint(key), mode: key.startsWith('pb_test_') ? 'test' : 'live', from }
}

type Source = { env: Environment; flags: SettingFlags; configFile: ConfigFile; profile: string }

function findKey({ env, flags, configFile, profile }: Source): Key | undefined {
  if (flags.profile === undefined) {
    if (env['PROBITY_API_KEY']) return readKey(env['PROBITY_API_KEY'], 'PROBITY_API_KEY')
    const file = env['PROBITY_API_KEY_FILE']
    if (file) return readKey(readKeyFile(file), 'The file of PROBITY_API_KEY_FILE')
  }
  checkUsable(configFile)
  const found = findProfile(configFile.config, profile)
  if (found === undefined && (flags.profile !== undefined || env['PROBITY_PROFILE'])) throw unknownProfile(profile)
  return found?.api_key === undefined ? undefined : readKey(found.api_key, `profile ${profile}`)
}

export function unknownProfile(name: string): CliError {
  return new CliError('auth', `There is no profile ${name}.`, `probity login --profile ${name}`)
}

function findBaseUrl({ env, flags, configFile, profile }: Source) {
  if (flags.baseUrl !== undefined) return { text: flags.baseUrl, from: '--base-url' }
  const saved = findProfile(configFile.config, profile)?.base_url
  const ofProfile = saved === undefined ? undefined : { text: saved, from: `profile ${profile}` }
  if (flags.profile !== undefined && ofProfile !== undefined) return ofProfile
  if (env['PROBITY_BASE_URL']) return { text: env['PROBITY_BASE_URL'], from: 'PROBITY_BASE_URL' }
  return ofProfile ?? { text: BASE_URL, from: 'default' }
}

export function checkBaseUrl(text: string, from: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return text
  throw new CliError('usage', `${from} is not a URL such as https://probity.example.com.`)
}

function readKeyFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new CliError('auth', `Cannot read the file of PROBITY_API_KEY_FILE (${systemCodeOf(error)}).`)
  }
}

/** XDG Base Directory Specification: relative paths are ignored. */
function folderOf(env: Environment, variable: string, below: string): string {
  const named = env[variable]
  return join(named?.startsWith('/') ? named : join(env['HOME'] || homedir(), below), 'probity')
}

/** The settings of one profile. */
export type Profile = { api_key?: string; base_url?: string }
type Config = { current_profile: string; profiles: Record<string, Profile> }

const DEFAULT_PROFILE = 'default'

/** `exposed`: other users can read the file. `broken`: it is not a configuration. */
type ConfigFile = { path: string; state: 'usable' | 'exposed' | 'broken'; config: Config }

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
function checkUsable({ path, state }: ConfigFile): void {
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
