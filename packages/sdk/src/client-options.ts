import { ProbityError } from './http/errors.ts'

export type ProbityOptions = {
  /** API key. Default: the environment variable PROBITY_API_KEY. */
  apiKey?: string | undefined
  /** URL of the service, for example `https://probity.example.com`. Default: PROBITY_BASE_URL, else `http://localhost:3000`. */
  baseUrl?: string | undefined
  /** Maximum duration of one attempt in milliseconds. Default: 75,000. */
  timeoutMs?: number | undefined
  /** Maximum number of retries of a failed call, 0 to 10. Default: 2. */
  maxRetries?: number | undefined
  /** Headers that are added to every request. */
  headers?: Record<string, string> | undefined
  /** Replaces the platform's `fetch`. */
  fetch?: typeof fetch | undefined
  /** Allows a secret key (`pb_live_…`, `pb_test_…`) in a browser, where every visitor of the page can read it. Default: false. */
  allowSecretKeyInBrowser?: boolean | undefined
  /** Called before every attempt. If it throws, the call rejects with that error. */
  onRequest?: ((request: AttemptInfo) => void) | undefined
  /** Called after every attempt, with the response or the error. If it throws, the call rejects with that error. */
  onResponse?: ((response: AttemptResult) => void) | undefined
}

/** One attempt of a call, for `onRequest`. */
export type AttemptInfo = {
  method: string
  /** The URL with its query, which may contain email addresses. */
  url: string
  /** Request headers without the API key. */
  headers: Headers
  /** 1 for the first attempt. */
  attempt: number
}

/** The result of an attempt, for `onResponse`. Either `status` or `error` is defined. */
export type AttemptResult = AttemptInfo & {
  durationMs: number
  status: number | undefined
  responseHeaders: Headers | undefined
  requestId: string | undefined
  /** Why there is no response. */
  error: unknown
}

export type ClientConfig = {
  apiKey: string
  /** Ends with /api/v1. */
  apiUrl: string
  fetch: typeof fetch
  timeoutMs: number
  maxRetries: number
  headers: Record<string, string>
  onRequest: ProbityOptions['onRequest']
  onResponse: ProbityOptions['onResponse']
}

/** Where `pnpm dev` of the service listens. */
const LOCAL_URL = 'http://localhost:3000'
/** Longer than the longest processing time of the service, 60 seconds for a bulk validation. */
const TIMEOUT_MS = 75_000
/** Limit of JavaScript timers. */
const TIMEOUT_MS_MAX = 2_147_483_647
const MAX_RETRIES = 2
const MAX_RETRIES_LIMIT = 10

export function readClientOptions(options: ProbityOptions): ClientConfig {
  const { timeoutMs = TIMEOUT_MS, maxRetries = MAX_RETRIES, headers = {}, onRequest, onResponse } = options
  const apiKey = readApiKey(options.apiKey ?? findEnvironmentVariable('PROBITY_API_KEY'))
  if (isSecretKey(apiKey) && isBrowser() && !options.allowSecretKeyInBrowser) {
    throw new ProbityError(
      'A secret key must not be used in a browser, where every visitor can read it. Use a publishable key (pb_pub_…), or set allowSecretKeyInBrowser if the page is not public.',
    )
  }
  const baseUrl = options.baseUrl ?? findEnvironmentVariable('PROBITY_BASE_URL')
  if (baseUrl === undefined && apiKey.startsWith('pb_live_')) warnAboutLocalUrl()
  const platformFetch: typeof fetch = (...args) => globalThis.fetch(...args)
  return {
    apiKey,
    apiUrl: readUrl(baseUrl ?? LOCAL_URL),
    fetch: options.fetch ?? platformFetch,
    timeoutMs: checkTimeout(timeoutMs),
    maxRetries: checkMaxRetries(maxRetries),
    headers,
    onRequest,
    onResponse,
  }
}

function isSecretKey(apiKey: string): boolean {
  return apiKey.startsWith('pb_live_') || apiKey.startsWith('pb_test_')
}

let hasWarned = false

function warnAboutLocalUrl(): void {
  if (hasWarned) return
  hasWarned = true
  console.warn(`probity: a live API key is used without baseUrl. Requests are sent to ${LOCAL_URL}.`)
}

/** Platforms reject other characters in a header, with an error that shows the key. */
function readApiKey(text: string | undefined): string {
  const apiKey = text?.trim()
  if (!apiKey) throw new ProbityError('The API key is missing: pass apiKey, or set PROBITY_API_KEY.')
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new ProbityError('The API key contains an invalid character.')
  return apiKey
}

/** Accepts the URL with or without the version prefix and a trailing slash. */
function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  if (!isPlain) throw new ProbityError('baseUrl is not a URL such as https://probity.example.com.')
  const path = url.pathname.replace(/(?<!\/)\/+$/, '').replace(/\/api\/v1$/, '')
  return `${url.origin}${path}/api/v1`
}

export function checkTimeout(timeoutMs: number): number {
  return checkInteger('timeoutMs', timeoutMs, { min: 1, max: TIMEOUT_MS_MAX })
}

export function checkMaxRetries(maxRetries: number): number {
  return checkInteger('maxRetries', maxRetries, { min: 0, max: MAX_RETRIES_LIMIT })
}

export function checkInteger(name: string, value: number, { min, max }: { min: number; max: number }): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value
  throw new ProbityError(`${name} must be an integer from ${min} to ${max}.`)
}

/** Version of this package; a test compares it with package.json. */
export const VERSION = '0.1.0'

type Globals = {
  process?: { env?: Record<string, string | undefined>; versions?: Record<string, string | undefined> }
  Deno?: { version?: { deno?: string } }
  Bun?: { version?: string }
}

const globals = globalThis as Globals

/** Whether the code runs in a web page or a web worker. */
export function isBrowser(): boolean {
  return 'document' in globalThis || 'importScripts' in globalThis
}

/** An environment variable; undefined on platforms without environment, and where Deno denies access. */
function findEnvironmentVariable(name: string): string | undefined {
  try {
    return globals.process?.env?.[name] || undefined
  } catch {
    return undefined
  }
}

/** Value of `X-Probity-Client`, for example `js/1.2.0 (node 24.1.0)`. */
export function describeClient(): string {
  return `js/${VERSION} (${describeRuntime()})`
}

function describeRuntime(): string {
  if (isBrowser()) return 'browser'
  // Deno and Bun also define `process.versions.node`.
  const { Deno, Bun, process } = globals
  if (Deno?.version?.deno !== undefined) return `deno ${Deno.version.deno}`
  if (Bun?.version !== undefined) return `bun ${Bun.version}`
  if (process?.versions?.['node'] !== undefined) return `node ${process.versions['node']}`
  return 'unknown'
}
