import type { KeyScope } from '@probity/contract/keys'
import { VISITOR_CAP_DEFAULT } from '@probity/contract/publishable'
import { RequestFailed } from '../../api/ask.ts'
import { asRequestFailed } from '../../api/probity.ts'
import type { Key } from '../../keys/keys-query.ts'
import { formatDate } from '../../ui/format.ts'
import { PRESETS, type Preset } from '../../words/scopes.ts'

export type Expiry = 'keep' | 'none' | '30' | '90' | '365' | 'date'

/** What can be typed about the limits of a key. The names are those of the API where there is one, so that its complaints find them. */
export type LimitValues = {
  expiry: Expiry
  expires_at: string
  ip_allow_list: string
  monthly_cap: string
  /** Of a publishable key, which has no network addresses instead. */
  allowed_origins: string
  visitor_cap: string
}
export type KeyType = Key['type']
export type KeyValues = LimitValues & {
  name: string
  type: KeyType
  mode: 'live' | 'test'
  preset: Preset
  scopes: KeyScope[]
}

export const NO_LIMITS: LimitValues = {
  expiry: 'none',
  expires_at: '',
  ip_allow_list: '',
  monthly_cap: '',
  allowed_origins: '',
  visitor_cap: String(VISITOR_CAP_DEFAULT),
}

export function limitsOf(key: Key): LimitValues {
  const { ip_allow_list: ips, monthly_cap: cap, allowed_origins: origins, visitor_cap: visits } = key
  return {
    expiry: 'keep',
    expires_at: '',
    ip_allow_list: ips.join('\n'),
    monthly_cap: cap === null ? '' : String(cap),
    allowed_origins: origins.join('\n'),
    visitor_cap: String(visits ?? VISITOR_CAP_DEFAULT),
  }
}

export function expiryWord({ expires_at: at }: Key): string {
  return at === null ? 'never ends' : `ends on ${formatDate(at)}`
}

export function scopesOf({ preset, scopes }: KeyValues, held: readonly KeyScope[]): KeyScope[] {
  return preset === 'custom' ? scopes : PRESETS[preset].scopes.filter((scope) => held.includes(scope))
}

const DAY_MS = 86_400_000

/** As the client library takes it. What is kept as it is stays out. */
export function readLimits(values: LimitValues, type: KeyType) {
  const { expiry, expires_at: date, monthly_cap: cap } = values
  return {
    ...(expiry !== 'keep' && { expiresAt: readExpiry(expiry, date) }),
    monthlyCap: cap.trim() === '' ? null : Number(cap),
    ...(type === 'publishable'
      ? { allowedOrigins: readLines(values.allowed_origins), visitorCap: Number(values.visitor_cap) }
      : { ipAllowList: readLines(values.ip_allow_list) }),
  }
}

export function readLines(text: string): string[] {
  return text.split(/[\s,]+/).filter((line) => line !== '')
}

function readExpiry(expiry: Exclude<Expiry, 'keep'>, date: string): Date | null {
  if (expiry === 'none') return null
  // The chosen day is the last one, where the person is.
  if (expiry === 'date') return new Date(`${date}T23:59:59`)
  return new Date(Date.now() + Number(expiry) * DAY_MS)
}

/** The service points at one line of a list; the form has one field for all of them. */
export async function pointingAtFields<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const failed = asRequestFailed(error)
    const fields = failed.fields.map(({ pointer, detail }) => {
      const [, name = '', line] = /^\/([^/]+)(?:\/(\d+))?/.exec(pointer) ?? []
      return { pointer: `/${name}`, detail: line === undefined ? detail : `${detail} (line ${Number(line) + 1})` }
    })
    const { status, code, message, requestId } = failed
    throw new RequestFailed({ status, code, message, fields, ...(requestId && { requestId }) })
  }
}
