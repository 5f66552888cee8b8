import type { MailHost } from '../domain/mail-hosts.ts'
import type { Said } from './answer.ts'
import type { Habits } from './habits.ts'
import type { Offers } from './offers.ts'
import type { Lease } from './pace.ts'
import type { Wire } from './wire.ts'

/** Who is asked: the mail hosts of one operator, in the order of their preference. */
export type Site = {
  /** The provider's id, or one name for the set of hosts where we do not know who runs them. */
  key: string
  provider: string
  hosts: MailHost[]
  habits: Habits
}

/** An open connection that recipients can be asked on, and what has been asked on it so far. */
export type Line = {
  site: Site
  host: string
  /** The name of the destination's limits, where it has limits besides those of the site. */
  destination: string | null
  wire: Wire
  lease: Lease
  offers: Offers
  /** What the server said first. */
  greeting: Said
  /** On the clock of `performance.now()`. */
  openedAt: number
  /** Recipients asked and refused on it, whichever their domain. */
  asked: number
  refused: number
  transactions: number
  /** The transaction that stands open, if one does. */
  transaction: { recipients: number; utf8: boolean; domain: string } | null
  /** How many recipients may be in flight: first one, then three, then ten. */
  stride: number
  /** Refused recipients that the server was seen to bear. */
  errorsMax: number
  /** Recipients per transaction that the server was seen to take. */
  recipientsMax: number
  /** How long the quickest answer took and the slowest refusal, in milliseconds: what grows much slower is meant to be. */
  quickestMs: number
  slowestRefusalMs: number
  secure: boolean
}

/** Hosts of unknown operators are one site where they are the same hosts, whatever the domain (and its order of preference). */
export function siteKey(provider: string, hosts: MailHost[]): string {
  return provider === ''
    ? hosts
        .map(({ name }) => name)
        .toSorted()
        .join(',')
    : provider
}
