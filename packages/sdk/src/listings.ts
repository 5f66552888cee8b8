import { streamBody } from './body-stream.ts'
import { asCall, type Call } from './call.ts'
import type { CallOptions, Connection } from './connection.ts'
import type { AddedListings, Listing, ListingsToAdd } from './generated/wire.ts'
import { listAll, type PageOptions } from './pages.ts'

export type ListingFilter = {
  list?: 'allow' | 'block' | undefined
  /** Only entries that hold this text. */
  search?: string | undefined
}

export type AddListingsOptions = CallOptions & {
  /** Why they are there. */
  note?: string | undefined
}

/** Addresses and domains that the account always allows, or always blocks. */
export type Listings = {
  /** One page, in the order of the entries. */
  list(options?: PageOptions & ListingFilter): Call<Listing[]>
  all(options?: CallOptions & ListingFilter): AsyncGenerator<Listing, void, undefined>
  /** Vouches for up to 1,000 addresses and domains. */
  allow(entries: readonly string[], options?: AddListingsOptions): Call<AddedListings>
  /** Blocks up to 1,000 addresses and domains. */
  block(entries: readonly string[], options?: AddListingsOptions): Call<AddedListings>
  remove(id: string, options?: CallOptions): Call<void>
  /** All of them as CSV. */
  download(options?: CallOptions & ListingFilter): Call<ReadableStream<Uint8Array>>
}

/** How long a download may stand still before it is given up. */
const SILENCE_MS = 60_000

export function listingsOf({ ask, open }: Connection): Listings {
  const list = ({ signal, timeoutMs, ...query }: PageOptions & ListingFilter = {}) =>
    ask<Listing[]>({ ...WISH, signal, timeoutMs, query })
  // May be sent twice: what is on the list already stays there.
  const add = (to: ListingsToAdd['list'], entries: readonly string[], options: AddListingsOptions = {}) => {
    const { note, ...rest } = options
    const json: ListingsToAdd = { list: to, entries: [...entries], ...(note !== undefined && { note }) }
    return ask<AddedListings>({ ...rest, method: 'POST', path: ['listings'], json, repeatable: true })
  }
  return {
    list,
    all: ({ signal, timeoutMs, ...filter } = {}) =>
      listAll((page) => list({ ...filter, ...page }), { signal, timeoutMs }),
    allow: (entries, options) => add('allow', entries, options),
    block: (entries, options) => add('block', entries, options),
    // Not sent twice: the second would be told that there is no such entry.
    remove: (id, options = {}) => ask({ ...options, method: 'DELETE', path: ['listings', id], repeatable: false }),
    download({ signal, timeoutMs, ...filter } = {}) {
      const query = { ...filter, format: 'csv' }
      const wish = { ...WISH, signal, timeoutMs, headers: { accept: '*/*' }, query }
      return asCall(open(wish, async (response, deadline) => streamBody(response, deadline, SILENCE_MS)))
    },
  }
}

const WISH = { method: 'GET', path: ['listings'], repeatable: true } as const
