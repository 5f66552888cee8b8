import { connect } from 'node:tls'
import type { Account } from '@probity/sdk'
import { CliError, type ExitName } from './cli-error.ts'
import { findExit } from './output/explain.ts'
import { formatCount } from './output/format.ts'
import { openClient, type Run } from './run.ts'

/** The outcome of one check. One that failed has an exit code and the command to type next. */
export type Finding = {
  check: string
  status: 'pass' | 'warn' | 'fail'
  detail: string
  exit?: ExitName
  next?: string
}

/** The oldest version of Node on which the package is tested. */
const NODE_MAJOR_MIN = 20
/** Webhook signatures are rejected from five minutes. */
const CLOCK_OFFSET_MAX_MS = 60_000
/** Certificates are usually renewed 30 days before they expire. */
const CERTIFICATE_DAYS_MIN = 14
const PROXY_VARIABLES = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'NO_PROXY']
const REGISTRY = 'https://registry.npmjs.org/'

/** Runs all checks. Checks that depend on a failed one are skipped. */
export async function runChecks(run: Run, version: string): Promise<Finding[]> {
  const { settings, signal } = run
  const key = checkKey(run)
  const local = [await checkVersion(run, version), key, checkProxy(run)]
  const service = await checkService(settings.baseUrl, signal)
  const url: Finding = { check: 'base URL', status: 'pass', detail: `${settings.baseUrl} (${settings.baseUrlFrom})` }
  if (service.kind === 'unreachable') {
    const detail = `${settings.baseUrl} is unreachable (${service.cause})`
    return [...local, url, { check: 'service', status: 'fail', detail, exit: 'network', next: 'probity config list' }]
  }
  const reached: Finding = { check: 'service', status: 'pass', detail: `responded in ${service.ms} ms` }
  const remote = [reached, await checkTls(settings.baseUrl), checkClock(service.clockOffsetMs)]
  return [...local, url, ...remote, ...(key.status === 'pass' ? await checkAccount(run) : [])]
}

async function checkVersion({ env, signal }: Run, version: string): Promise<Finding> {
  const node = process.versions.node
  const latest = await findLatestVersion(env['npm_config_registry'] || REGISTRY, signal)
  const detail = `probity ${version}, Node ${node}`
  if (latest?.localeCompare(version, 'en', { numeric: true }) === 1) {
    return {
      check: 'version',
      status: 'warn',
      detail: `${detail}; ${latest} is available: npm install -g @probity/cli`,
    }
  }
  return { check: 'version', status: Number.parseInt(node, 10) < NODE_MAJOR_MIN ? 'warn' : 'pass', detail }
}

function checkKey({ settings }: Run): Finding {
  const failed = { check: 'key', status: 'fail', exit: 'auth', next: 'probity login' } as const
  try {
    const { key } = settings
    if (key === undefined) return { ...failed, detail: 'not set' }
    return { check: 'key', status: 'pass', detail: `${key.hint}, ${key.mode} mode, from ${key.from}` }
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    return { ...failed, detail: error.message, ...(error.next !== undefined && { next: error.next }) }
  }
}

/** Node's fetch uses these variables only with NODE_USE_ENV_PROXY. */
function checkProxy({ env }: Run): Finding {
  const set = PROXY_VARIABLES.filter((name) => env[name] || env[name.toLowerCase()])
  if (set.length === 0) return { check: 'proxy', status: 'pass', detail: 'not set' }
  if (env['NODE_USE_ENV_PROXY'] === '1') return { check: 'proxy', status: 'pass', detail: `${set.join(', ')}: used` }
  return { check: 'proxy', status: 'warn', detail: `${set.join(', ')}: not used without NODE_USE_ENV_PROXY=1` }
}

async function checkTls(baseUrl: string): Promise<Finding> {
  const { protocol, hostname, port } = new URL(baseUrl)
  if (protocol === 'http:') {
    const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
    return isLocal
      ? { check: 'TLS', status: 'pass', detail: 'not used; the service is on this machine' }
      : { check: 'TLS', status: 'warn', detail: 'not used: the key and all addresses are sent unencrypted' }
  }
  const certificate = await readCertificate(hostname, port === '' ? 443 : Number(port))
  if (certificate.kind === 'failed') return { check: 'TLS', status: 'fail', detail: certificate.cause, exit: 'network' }
  const { protocol: version, daysLeft } = certificate
  const status = daysLeft < CERTIFICATE_DAYS_MIN ? 'warn' : 'pass'
  return { check: 'TLS', status, detail: `${version}, the certificate expires in ${daysLeft} days` }
}

function checkClock(offsetMs: number | undefined): Finding {
  if (offsetMs === undefined) return { check: 'clock', status: 'warn', detail: 'the response has no Date header' }
  if (Math.abs(offsetMs) <= CLOCK_OFFSET_MAX_MS)
    return { check: 'clock', status: 'pass', detail: 'in sync with the service' }
  const seconds = formatCount(Math.round(Math.abs(offsetMs) / 1_000))
  return { check: 'clock', status: 'warn', detail: `${seconds} s ${offsetMs > 0 ? 'ahead of' : 'behind'} the service` }
}

async function checkAccount(run: Run): Promise<Finding[]> {
  try {
    const account = await (await openClient(run)).account.get({ signal: run.signal })
    // Another server may respond with any JSON.
    if (account.key?.scopes !== undefined) return presentAccount(account, account.key)
    return [{ check: 'account', status: 'fail', detail: 'the response is not from a Probity service', exit: 'network' }]
  } catch (error) {
    const exit = findExit(error)
    if (exit === undefined || !(error instanceof Error)) throw error
    const code = 'code' in error ? String(error.code) : exit
    if (code === 'missing_scope' || code === 'key_type_not_allowed') {
      return [{ check: 'account', status: 'warn', detail: 'the key works and lacks the scope account:read' }]
    }
    const detail = `the service rejected the key (${code})`
    return [{ check: 'account', status: 'fail', detail, exit, next: 'probity login' }]
  }
}

function presentAccount({ name, plan, credits, limits }: Account, key: NonNullable<Account['key']>): Finding[] {
  const balance = credits.unlimited ? 'unlimited credits' : `${formatCount(credits.available)} credits`
  const isRejected = key.livemode && !plan.api_access
  const requests = `${formatCount(limits.requests_per_window)} requests per ${limits.window_s} s`
  return [
    {
      check: 'account',
      status: isRejected ? 'warn' : 'pass',
      detail: `${name}, plan ${plan.name}, ${balance}${isRejected ? '; the plan does not include the API' : ''}`,
    },
    { check: 'scopes', status: 'pass', detail: key.scopes.join(', ') },
    {
      check: 'limits',
      status: 'pass',
      detail: `${requests}, ${formatCount(limits.emails_per_file)} addresses per file`,
    },
  ]
}

const TIMEOUT_MS = 10_000

export type Reachability =
  | { kind: 'reachable'; ms: number; clockOffsetMs: number | undefined }
  | { kind: 'unreachable'; cause: string }

/** Requests /livez, which needs no key, and compares the clocks. */
export async function checkService(baseUrl: string, signal: AbortSignal): Promise<Reachability> {
  const startedAt = performance.now()
  try {
    const options = { signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]), redirect: 'manual' } as const
    const response = await fetch(new URL('/livez', baseUrl), options)
    const ms = Math.round(performance.now() - startedAt)
    await response.body?.cancel()
    if (!response.ok) return { kind: 'unreachable', cause: `status ${response.status}` }
    return { kind: 'reachable', ms, clockOffsetMs: clockOffset(response.headers.get('date'), ms) }
  } catch (error) {
    signal.throwIfAborted()
    return { kind: 'unreachable', cause: causeOf(error) }
  }
}

/** The header has whole seconds: half a second is added on average. */
function clockOffset(date: string | null, durationMs: number): number | undefined {
  const serverMs = Date.parse(date ?? '')
  return Number.isNaN(serverMs) ? undefined : Date.now() - durationMs / 2 - (serverMs + 500)
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  if (error.name === 'TimeoutError') return `no response in ${TIMEOUT_MS / 1_000} s`
  const { code, message } = (error.cause instanceof Error ? error.cause : error) as NodeJS.ErrnoException
  return code ?? message
}

export type Certificate = { kind: 'valid'; protocol: string; daysLeft: number } | { kind: 'failed'; cause: string }

const DAY_MS = 24 * 60 * 60 * 1_000

export function readCertificate(host: string, port: number): Promise<Certificate> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, servername: host, timeout: TIMEOUT_MS })
    const end = (certificate: Certificate) => {
      socket.destroy()
      resolve(certificate)
    }
    socket.once('error', (error: NodeJS.ErrnoException) => end({ kind: 'failed', cause: error.code ?? error.message }))
    socket.once('timeout', () => end({ kind: 'failed', cause: 'no response in time' }))
    socket.once('secureConnect', () => {
      const daysLeft = Math.floor((Date.parse(socket.getPeerCertificate().valid_to) - Date.now()) / DAY_MS)
      end({ kind: 'valid', protocol: socket.getProtocol() ?? 'TLS', daysLeft })
    })
  })
}

const REGISTRY_TIMEOUT_MS = 2_000

/** The version that npm would install; undefined if the registry does not respond in time or does not have the package. */
export async function findLatestVersion(registry: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const url = new URL('@probity%2fcli/latest', registry.endsWith('/') ? registry : `${registry}/`)
    const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(REGISTRY_TIMEOUT_MS)]) })
    const body = response.ok ? ((await response.json()) as { version?: unknown }) : {}
    return typeof body.version === 'string' ? body.version : undefined
  } catch {
    signal.throwIfAborted()
    return undefined
  }
}
