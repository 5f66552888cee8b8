import type { Db } from '@probity/database/connect'
import type { Opening } from '@probity/database/people'
import { connectPeople } from '@probity/database/people-connection'
import { recordUserEvent } from '@probity/database/profiles'
import type { FastifyBaseLogger } from 'fastify'
import type { ApiConfig } from '../config.ts'
import type { Admission } from '../door/admission.ts'
import type { Auth } from './auth.ts'
import { limitRecipients } from './mail/recipient-limits.ts'
import { type Mail, openMail } from './mail/send.ts'
import { startSendingNotices } from './notices/send.ts'
import { openPasswords, type Passwords } from './passwords.ts'
import { openSessionSecret } from './secret.ts'

/** What the routes for users work with. */
export type People = {
  publicUrl: string | undefined
  signUp: 'open' | 'invitation'
  hasMail: boolean
  /** Which users can create accounts, and with which plan and credits. */
  accountCreation: 'users' | 'operators'
  /** Where links in emails lead. */
  appUrl: string
  mail: Mail
  /** The connection of the sign-in library, with its role. */
  users: ReturnType<typeof connectPeople>
  opening: Opening
  passwords: Passwords
  secret(): Promise<string>
  auth(): Promise<Auth>
  stop(): Promise<void>
}

/** Sign-ins are rare beside all else; each holds a connection for a few statements. */
const CONNECTIONS_MAX = 3

export function openPeople(db: Db, admission: Admission, config: ApiConfig, log: FastifyBaseLogger): People {
  const { publicUrl, mail: mailSettings, signUp, accountCreation, opening } = config
  const connections = connectPeople(config.databaseUrl, CONNECTIONS_MAX)
  const relay = openMail(mailSettings, log)
  // Without a relay no one receives anything: the log has the links.
  const mail = mailSettings ? limitRecipients(relay, admission, log) : relay
  const passwords = openPasswords()
  const secret = openSessionSecret(db, config.sessionSecret)
  // Never the Host header of a request: whoever writes it would choose where a letter's link leads.
  const linkBase = publicUrl ?? `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${config.port}`
  // Without a mail server nobody is written to: the log is for links that somebody waits for.
  const appUrl = `${linkBase}/app`
  const notices = mailSettings && startSendingNotices({ db, mail: relay, admission, appUrl, log })
  const onWrongCode = (id: string) => {
    recordUserEvent(db, { id }, 'sign_in_failed').catch((error: unknown) =>
      log.warn({ err: error }, 'a failed sign-in is not in the audit log'),
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
      // Loaded when the first person comes: it is large, and a process that serves programs alone starts without it.
      const { openAuth } = await import('./auth.ts')
      const hasMail = mailSettings !== undefined
      const links = { publicUrl, linkBase, mail, hasMail }
      auth ??= openAuth({ people: connections, secret: known, ...links, passwords, onWrongCode, log })
      return auth
    },
    async stop() {
      await notices?.stop()
      relay.close()
      await connections.destroy()
    },
  }
}
