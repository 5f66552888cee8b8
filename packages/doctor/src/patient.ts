import type { Db } from '@probity/database/connect'
import type { AddressPolicy } from '@probity/engine/mailbox/address-policy'
import type { Landmark } from '@probity/engine/mailbox/data/landmarks'
import type { Egress } from '@probity/engine/mailbox/egress'
import type { Redis } from 'ioredis'
import type { Blocklist } from './data/blocklists.ts'

/** What is examined, and what the doctor works with. */
export type Patient = {
  db: Db
  redis: Redis
  /** The resolvers that workers here ask, as address or address:port. */
  dnsServers: string[]
  egresses: Egress[]
  /** Which addresses may be dialled; what it allows also counts as public. */
  policy: AddressPolicy
  uploadsFolder: string
  /** Where PostgreSQL keeps its data, if that is on this host and known. */
  databaseFolder?: string | undefined
  publicUrl: string | undefined
  /** Whose mail hosts are asked for a greeting, and which lists are asked about our addresses. */
  landmarks: Landmark[]
  blocklists: Blocklist[]
  /** This host's clock. */
  now(): number
}
