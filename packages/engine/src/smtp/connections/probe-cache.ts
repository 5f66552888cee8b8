import type { FactsStore } from '../../domain/facts.ts'

/** Whether a domain takes mail for every address, and how we know. */
export type AcceptAll = {
  value: 'yes' | 'no'
  /** What showed it: an answer to a recipient that cannot exist, or the refusal of one that was asked for. */
  evidence: 'control' | 'real_reject'
  /** Unix time in seconds. */
  at: number
}

/** What has been learnt of a domain by asking its servers. It is public, so it is shared by all who ask. */
export type DomainProfile = {
  acceptAll?: AcceptAll
  /** The words, normalised, in which the server refused a recipient that cannot exist. */
  refusal?: string
}

/** What has been learnt of a mail host. */
export type HostProfile = {
  /** It hung up, or spoke of too many errors, after so many refused recipients. */
  errorsMax?: number
  /** It takes no more recipients than this in one transaction. */
  recipientsMax?: number
  /** It offers TLS and then cannot do it. */
  tlsBroken?: boolean
  /** It wants TLS before it talks. */
  tlsDemanded?: boolean
  /** How many recipients in flight it was last seen to answer cleanly. */
  stride?: number
  /** When it last turned us away (Unix time in seconds), and why. */
  lastBlock?: { at: number; reason: string }
}

/** What has been learnt of an IP address. */
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
/** A catch-all is a setting that stays; a domain that refuses somebody may become one, so that is looked at again sooner. */
const ACCEPT_ALL_TTL_MS = 7 * 24 * HOUR_MS
const NOT_ACCEPT_ALL_TTL_MS = 3 * 24 * HOUR_MS
const HOST_TTL_MS = 24 * HOUR_MS
const ADDRESS_TTL_MS = 24 * HOUR_MS

/** Changes with the shapes above, so that a new release does not read what an old one kept. */
const VERSION = 1

/** Keeps what was learnt in a store that may fail or forget: then it is learnt again. */
export function createProbeCache(store: FactsStore): ProbeCache {
  const read = async <T extends object>(key: string): Promise<Partial<T>> => {
    try {
      const { version, learnt } = JSON.parse((await store.get(key)) ?? '{}')
      return version === VERSION ? learnt : {}
    } catch {
      return {} // as if nothing were known
    }
  }
  const write = async (key: string, learnt: object, ttlMs: number): Promise<void> => {
    try {
      await store.set(key, JSON.stringify({ version: VERSION, learnt }), ttlMs)
    } catch {
      // Then it is learnt again.
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
