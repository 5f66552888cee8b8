import type { ResponseInfo } from './response.ts'

/** A call in progress. Await it for the response body, or await its `withResponse()` for body and headers. */
export type ApiPromise<T> = Promise<T> & {
  /** Response body with status and headers. */
  withResponse(): Promise<ApiResponse<T>>
}

export type ApiResponse<T> = { data: T; response: ResponseInfo }

export function createApiPromise<T>(responded: Promise<ApiResponse<T>>): ApiPromise<T> {
  const data = responded.then((response) => response.data)
  return Object.assign(data, {
    withResponse() {
      // The caller awaits `responded` instead of `data`, whose rejection would otherwise be reported as unhandled.
      data.catch(() => undefined)
      return responded
    },
  })
}
