import { randomUUID } from 'node:crypto'
import type { LoggedRequest } from './requests.ts'

/** A request of this moment with a verdict. */
export function testRequest(own: Partial<LoggedRequest> & { accountId: string }): LoggedRequest {
  return {
    id: randomUUID(),
    at: new Date(),
    mode: 'live',
    source: 'api',
    method: 'POST',
    route: '/api/v1/validation/single',
    status: 200,
    code: null,
    keyId: null,
    durationMs: 12,
    verdict: 'valid',
    subStatus: '',
    credits: 1,
    validationId: null,
    ...own,
  }
}
