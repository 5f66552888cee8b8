import type { Static, TObject } from 'typebox'
import type { ABUSE_SETTINGS, SIGN_UP } from './connection-settings.ts'

export type AbuseLimits = {
  /** Addresses of one domain that an account without payments may validate per UTC day. */
  domainAddresses: number
}

type Settings = Static<TObject<typeof ABUSE_SETTINGS & { SIGN_UP: typeof SIGN_UP }>>

/** The abuse limits, or undefined where they are off. By default they apply where sign-up is open. */
export function readAbuseLimits(settings: Settings): AbuseLimits | undefined {
  const { ABUSE_LIMITS: wanted, SIGN_UP: signUp, ABUSE_DOMAIN_ADDRESSES: domainAddresses } = settings
  const isOn = wanted === 'true' || (wanted === 'auto' && signUp === 'open')
  return isOn ? { domainAddresses } : undefined
}
