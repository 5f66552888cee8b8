import type { KeyScope } from '@probity/contract/keys'
import { RequestFailed } from '../../api/ask.ts'
import { asRequestFailed } from '../../api/probity.ts'
import type { Key } from '../../keys/keys-query.ts'
import { formatDate } from '../../ui/format.ts'
import { PRESETS, type Preset } from '../../words/scopes.ts'

export type Expiry = 'keep' | 'none' | '30' | '90' | '365' | 'date'

/** What can be typed about the limits of a key. The names are those of the API where there is one, so that its complaints find them. */
export type LimitValues = { expiry: Expiry; expires_at: string; ip_allow_list: string; monthly_cap: string }
export type KeyValues = LimitValues & { name: string; mode: 'live' | 'test'; preset: Preset; scopes: KeyScope[] }

export const NO_LIMITS: LimitValues = { expiry: 'none', expires_at: '', ip_allow_list: '', monthly_cap: '' }

export function limitsOf({ ip_allow_list: ips, monthly_cap: cap }: Key): LimitValues {
  return { expiry: 'keep', expires_at: '', ip_allow_list: ips.join('\n'), monthly_cap: cap === null ? '' : String(cap) }
}

export function expiryWord({ expires_at: at }: Key): string {
  return at === null ? 'never ends' : `ends on ${formatDate(at)}`
}

export function scopesOf({ preset, scopes }: KeyValues, held: readonly KeyScope[]): KeyScope[] {
  return preset === 'custom' ? scopes : PRESETS[preset].scopes.filter((scope) => held.includes(scope))
}

const DAY_MS = 86_400_000

/** As the client library takes it. What is kept as it is stays out. */
export function readLimits({ expiry, expires_at: date, ip_allow_list: ips, monthly_cap: cap }: LimitValues) {
  return {
    ...(expiry !== 'keep' && { expiresAt: readExpiry(expiry, date) }),
    ipAllowList: ips.split(/[\s,]+/).filter((line) => line !== ''),
    monthlyCap: cap.trim() === '' ? null : Number(cap),
  }
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
