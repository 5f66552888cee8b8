import type { FactsStore } from '../../domain/facts.ts'
import type { Reason } from '../replies/rules.ts'
import type { TimeFactor } from './time-factor.ts'

/** Whether a mail host rejects unknown recipients of a domain or accepts every recipient. It says nothing about another host. */
export type HostProof = {
  value: 'rejects' | 'accepts'
  /** A reply to the control recipient, or a known recipient that was accepted again after rejections. */
  evidence: 'control' | 'repeated'
  /** Unix time in seconds. */
  at: number
  /** The normalized reply that rejected the control recipient. */
  refusal?: string
  /** It has also accepted a recipient of the domain, so it does not reject every recipient. */
  hasAccepted?: boolean
}

/** A domain whose own rule blocks us at a provider that serves many. */
export type DomainBlock = { egress: string; until: number; reason: Reason }

/** Cached probe results of a domain, by the names of its mail hosts. They are public, so all accounts share them. */
export type DomainProfile = { hosts?: Record<string, HostProof>; block?: DomainBlock }

/** Cached behavior of a mail host. */
export type HostProfile = {
  /** Rejected recipients after which it closed the connection or reported too many errors. */
  errorsMax?: number
  /** The most recipients that it accepts in one transaction. */
  recipientsMax?: number
  /** It offers STARTTLS but the TLS handshake fails. */
  tlsBroken?: boolean
  /** It rejects commands before STARTTLS. */
  tlsDemanded?: boolean
  /** The most recipients in flight that it last handled without an error. */
  stride?: number
  /** When it last blocked us (Unix time in seconds), and the reason. */
  lastBlock?: { at: number; reason: string }
}

/** Cached data about an IP address. */
export type AddressProfile = {
  /** The provider whose host names resolve to it. */
  provider?: string
}

/** The domains of a site whose rules blocked us, and when (Unix time in seconds). */
export type TenantBlocks = { domains?: Record<string, number> }

export type ProbeCache = {
  readDomain(domain: string): Promise<DomainProfile>
  readHost(host: string): Promise<HostProfile>
  readAddress(address: string): Promise<AddressProfile>
  updateDomain(domain: string, learnt: DomainProfile): Promise<void>
  updateHost(host: string, learnt: HostProfile): Promise<void>
  updateAddress(address: string, learnt: AddressProfile): Promise<void>
  /** Adds a domain that blocked an egress, and returns the number of domains of the site that have blocked it within ten minutes. */
  countTenantBlock(block: { site: string; egress: string; domain: string; at: number }): Promise<number>
}

const HOUR_S = 3_600
/** A catch-all setting rarely changes. A host that rejects unknown recipients may stop doing so, so it is tested every day. */
const PROOF_LIFETIME_S = { accepts: 7 * 24 * HOUR_S, rejects: 24 * HOUR_S }
const DOMAIN_TTL_S = PROOF_LIFETIME_S.accepts
const HOST_TTL_S = 24 * HOUR_S
const ADDRESS_TTL_S = 24 * HOUR_S
const TENANT_BLOCK_TTL_S = 600

/** Changes with the types above, so that a new release does not read entries of an old one. */
const VERSION = 2

/** Stores what probes learn. The store may fail or lose entries; then it is learned again. */
export function createProbeCache(store: FactsStore, { timeFactor = 1 }: TimeFactor = {}): ProbeCache {
  const read = async <T extends object>(key: string): Promise<Partial<T>> => {
    try {
      const { version, learnt } = JSON.parse((await store.get(key)) ?? '{}')
      return version === VERSION ? learnt : {}
    } catch {
      return {} // treated as empty
    }
  }
  const write = async (key: string, learnt: object, ttlS: number): Promise<void> => {
    try {
      await store.set(key, JSON.stringify({ version: VERSION, learnt }), (ttlS * 1_000) / timeFactor)
    } catch {
      // The next probe learns it again.
    }
  }
  const isCurrent = ({ value, at }: HostProof) => Date.now() / 1_000 - at < PROOF_LIFETIME_S[value] / timeFactor
  return {
    async readDomain(domain) {
      const { hosts = {}, block } = await read<DomainProfile>(`mailbox:${domain}`)
      const current = Object.entries(hosts).filter(([, proof]) => isCurrent(proof))
      return { hosts: Object.fromEntries(current), ...(block && { block }) }
    },
    readHost: (host) => read<HostProfile>(`host:${host}`),
    readAddress: (address) => read<AddressProfile>(`address:${address}`),
    async updateDomain(domain, learnt) {
      const known = await read<DomainProfile>(`mailbox:${domain}`)
      await write(`mailbox:${domain}`, { ...known, ...learnt }, DOMAIN_TTL_S)
    },
    async updateHost(host, learnt) {
      const known = await read<HostProfile>(`host:${host}`)
      await write(`host:${host}`, { ...known, ...learnt }, HOST_TTL_S)
    },
    updateAddress: (address, learnt) => write(`address:${address}`, learnt, ADDRESS_TTL_S),
    async countTenantBlock({ site, egress, domain, at }) {
      const key = `block:${site}:${egress}`
      const { domains = {} } = await read<TenantBlocks>(key)
      const recent = Object.entries(domains).filter(([, since]) => at - since < TENANT_BLOCK_TTL_S / timeFactor)
      const all = { ...Object.fromEntries(recent), [domain]: at }
      await write(key, { domains: all }, TENANT_BLOCK_TTL_S)
      return Object.keys(all).length
    },
  }
}
