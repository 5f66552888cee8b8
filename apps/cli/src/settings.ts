import { readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { hintOf, isWellFormedKey, type KeyMode } from '@probity/contract/key-format'
import { Refusal } from './refusal.ts'

export type Environment = Record<string, string | undefined>

/** A key, and where it was found. */
export type Key = { text: string; hint: string; mode: KeyMode; from: string }

export type Settings = {
  /** Undefined where none is set: some commands need none. */
  key: Key | undefined
  baseUrl: string
  baseUrlFrom: string
  /** Where the key of `probity login` is kept. */
  userFile: string
  /** Where it is remembered which lists were started. */
  stateFolder: string
}

/** What `probity login` keeps. */
export type UserFile = { api_key?: string; base_url?: string }

/** Where `pnpm dev` of the service listens. */
const BASE_URL = 'http://localhost:3000'

/**
 * A flag goes before the environment, and that before the user's file. An empty variable counts as not set. What is wrong is said when it
 * is needed: some commands need no key, and one removes it.
 */
export function readSettings(env: Environment, flags: { baseUrl?: string }): Settings {
  const userFile = join(folderOf(env, 'XDG_CONFIG_HOME', '.config'), 'config.json')
  const found = readUserFile(userFile)
  const address = findBaseUrl(env, flags, found.kind === 'read' ? found.kept : {})
  return {
    get key() {
      return findKey(env, found, userFile)
    },
    get baseUrl() {
      return readBaseUrl(address.text, address.from)
    },
    baseUrlFrom: address.from,
    userFile,
    stateFolder: join(folderOf(env, 'XDG_STATE_HOME', '.local/state'), 'lists'),
  }
}

export function getKey({ key }: Settings): Key {
  if (key !== undefined) return key
  throw new Refusal(
    'auth',
    'There is no API key: set PROBITY_API_KEY, or keep one with probity login.',
    'probity login',
  )
}

/** A key as it was pasted or piped in. No message shows any of it. */
export function readKey(text: string, from: string): Key {
  const key = text.trim()
  if (!isWellFormedKey(key)) {
    throw new Refusal('auth', `What is in ${from} is not a whole API key: one begins with pb_live_ or pb_test_.`)
  }
  return { text: key, hint: hintOf(key), mode: key.startsWith('pb_test_') ? 'test' : 'live', from }
}

function findKey(env: Environment, found: FoundFile, userFile: string): Key | undefined {
  if (env['PROBITY_API_KEY']) return readKey(env['PROBITY_API_KEY'], 'PROBITY_API_KEY')
  const file = env['PROBITY_API_KEY_FILE']
  if (file) return readKey(readKeyFile(file), 'the file that PROBITY_API_KEY_FILE names')
  if (found.kind === 'unusable') throw found.refusal
  return found.kept.api_key === undefined ? undefined : readKey(found.kept.api_key, userFile)
}

function findBaseUrl(env: Environment, { baseUrl }: { baseUrl?: string }, kept: UserFile) {
  if (baseUrl !== undefined) return { text: baseUrl, from: '--base-url' }
  if (env['PROBITY_BASE_URL']) return { text: env['PROBITY_BASE_URL'], from: 'PROBITY_BASE_URL' }
  if (kept.base_url !== undefined) return { text: kept.base_url, from: 'probity login' }
  return { text: BASE_URL, from: 'the default' }
}

function readBaseUrl(text: string, from: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return text
  throw new Refusal('usage', `${from} is not an address such as https://probity.example.com.`)
}

function readKeyFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new Refusal('auth', `The file that PROBITY_API_KEY_FILE names cannot be read (${codeOf(error)}).`)
  }
}

type FoundFile = { kind: 'read'; kept: UserFile } | { kind: 'unusable'; refusal: Refusal }

function readUserFile(path: string): FoundFile {
  try {
    const text = readFileSync(path, 'utf8')
    // As ssh does with its keys: what others can read is no secret any more.
    if ((statSync(path).mode & 0o077) === 0) return { kind: 'read', kept: readKept(JSON.parse(text)) }
    const refusal = new Refusal('auth', `Others can read ${path}, which holds a key.`, `chmod 600 ${path}`)
    return { kind: 'unusable', refusal }
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return { kind: 'read', kept: {} }
    return { kind: 'unusable', refusal: new Refusal('auth', `${path} cannot be read.`, 'probity login') }
  }
}

function readKept(kept: unknown): UserFile {
  const { api_key, base_url } = (kept ?? {}) as Record<string, unknown>
  return {
    ...(typeof api_key === 'string' && { api_key }),
    ...(typeof base_url === 'string' && { base_url }),
  }
}

/** XDG Base Directory Specification: a relative path is to be ignored. */
function folderOf(env: Environment, variable: string, below: string): string {
  const named = env[variable]
  return join(named?.startsWith('/') ? named : join(env['HOME'] || homedir(), below), 'probity')
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
}
