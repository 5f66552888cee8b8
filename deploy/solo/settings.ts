import { DATA, type Passwords } from './data.ts'
import { PATH } from './users.ts'

type Variables = Record<string, string | undefined>
export type Program = 'api' | 'worker' | 'maintenance' | 'admin'

/** Secrets that an operator can give to the container, and the programs that get them. A process does not start with those of another. */
export const SECRETS: Record<string, readonly Program[]> = {
  PROBITY_MAIL_URL: ['api', 'maintenance'],
  PROBITY_SESSION_SECRET: ['api'],
  PROBITY_STRIPE_SECRET_KEY: ['api'],
  PROBITY_STRIPE_WEBHOOK_SECRET: ['api'],
  PROBITY_SMTP_EGRESS: ['worker', 'admin'],
}

type Settings = { program: Program; given: Variables; own: Variables }

/** The settings of the container, without the secrets of other programs, and those that are made in it. */
export function composeSettings({ redis }: Passwords, { program, given, own }: Settings): Variables {
  const isOwn = (name: string) => SECRETS[name.replace(/_FILE$/, '')]?.includes(program) ?? true
  return {
    PATH,
    NODE_ENV: 'production',
    ...Object.fromEntries(Object.entries(given).filter(([name]) => name.startsWith('PROBITY_') && isOwn(name))),
    PROBITY_REDIS_URL: `redis://:${redis}@127.0.0.1:6379`,
    PROBITY_UPLOADS_FOLDER: `${DATA}/uploads`,
    ...own,
  }
}

/** For operator commands, which connect as the owner of the database. */
export function ownerSettings(passwords: Passwords, given: Variables): Variables {
  const own = { PROBITY_DATABASE_OWNER_URL: databaseUrl('probity_owner', passwords.owner) }
  return composeSettings(passwords, { program: 'admin', given, own })
}

export function databaseUrl(name: string, password: string): string {
  return `postgres://${name}:${password}@127.0.0.1/probity`
}
