import { splitOptions, toQuery } from './request-body.ts'
import type { ApiPromise, ApiResponse, ResponseInfo } from './response.ts'
import type { RequestOptions, Transport } from './transport.ts'

export type PageOptions = {
  /** Number of items to skip. Default: 0. */
  skip?: number | undefined
  /** Maximum number of items per page, at most 100, and 1,000 for jobs. Default: 10, and 100 for iteration. */
  limit?: number | undefined
}

/** One page of a collection. */
export type Page<T, Extra = unknown> = {
  data: T[]
  /** Whether there is another page. */
  hasMore: boolean
  /** Value of `cursor` for the next page; null on the last page, and for collections that are paged by `skip`. */
  nextCursor: string | null
  /** Number of items on all pages; undefined if the API does not count them. */
  total: number | undefined
  /** Fetches the next page. Resolves to undefined on the last page. */
  nextPage(): Promise<Page<T, Extra> | undefined>
} & Extra

/** Await it for one page, or iterate over it with `for await` for the items of all pages. Nothing is sent before. */
export type PagePromise<T, Extra = unknown> = Promise<Page<T, Extra>> &
  AsyncIterable<T> & {
    /** The page with status and headers of its response. */
    withResponse(): Promise<ApiResponse<Page<T, Extra>>>
  }

type LoadPage<T, Extra> = () => Promise<ApiResponse<Page<T, Extra>>>

/** The request is sent on first use, because awaiting and iterating send different requests. */
export function createPagePromise<T, Extra>(
  load: LoadPage<T, Extra>,
  iterate: () => AsyncGenerator<T, void, undefined>,
): PagePromise<T, Extra> {
  let loaded: Promise<ApiResponse<Page<T, Extra>>> | undefined
  const withResponse = () => {
    loaded ??= load()
    return loaded
  }
  const page = () => withResponse().then(({ data }) => data)
  return {
    // biome-ignore lint/suspicious/noThenProperty: a promise that sends its request when it is awaited
    then: (onFulfilled, onRejected) => page().then(onFulfilled, onRejected),
    catch: (onRejected) => page().catch(onRejected),
    finally: (onFinally) => page().finally(onFinally),
    [Symbol.toStringTag]: 'PagePromise',
    [Symbol.asyncIterator]: iterate,
    withResponse,
  }
}

const ITERATION_LIMIT = 100

type ListOptions = RequestOptions & PageOptions

/** What identifies an item. */
type Identified = { id: string } | { row: number }

/** A collection that is paged by `skip` and `limit`, with the number of all items in a header. */
export function listBySkip<T extends Identified>(
  transport: Transport,
  path: readonly string[],
  options: ListOptions,
): PagePromise<T> {
  const fetchItems: FetchItems<T> = (page) => fetchBySkip(transport, path, { ...options, ...page })
  return createPagePromise(
    () => loadBySkip(fetchItems, options.skip ?? 0),
    () => iterateBySkip(fetchItems, options),
  )
}

type FetchItems<T> = (page: PageOptions) => ApiPromise<T[]>

export function fetchBySkip<T>(transport: Transport, path: readonly string[], options: ListOptions): ApiPromise<T[]> {
  const { call, fields } = splitOptions(options)
  return transport.request<T[]>({ ...call, method: 'GET', path, query: toQuery(fields) })
}

export async function loadBySkip<T>(fetchItems: FetchItems<T>, skip: number): Promise<ApiResponse<Page<T>>> {
  const { data, response } = await fetchItems(skip === 0 ? {} : { skip }).withResponse()
  const next = skip + data.length
  const hasMore = data.length > 0 && next < (response.total ?? 0)
  const nextPage = async () => (hasMore ? (await loadBySkip(fetchItems, next)).data : undefined)
  return { data: { data, hasMore, nextCursor: null, total: response.total, nextPage }, response }
}

/**
 * Items that are created meanwhile move the others back, so that some are returned twice: those are dropped. Items that are deleted
 * move the others forward, so that some would be missed: the page before is fetched again.
 */
async function* iterateBySkip<T extends Identified>(
  fetchItems: FetchItems<T>,
  { skip: start = 0, limit = ITERATION_LIMIT }: PageOptions,
): AsyncGenerator<T, void, undefined> {
  const seen = new Set<string | number>()
  let skip = start
  let total = 0
  while (true) {
    const { data, response } = await fetchItems({ skip, limit }).withResponse()
    const previousTotal = total
    total = response.total ?? 0
    if (total < previousTotal && skip > start) {
      skip = Math.max(start, skip - (previousTotal - total))
      continue
    }
    for (const item of data) {
      const key = 'id' in item ? item.id : item.row
      if (seen.has(key)) continue
      seen.add(key)
      yield item
    }
    skip += data.length
    if (data.length === 0 || skip >= total) return
  }
}

/** A page of a collection that is paged by `cursor`. */
type CursorBody<T, Extra> = { items: T[]; nextCursor: string | null; extra: Extra; response: ResponseInfo }

/** A collection that is paged by `cursor`. */
export function listByCursor<T, Extra>(
  fetchPage: (options: { cursor?: string | undefined; limit?: number | undefined }) => Promise<CursorBody<T, Extra>>,
  { cursor: start, limit }: { cursor?: string | undefined; limit?: number | undefined },
): PagePromise<T, Extra> {
  const load = async (cursor: string | undefined): Promise<ApiResponse<Page<T, Extra>>> => {
    const { items, nextCursor, extra, response } = await fetchPage({ cursor, limit })
    const nextPage = async () => (nextCursor === null ? undefined : (await load(nextCursor)).data)
    const page = { data: items, hasMore: nextCursor !== null, nextCursor, total: response.total, nextPage, ...extra }
    return { data: page, response }
  }
  async function* iterate() {
    for (let cursor = start; ; ) {
      const { items, nextCursor } = await fetchPage({ cursor, limit: limit ?? ITERATION_LIMIT })
      yield* items
      if (nextCursor === null) return
      cursor = nextCursor
    }
  }
  return createPagePromise(() => load(start), iterate)
}
