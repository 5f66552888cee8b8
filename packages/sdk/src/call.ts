import type { ResponseInfo } from './response-info.ts'

/** A call under way. Await it for the answer, or its `withResponse()` for what the headers say besides. */
export type Call<T> = Promise<T> & { withResponse(): Promise<Answered<T>> }

export type Answered<T> = { data: T; response: ResponseInfo }

export function asCall<T>(answered: Promise<Answered<T>>): Call<T> {
  const data = answered.then((answer) => answer.data)
  return Object.assign(data, {
    withResponse() {
      // Who waits for the one does not wait for the other: its failure must not pass for one that nobody saw.
      data.catch(() => undefined)
      return answered
    },
  })
}
