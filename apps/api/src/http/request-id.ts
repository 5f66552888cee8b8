import { randomUUID } from 'node:crypto'

/** The name of a request that comes in, as its answer and our log have it. */
export function newRequestId(): string {
  return `req_${randomUUID()}`
}
