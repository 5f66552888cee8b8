import {
  type KeyScope,
  PUBLISHABLE_MONTHLY_CAP_DEFAULT,
  PUBLISHABLE_POLICY,
  VISITOR_CAP_DEFAULT,
} from '@probity/contract/constants/keys'
import { PRESETS, type Preset } from '../../../labels/scopes.ts'
import { asRequestFailed, RequestFailed } from '../../../session/client.ts'
import { formatDate } from '../../../ui/format.ts'
import type { Key } from './keys-query.ts'

export type Expiry = 'keep' | 'none' | '30' | '90' | '365' | 'date'

/** Form values of the key limits. Names match the API fields, so that API errors point at them. */
export type LimitValues = {
  expiry: Expiry
  expires_at: string
  ip_allowlist: string
  monthly_cap: string
  /** Publishable keys only, which have no IP allowlist. */
  allowed_origins: string
  allowed_policies: string
  visitor_cap: string
}
export type KeyType = Key['type']

/** The monthly cap that a new key of this type has unless the user enters another. */
export const USUAL_CAPS: Record<KeyType, string> = { secret: '', publishable: String(PUBLISHABLE_MONTHLY_CAP_DEFAULT) }

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
  ip_allowlist: '',
  monthly_cap: '',
  allowed_origins: '',
  allowed_policies: PUBLISHABLE_POLICY,
  visitor_cap: String(VISITOR_CAP_DEFAULT),
}

export function limitsOf(key: Key): LimitValues {
  const { ip_allowlist: ips, monthly_cap: cap, allowed_origins: origins, allowed_policies: policies } = key
  return {
    expiry: 'keep',
    expires_at: '',
    ip_allowlist: ips.join('\n'),
    monthly_cap: cap === null ? '' : String(cap),
    allowed_origins: origins.join('\n'),
    allowed_policies: policies.join('\n'),
    visitor_cap: String(key.visitor_cap ?? VISITOR_CAP_DEFAULT),
  }
}

export function expiryWord({ expires_at: at }: Key): string {
  return at === null ? 'never' : formatDate(at)
}

export function scopesOf({ preset, scopes }: KeyValues, held: readonly KeyScope[]): KeyScope[] {
  return preset === 'custom' ? scopes : PRESETS[preset].scopes.filter((scope) => held.includes(scope))
}

const DAY_MS = 86_400_000

/** Limits as options of the SDK. Unchanged ones are omitted. */
export function readLimits(values: LimitValues, type: KeyType) {
  const { expiry, expires_at: date, monthly_cap: cap } = values
  return {
    ...(expiry !== 'keep' && { expiresAt: readExpiry(expiry, date) }),
    monthlyCap: cap.trim() === '' ? null : Number(cap),
    ...(type === 'publishable' ? readPageLimits(values) : { ipAllowlist: readLines(values.ip_allowlist) }),
  }
}

function readPageLimits({ allowed_origins: origins, allowed_policies: policies, visitor_cap: visits }: LimitValues) {
  return { allowedOrigins: readLines(origins), allowedPolicies: readLines(policies), visitorCap: Number(visits) }
}

export function readLines(text: string): string[] {
  return text.split(/[\s,]+/).filter((line) => line !== '')
}

function readExpiry(expiry: Exclude<Expiry, 'keep'>, date: string): Date | null {
  if (expiry === 'none') return null
  // The chosen date is the last day, in the time zone of the browser.
  if (expiry === 'date') return new Date(`${date}T23:59:59`)
  return new Date(Date.now() + Number(expiry) * DAY_MS)
}

/** The API points at one entry of an array; the form has one field for all entries. */
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
