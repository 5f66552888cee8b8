import type { Db } from '@probity/database/connection/connect'
import { connectAuth } from '@probity/database/users/auth-connection'
import { recordUserEvent } from '@probity/database/users/profiles'
import type { Opening } from '@probity/database/users/users'
import { limitRecipients } from '@probity/email/limits'
import { type Mailer, type MailSettings, openMailer } from '@probity/email/send'
import type { Admission } from '@probity/redis/admission'
import type { FastifyBaseLogger } from 'fastify'
import { openSessionSecret } from '../middleware/authentication/session.ts'
import type { Auth } from './sign-in/auth.ts'
import { openPasswords, type Passwords } from './sign-in/passwords.ts'

type UserSettings = Pick<UserServices, 'publicUrl' | 'signUp' | 'accountCreation' | 'opening'> & {
  databaseUrl: string
  sessionSecret: string | undefined
  mail: MailSettings | undefined
  /** Where the API listens: links in emails lead there if it has no public URL. */
  host: string
  port: number
}

/** Services shared by the user routes. */
export type UserServices = {
  publicUrl: string | undefined
  signUp: 'open' | 'invitation'
  hasMail: boolean
  /** Which users can create accounts, and with which plan and credits. */
  accountCreation: 'users' | 'operators'
  /** Base URL of links in emails. */
  appUrl: string
  mail: Mailer
  /** The connection of the sign-in library, with its role. */
  users: ReturnType<typeof connectAuth>
  opening: Opening
  passwords: Passwords
  secret(): Promise<string>
  auth(): Promise<Auth>
  stop(): Promise<void>
}

/** Sign-ins are rare; each holds a connection for a few statements. */
const CONNECTIONS_MAX = 3

export function openUserServices(
  db: Db,
  admission: Admission,
  config: UserSettings,
  log: FastifyBaseLogger,
): UserServices {
  const { publicUrl, mail: mailSettings, signUp, accountCreation, opening } = config
  const connections = connectAuth(config.databaseUrl, CONNECTIONS_MAX)
  const relay = openMailer(mailSettings, log)
  // Without a relay no emails are sent: the log has the links.
  const mail = mailSettings ? limitRecipients(relay, admission, log) : relay
  const passwords = openPasswords()
  const secret = openSessionSecret(db, config.sessionSecret)
  // Never from the Host header of a request, because a client could then choose the link in an email.
  const linkBase = publicUrl ?? `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${config.port}`
  const appUrl = `${linkBase}/app`
  const onWrongCode = (id: string) => {
    recordUserEvent(db, { id }, 'sign_in_failed').catch((error: unknown) =>
      log.warn({ err: error }, 'failed to record a failed sign-in in the audit log'),
    )
  }
  let auth: Auth | undefined
  return {
    publicUrl,
    signUp,
    hasMail: mailSettings !== undefined,
    accountCreation,
    appUrl,
    mail,
    users: connections,
    opening,
    passwords,
    secret,
    async auth() {
      const known = await secret()
      // Loaded at first use: it is large, and a process that serves only keys starts without it.
      const { openAuth } = await import('./sign-in/auth.ts')
      const hasMail = mailSettings !== undefined
      const links = { publicUrl, linkBase, mail, hasMail }
      auth ??= openAuth({ people: connections, secret: known, ...links, passwords, onWrongCode, log })
      return auth
    },
    async stop() {
      relay.close()
      await connections.destroy()
    },
  }
}
