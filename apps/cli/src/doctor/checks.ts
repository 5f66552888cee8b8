import type { Account } from '@probity/sdk'
import { CliError, type ExitName } from '../cli-error.ts'
import { findExit } from '../exit-code.ts'
import { formatCount } from '../output/numbers.ts'
import { openClient, type Run } from '../run.ts'
import { findLatestVersion, reachService, readCertificate } from './network.ts'

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
  const service = await reachService(settings.baseUrl, signal)
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
