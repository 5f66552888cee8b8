import type { FactsStore } from '../../domain/facts.ts'

/** Whether a domain is a catch-all, and the evidence for it. */
export type AcceptAll = {
  value: 'yes' | 'no'
  /** A reply to the control recipient, or the rejection of a real recipient. */
  evidence: 'control' | 'real_reject'
  /** Unix time in seconds. */
  at: number
}

/** Cached probe results of a domain. They are public, so all accounts share them. */
export type DomainProfile = {
  acceptAll?: AcceptAll
  /** The normalized reply that rejected the control recipient. */
  refusal?: string
}

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

export type ProbeCache = {
  readDomain(domain: string): Promise<DomainProfile>
  readHost(host: string): Promise<HostProfile>
  readAddress(address: string): Promise<AddressProfile>
  updateDomain(domain: string, learnt: DomainProfile): Promise<void>
  updateHost(host: string, learnt: HostProfile): Promise<void>
  updateAddress(address: string, learnt: AddressProfile): Promise<void>
}

const HOUR_MS = 3_600_000
/** A catch-all setting rarely changes. A domain that rejects a recipient may become a catch-all, so it is tested again sooner. */
const ACCEPT_ALL_TTL_MS = 7 * 24 * HOUR_MS
const NOT_ACCEPT_ALL_TTL_MS = 3 * 24 * HOUR_MS
const HOST_TTL_MS = 24 * HOUR_MS
const ADDRESS_TTL_MS = 24 * HOUR_MS

/** Changes with the types above, so that a new release does not read entries of an old one. */
const VERSION = 1

/** Stores what probes learn. The store may fail or lose entries; then it is learned again. */
export function createProbeCache(store: FactsStore): ProbeCache {
  const read = async <T extends object>(key: string): Promise<Partial<T>> => {
    try {
      const { version, learnt } = JSON.parse((await store.get(key)) ?? '{}')
      return version === VERSION ? learnt : {}
    } catch {
      return {} // treated as empty
    }
  }
  const write = async (key: string, learnt: object, ttlMs: number): Promise<void> => {
    try {
      await store.set(key, JSON.stringify({ version: VERSION, learnt }), ttlMs)
    } catch {
      // The next probe learns it again.
    }
  }
  return {
    readDomain: (domain) => read<DomainProfile>(`mailbox:${domain}`),
    readHost: (host) => read<HostProfile>(`host:${host}`),
    readAddress: (address) => read<AddressProfile>(`address:${address}`),
    async updateDomain(domain, learnt) {
      const known = await read<DomainProfile>(`mailbox:${domain}`)
      const ttlMs = learnt.acceptAll?.value === 'yes' ? ACCEPT_ALL_TTL_MS : NOT_ACCEPT_ALL_TTL_MS
      await write(`mailbox:${domain}`, { ...known, ...learnt }, ttlMs)
    },
    async updateHost(host, learnt) {
      const known = await read<HostProfile>(`host:${host}`)
      await write(`host:${host}`, { ...known, ...learnt }, HOST_TTL_MS)
    },
    updateAddress: (address, learnt) => write(`address:${address}`, learnt, ADDRESS_TTL_MS),
  }
}
