import type { RequestCursor } from '@probity/database/accounts/requests'
import { Problem } from '../http/problem.ts'

const PLACE = /^(\d{1,15})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** A place in the log as clients carry it to the next page. What it is made of is ours to change. */
export function writeCursor({ at, id }: RequestCursor): string {
  return Buffer.from(`${at.getTime()}.${id}`).toString('base64url')
}

export function readCursor(cursor: string): RequestCursor {
  const [, time, id] = PLACE.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  if (time === undefined || id === undefined) {
    const detail = 'must be the next_cursor of a page'
    throw new Problem('invalid_request', undefined, { errors: [{ pointer: '/cursor', detail }] })
  }
  return { at: new Date(Number(time)), id }
}
