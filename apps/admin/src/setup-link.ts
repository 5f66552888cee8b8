import { randomBytes } from 'node:crypto'
import { asOwner, connect } from '@probity/database/connection/connect'
import { replaceSetupToken } from '@probity/database/users/users'
import type { AdminConfig } from './config.ts'

/**
 * Where the first person sets the installation up, with a fresh token that takes the place of the last one; undefined once there is
 * somebody. The token stands behind the #, which a browser sends to nobody.
 */
export async function makeSetupLink({
  ownerUrl,
  publicUrl,
  port,
}: Pick<AdminConfig, 'ownerUrl' | 'publicUrl' | 'port'>): Promise<string | undefined> {
  const db = connect(ownerUrl, { connectionsMax: 1, applicationName: 'probity-admin' })
  try {
    const token = randomBytes(24).toString('base64url')
    const isNeeded = await asOwner(db, (trx) => replaceSetupToken(trx, token))
    return isNeeded ? `${publicUrl ?? `http://127.0.0.1:${port}`}/app/setup#token=${token}` : undefined
  } finally {
    await db.destroy()
  }
}
