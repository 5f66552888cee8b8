import type { Db } from '@probity/database/connection/connect'
import type { ReferenceHost } from '@probity/engine/smtp/probe/data/reference-hosts'
import type { AddressPolicy } from '@probity/engine/smtp/protocol/address-policy'
import type { Egress } from '@probity/engine/smtp/protocol/dial'
import type { Redis } from 'ioredis'
import type { Blocklist } from './data/blocklists.ts'

/** The installation to check, and the resources that the checks use. */
export type Patient = {
  db: Db
  redis: Redis
  /** The resolvers of the workers on this host, as address or address:port. */
  dnsServers: string[]
  egresses: Egress[]
  /** Which addresses may be dialed; those that it allows also count as public. */
  policy: AddressPolicy
  uploadsFolder: string
  /** The data folder of PostgreSQL, if it is on this host and known. */
  databaseFolder?: string | undefined
  publicUrl: string | undefined
  /** The providers whose greetings are read, and the DNSBLs that are queried for the egress IPs. */
  landmarks: ReferenceHost[]
  blocklists: Blocklist[]
  /** This host's clock. */
  now(): number
}
