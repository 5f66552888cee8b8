import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { formatKeyHint, isWellFormedKey, type KeyMode } from '@probity/contract/constants/keys'
import { CliError, systemCodeOf } from './cli-error.ts'
import { type ConfigFile, checkProfileName, checkUsable, findProfile, readConfigFile } from './config-file.ts'

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
