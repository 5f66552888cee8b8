import type { Db } from '@probity/database/connect'
import type { Opening } from '@probity/database/people'
import { connectPeople } from '@probity/database/people-connection'
import type { FastifyBaseLogger } from 'fastify'
import type { ApiConfig } from '../config.ts'
import type { Auth } from './auth.ts'
import { openMail } from './mail/send.ts'
import { startSendingNotices } from './notices/send.ts'
import { openPasswords, type Passwords } from './passwords.ts'
import { openSessionSecret } from './secret.ts'

/** What the routes for people work with. */
export type People = {
  publicUrl: string | undefined
  signUp: 'open' | 'invitation'
  hasMail: boolean
  /** Which users can create accounts, and with which plan and credits. */
  accountCreation: 'users' | 'operators'
  opening: Opening
  passwords: Passwords
  secret(): Promise<string>
  auth(): Promise<Auth>
  stop(): Promise<void>
}

/** Sign-ins are rare beside all else; each holds a connection for a few statements. */
const CONNECTIONS_MAX = 3

export function openPeople(db: Db, config: ApiConfig, log: FastifyBaseLogger): People {
  const { publicUrl, mail: mailSettings, signUp, accountCreation, opening } = config
  const connections = connectPeople(config.databaseUrl, CONNECTIONS_MAX)
  const mail = openMail(mailSettings, log)
  const passwords = openPasswords()
  const secret = openSessionSecret(db, config.sessionSecret)
  // Never the Host header of a request: whoever writes it would choose where a letter's link leads.
  const linkBase = publicUrl ?? `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${config.port}`
  // Without a mail server nobody is written to: the log is for links that somebody waits for.
  const notices = mailSettings && startSendingNotices({ db, mail, appUrl: `${linkBase}/app`, log })
  let auth: Auth | undefined
  return {
    publicUrl,
    signUp,
    hasMail: mailSettings !== undefined,
    accountCreation,
    opening,
    passwords,
    secret,
    async auth() {
      const known = await secret()
      // Loaded when the first person comes: it is large, and a process that serves programs alone starts without it.
      const { openAuth } = await import('./auth.ts')
      auth ??= openAuth({ people: connections, secret: known, publicUrl, linkBase, mail, passwords, log })
      return auth
    },
    async stop() {
      await notices?.stop()
      mail.close()
      await connections.destroy()
    },
  }
}
