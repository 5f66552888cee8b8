import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Db } from '@probity/database/connection/connect'
import { cacheSecret } from '@probity/database/system/processes'

/** What sessions are signed with: the operator's own secret, or the one that the migrations made. Asked for once it is needed. */
export function openSessionSecret(db: Db, given: string | undefined): () => Promise<string> {
  const made = cacheSecret(db, 'sessions')
  return async () => given ?? (await made()).export().toString('base64')
}

const SIGNED = /^([A-Za-z0-9]{16,64})\.([A-Za-z0-9+/]{43}=)$/

/** The token in a session cookie that was signed by us. What was not is refused without a look into the database. */
export function readSignedToken(cookie: string, secret: string): string | undefined {
  const [, token, signature] = SIGNED.exec(cookie) ?? []
  if (token === undefined || signature === undefined) return undefined
  const expected = createHmac('sha256', secret).update(token).digest()
  return timingSafeEqual(expected, Buffer.from(signature, 'base64')) ? token : undefined
}
