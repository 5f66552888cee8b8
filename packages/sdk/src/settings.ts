import { ProbityError } from './errors.ts'

export type ProbityOptions = {
  /** Where there is `process.env`, PROBITY_API_KEY is taken if this is left out. */
  apiKey?: string | undefined
  /** The address of the service, as `https://probity.example.com`. PROBITY_BASE_URL if left out, else `http://localhost:3000`. */
  baseUrl?: string | undefined
  /** Used instead of the platform's own. */
  fetch?: typeof fetch | undefined
  /** How long one try may take, in milliseconds; 60,000 if left out. */
  timeoutMs?: number | undefined
  /** How often a call that failed is tried again, where that is safe; 2 if left out. */
  retries?: number | undefined
}

export type Settings = {
  apiKey: string
  /** Ends with /api/v1. */
  apiUrl: string
  fetch: typeof fetch
  timeoutMs: number
  retries: number
}

/** Where `pnpm dev` of the service listens. */
const BASE_URL = 'http://localhost:3000'
/** Twice what the service itself takes at most to answer, 30 seconds. */
const TIMEOUT_MS = 60_000
/** What a timer of JavaScript can hold. */
const TIMEOUT_MS_MAX = 2_147_483_647
const RETRIES = 2
const RETRIES_MAX = 10

export function readSettings(options: ProbityOptions): Settings {
  const { timeoutMs = TIMEOUT_MS, retries = RETRIES } = options
  const platformFetch: typeof fetch = (...args) => globalThis.fetch(...args)
  return {
    apiKey: readKey(options.apiKey ?? fromEnvironment('PROBITY_API_KEY')),
    apiUrl: readUrl(options.baseUrl ?? fromEnvironment('PROBITY_BASE_URL') ?? BASE_URL),
    fetch: options.fetch ?? platformFetch,
    timeoutMs: readTimeout(timeoutMs),
    retries: within('retries', retries, 0, RETRIES_MAX),
  }
}

/** A header with anything else in it is refused by the platform, with an error that shows the key. */
function readKey(key: string | undefined): string {
  if (key === undefined || key.trim() === '') {
    throw new ProbityError('There is no API key: pass apiKey, or set PROBITY_API_KEY.')
  }
  if (!/^[\x21-\x7e]+$/.test(key.trim())) throw new ProbityError('The API key has a character that no key has.')
  return key.trim()
}

/** With or without the prefix of the version, and with or without a slash at the end. */
function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  if (!isPlain) throw new ProbityError('baseUrl is not an address such as https://probity.example.com.')
  const path = url.pathname.replace(/\/+$/, '').replace(/\/api\/v1$/, '')
  return `${url.origin}${path}/api/v1`
}

export function readTimeout(timeoutMs: number): number {
  return within('timeoutMs', timeoutMs, 1, TIMEOUT_MS_MAX)
}

function within(name: string, value: number, min: number, max: number): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value
  throw new ProbityError(`${name} must be a whole number from ${min} to ${max}.`)
}

function fromEnvironment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  try {
    return process?.env?.[name] || undefined
  } catch {
    return undefined // Deno was told not to show its environment
  }
}
