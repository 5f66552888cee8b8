import { randomBytes } from 'node:crypto'
import { asOwner, connect, type Db } from '@probity/database/connection/connect'
import { listOperators, type Operator, setOperator } from '@probity/database/operators/accounts'
import { createPasswordReset } from '@probity/database/users/sessions'
import { replaceSetupToken } from '@probity/database/users/users'
import { Command } from 'commander'
import type { AdminConfig } from '../config.ts'
import { explain, UserError, withDatabase } from '../database.ts'

/** Operators: users with access to the operator pages. */
export function operatorCommands(config: AdminConfig): Command {
  const operator = new Command('operator').description('Operators of the installation.')
  operator
    .command('add')
    .description('Give a user operator access.')
    .argument('<email>')
    .action((email: string) => withDatabase(config, (db) => change(db, email, true)))
  operator
    .command('remove')
    .description('Remove operator access from a user. The user can still sign in.')
    .argument('<email>')
    .action((email: string) => withDatabase(config, (db) => change(db, email, false)))
  operator
    .command('list')
    .description('List all operators.')
    .action(() => withDatabase(config, (db) => asOwner(db, listOperators)))
  return operator
}

async function change(db: Db, email: string, isOperator: boolean): Promise<Operator> {
  const person = await asOwner(db, (trx) => setOperator(trx, email, isOperator))
  if (person === undefined) throw new UserError('No user has this email address.')
  if (person === 'no_two_factor') throw new UserError(NO_TWO_FACTOR)
  return person
}

const NO_TWO_FACTOR = 'The user must set up two-factor authentication first, under Settings, Security.'

/** For users who forgot their password where no email is sent. */
export function resetLinkCommand(config: AdminConfig): Command {
  return new Command('reset-link')
    .description('Print a password reset link for a user. It can be used once and expires in one hour.')
    .argument('<email>')
    .action((email: string) =>
      withDatabase(config, async (db) => {
        const reset = await asOwner(db, (trx) => createPasswordReset(trx, email))
        if (reset === undefined) throw new UserError('No user has this email address.')
        const base = config.publicUrl ?? `http://127.0.0.1:${config.port}`
        const link = `${base}/app/reset-password#token=${reset.token}`
        return { link, expires_at: reset.expiresAt.toISOString() }
      }),
    )
}

/** For operators without the link that was printed at the start. */
export function setupLinkCommand(config: AdminConfig): Command {
  return new Command('setup-link')
    .description(
      'Print the setup link for the first user. It can be used once and expires in one hour. Earlier links become invalid.',
    )
    .action(async () => {
      const link = await makeSetupLink(config).catch((error: unknown) => {
        throw explain(error)
      })
      if (link === undefined) throw new UserError('The installation has already been set up: a user exists.')
      process.stdout.write(`${JSON.stringify({ link })}\n`)
    })
}

/**
 * The URL at which the first user sets up the installation, with a new token that replaces the last one; undefined once a user exists.
 * The token is in the fragment, which browsers do not send to the server.
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
