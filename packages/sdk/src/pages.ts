import type { Call } from './call.ts'
import type { CallOptions } from './connection.ts'

export type PageOptions = CallOptions & {
  /** How many to pass over before the page begins; 0 if left out. */
  skip?: number | undefined
  /** How many the page holds at most; 10 if left out, and never more than 100. */
  limit?: number | undefined
}

const PAGE = 100

/**
 * All of them, page by page. What is added meanwhile moves the rest back, so that some are met twice, and what is removed moves it
 * forward, so that some would be missed: the former are left out and the latter gone back for.
 */
export async function* listAll<T extends { id: string }>(
  page: (options: PageOptions) => Call<T[]>,
  options: CallOptions,
): AsyncGenerator<T, void, undefined> {
  const seen = new Set<string>()
  let skip = 0
  let total = 0
  while (true) {
    const { data, response } = await page({ ...options, skip, limit: PAGE }).withResponse()
    const left = response.total ?? 0
    const isMoved = left < total && skip > 0
    const removed = total - left
    total = left
    if (isMoved) {
      skip = Math.max(0, skip - removed)
      continue
    }
    for (const one of data) {
      if (seen.has(one.id)) continue
      seen.add(one.id)
      yield one
    }
    skip += data.length
    if (data.length === 0 || skip >= total) return
  }
}
