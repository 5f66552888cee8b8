import type { Account } from '@probity/sdk'
import { findExit } from '../exit-code.ts'
import { formatCount } from '../output/numbers.ts'
import { Refusal } from '../refusal.ts'
import { openClient, type Run } from '../run.ts'
import type { Key } from '../settings.ts'
import type { Finding } from './finding.ts'
import { reach } from './reach.ts'
import { lookAtTls } from './tls.ts'

/** The oldest Node on which this is tested. */
const NODE_MAJOR = 24
/** Signatures of webhooks are refused beyond five minutes; a minute is worth a word. */
const CLOCK_OFF_MAX_MS = 60_000
const PROXY_VARIABLES = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'NO_PROXY']

/** Looks at everything on this side, from what is nearest to what is farthest; what hangs on something broken is left out. */
export async function examine(run: Run, version: string): Promise<Finding[]> {
  const { settings, signal } = run
  const key = findKey(run)
  const near = [findVersion(version), key, findProxy(run)]
  const service = await reach(settings.baseUrl, signal)
  const where: Finding = { what: 'address', state: 'fine', detail: `${settings.baseUrl} (${settings.baseUrlFrom})` }
  if (service.kind === 'unreachable') {
    const detail = `${settings.baseUrl} cannot be reached (${service.cause})`
    return [...near, where, { what: 'service', state: 'wrong', detail, exit: 'network', next: 'probity --help' }]
  }
  const answer: Finding = { what: 'service', state: 'fine', detail: `answers in ${service.ms} ms` }
  const far = [answer, await lookAtTls(settings.baseUrl), judgeClock(service.clockOffMs)]
  return [...near, where, ...far, ...(key.state === 'fine' ? await findAccount(run) : [])]
}

function findVersion(version: string): Finding {
  const node = process.versions.node
  const isOld = Number.parseInt(node, 10) < NODE_MAJOR
  return { what: 'version', state: isOld ? 'note' : 'fine', detail: `probity ${version}, Node ${node}` }
}

function findKey({ settings }: Run): Finding {
  const wrong = { what: 'key', state: 'wrong', exit: 'auth', next: 'probity login' } as const
  try {
    const { key } = settings
    return key === undefined ? { ...wrong, detail: 'there is none' } : describeKey(key)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { ...wrong, detail: error.message, ...(error.next !== undefined && { next: error.next }) }
  }
}

function describeKey(key: Key): Finding {
  return { what: 'key', state: 'fine', detail: `${key.hint}, ${key.mode} mode, from ${key.from}` }
}

/** Node's fetch goes by these only when it is told to, which surprises those behind a proxy. */
function findProxy({ env }: Run): Finding {
  const set = PROXY_VARIABLES.filter((name) => env[name] || env[name.toLowerCase()])
  const isUsed = env['NODE_USE_ENV_PROXY'] === '1'
  if (set.length === 0) return { what: 'proxy', state: 'fine', detail: 'none is set' }
  if (isUsed) return { what: 'proxy', state: 'fine', detail: `${set.join(', ')}: used` }
  return { what: 'proxy', state: 'note', detail: `${set.join(', ')}: not used without NODE_USE_ENV_PROXY=1` }
}

function judgeClock(offMs: number | undefined): Finding {
  if (offMs === undefined) return { what: 'clock', state: 'note', detail: 'the service does not say what time it is' }
  const seconds = Math.round(Math.abs(offMs) / 1_000)
  const isOff = Math.abs(offMs) > CLOCK_OFF_MAX_MS
  return {
    what: 'clock',
    state: isOff ? 'note' : 'fine',
    detail: isOff
      ? `${formatCount(seconds)} s ${offMs > 0 ? 'ahead of' : 'behind'} the service`
      : 'agrees with the service',
  }
}

async function findAccount(run: Run): Promise<Finding[]> {
  try {
    const account = await (await openClient(run)).account.get({ signal: run.signal })
    if (account.key?.scopes !== undefined) return presentAccount(account, account.key)
    return [{ what: 'account', state: 'wrong', detail: 'what answers there is not this service', exit: 'network' }]
  } catch (error) {
    const exit = findExit(error)
    if (exit === undefined || !(error instanceof Error)) throw error
    const code = 'code' in error ? String(error.code) : exit
    if (code === 'missing_scope' || code === 'key_type_not_allowed') {
      return [{ what: 'account', state: 'note', detail: 'the key works, and lacks the scope account:read' }]
    }
    return [
      { what: 'account', state: 'wrong', detail: `the service refuses the key (${code})`, exit, next: 'probity login' },
    ]
  }
}

function presentAccount({ name, plan, credits, limits }: Account, key: NonNullable<Account['key']>): Finding[] {
  const balance = credits.unlimited ? 'unlimited credits' : `${formatCount(credits.available)} credits`
  const mayNot = key.livemode && !plan.api_access
  return [
    {
      what: 'account',
      state: mayNot ? 'note' : 'fine',
      detail: `${name}, plan ${plan.name}, ${balance}${mayNot ? '; live keys may not use the API' : ''}`,
    },
    { what: 'scopes', state: 'fine', detail: key.scopes.join(', ') },
    {
      what: 'limits',
      state: 'fine',
      detail: `${formatCount(limits.requests_per_window)} requests in ${limits.window_s} s, ${formatCount(limits.emails_per_file)} addresses in a file`,
    },
  ]
}
