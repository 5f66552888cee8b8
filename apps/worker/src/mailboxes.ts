import { createHash } from 'node:crypto'
import type { MailDns } from '@probity/engine/domain/resolver'
import type { AddressPolicy } from '@probity/engine/mailbox/address-policy'
import { type MailboxDesk, openMailboxDesk } from '@probity/engine/mailbox/desk'
import type { Egress } from '@probity/engine/mailbox/egress'
import { type HabitTable, habitsOf } from '@probity/engine/mailbox/habits'
import { openKnowledge } from '@probity/engine/mailbox/knowledge'
import { PATIENCE } from '@probity/engine/mailbox/open-line'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import { openFactsStore } from './facts-store.ts'
import { openPace } from './pace.ts'
import type { ReplyLog } from './reply-log.ts'

/** What is around a worker: the addresses it may dial and how those who live there want to be asked. */
export type Surroundings = { policy: AddressPolicy; habits: HabitTable }

/** The desks where mailboxes are asked about, one for each way out. */
export type Mailboxes = {
  /** The desk for an address: the one it was asked at before, or else always the same one for its domain. */
  deskFor(email: string, egress: string | null): { desk: MailboxDesk; egress: string } | undefined
  /** How many connections at once a provider bears from all our ways out. */
  connectionsMax(provider: string): number
  close(): Promise<void>
}

type Options = Surroundings & {
  egresses: Egress[]
  dns: MailDns
  redis: Redis
  prefix: string
  replies: ReplyLog
  log: Logger
}

export function openMailboxes(options: Options): Mailboxes {
  const { egresses, dns, redis, prefix, policy, habits, replies, log } = options
  const pace = openPace({ redis, prefix, log })
  const knowledge = openKnowledge(openFactsStore(redis, `${prefix}:learnt`))
  const desks = egresses.map((egress) => ({
    egress: egress.name,
    desk: openMailboxDesk({
      dns,
      policy,
      egress,
      habits,
      pace,
      knowledge,
      patience: PATIENCE,
      noteUnrecognised: (reply) => replies.note(reply),
    }),
  }))
  return {
    deskFor(email, egress) {
      const same = egress === null ? undefined : desks.find((entry) => entry.egress === egress)
      return same ?? desks[turnOf(email, desks.length)]
    },
    connectionsMax: (provider) => habitsOf(provider, habits).connectionsPerEgress * Math.max(1, egresses.length),
    close: async () => void (await Promise.all(desks.map(({ desk }) => desk.close()))),
  }
}

/** By the domain, so that a server that remembers who asked meets the same egress again and its addresses stay together. */
function turnOf(email: string, ways: number): number {
  if (ways < 2) return 0
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  return createHash('sha256').update(domain).digest().readUInt32BE(0) % ways
}
