import { Erasure, ErasureRequest } from '@probity/contract/schemas/accounts'
import type { Db } from '@probity/database/connection/connect'
import type { FileStorage } from '@probity/uploads/storage'
import type { Redis } from 'ioredis'
import { BODY_PROBLEMS, DOOR_PROBLEMS, operation } from '../../http/openapi.ts'
import type { Route } from '../../http/route.ts'
import { refuseTestKey } from '../../middleware/authentication/authenticate.ts'
import { READS_FILE_MS } from '../../middleware/load-shedding/time-limits.ts'
import type { RecentKeys } from '../../middleware/rate-limit/recent-keys.ts'
import { openEraser } from './erase.ts'
import type { UploadSearch } from './uploads.ts'

type ErasuresDependencies = {
  db: Db
  redis: Redis
  recentKeyOf: RecentKeys['keyOf']
  storage: FileStorage
  uploadReader: UploadSearch
  hurry: AbortSignal
}

/** Deletes everything that the account stores about one address. */
export const createErasure: Route<ErasuresDependencies> = async (app, services) => {
  const erase = openEraser(services)
  const schema = operation(
    {
      id: 'createErasure',
      tag: 'Erasures',
      summary: 'Erase an address',
      description:
        'Deletes everything that the account stores about one address, of live and test mode: validations, job results, rows of stored files, uploads that were not confirmed, recent results, stored responses to requests with an `Idempotency-Key`, feedback, overrides and webhook events. Job results keep their row and verdict, so counts do not change, and neither do ledger and usage. If a job that has not ended contains the address, nothing is deleted and the response is 409 `job_in_progress`. The audit log records the erasure without the address. A repetition is safe: it returns zeros, or continues an erasure that was interrupted. Requires a live key.',
      problems: ['invalid_request', 'job_in_progress', ...BODY_PROBLEMS, ...DOOR_PROBLEMS],
    },
    { body: ErasureRequest, response: { 200: Erasure } },
  )
  const config = { scope: 'account:write', loadClass: 'list', handlerTimeoutMs: READS_FILE_MS } as const
  app.post('/erasures', { schema, config }, ({ auth, body }) => {
    refuseTestKey(auth)
    return erase(auth.accountId, body.email)
  })
}
