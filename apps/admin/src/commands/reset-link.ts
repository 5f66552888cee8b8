import { asOwner } from '@probity/database/connection/connect'
import { createPasswordReset } from '@probity/database/users/sessions'
import { Command } from 'commander'
import type { AdminConfig } from '../config.ts'
import { withDatabase } from '../database.ts'
import { Refusal } from '../refusal.ts'

/** For users who forgot their password where no email is sent. */
export function resetLinkCommand(config: AdminConfig): Command {
  return new Command('reset-link')
    .description('Print a password reset link for a user. It can be used once and expires in one hour.')
    .argument('<email>')
    .action((email: string) =>
      withDatabase(config, async (db) => {
        const reset = await asOwner(db, (trx) => createPasswordReset(trx, email))
        if (reset === undefined) throw new Refusal('No user has this email address.')
        const base = config.publicUrl ?? `http://127.0.0.1:${config.port}`
        const link = `${base}/app/reset-password#token=${reset.token}`
        return { link, expires_at: reset.expiresAt.toISOString() }
      }),
    )
}
