import type { MailHost } from '../domain/mail-hosts.ts'
import type { DestinationNetwork } from './destination.ts'
import type { Lines } from './lines.ts'
import type { LineNetwork } from './open-line.ts'
import type { Pace } from './pace.ts'
import type { Stage } from './reply.ts'

/** A recipient as it goes between the angle brackets. For one that does without, nobody asks whether the domain accepts everything. */
export type Recipient = { path: string; needsUtf8: boolean; doesWithoutControl?: boolean }

/** Up to a hundred addresses of one domain, and where its mail goes. */
export type Question = {
  /** In A-labels. */
  domain: string
  hosts: MailHost[]
  /** The id of who runs the hosts; `''` when unknown. */
  provider: string
  recipients: Recipient[]
  /** On the clock of `performance.now()`. Whatever happens, there is an answer by then. */
  deadline: number
}

/** A reply that no rule knows, in a form that says nothing of anybody. */
export type Unrecognised = { provider: string; stage: Stage; code: number; text: string }

/** A reply to a recipient, or one that ended the conversation before there was any. */
export type HeardReply = { provider: string; stage: Stage | 'control'; code: number; enhanced: string | null }

/** All that is needed to ask. */
export type MailNetwork = LineNetwork &
  DestinationNetwork & {
    pace: Pace
    lines: Lines
    /** Whether mail servers can be reached by this way out. Where they cannot, nobody is dialled, and what is known already still counts. */
    isOpen?(): boolean
    noteUnrecognised?(reply: Unrecognised): void
    noteReply?(reply: HeardReply): void
  }
