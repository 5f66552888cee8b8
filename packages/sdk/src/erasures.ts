import type { Call } from './call.ts'
import type { CallOptions, Connection } from './connection.ts'
import type { Erasure, ErasureRequest } from './generated/wire.ts'

/** The service may take two minutes to search the stored data. */
const TIMEOUT_MS = 150_000

/** Deletion of all data about one address. Needs a live key with the scope `account:write`. */
export type Erasures = {
  /**
   * Deletes everything that the account stores about the address, in any spelling, of live and test mode. Returns the number of deleted objects by
   * kind. Rejects with the code `job_in_progress` if a job that has not ended contains the address; nothing is deleted then.
   */
  create(email: string, options?: CallOptions): Call<Erasure>
}

export function erasuresOf({ ask }: Connection): Erasures {
  return {
    create(email, { timeoutMs = TIMEOUT_MS, ...options } = {}) {
      const json: ErasureRequest = { email }
      return ask({ ...options, timeoutMs, method: 'POST', path: ['erasures'], json, repeatable: true })
    },
  }
}
