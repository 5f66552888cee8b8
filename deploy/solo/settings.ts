import { DATA, type Passwords } from './data.ts'
import { PATH } from './users.ts'

type Variables = Record<string, string | undefined>

/** The settings of the container, and those that are made in it. */
export function composeSettings({ redis }: Passwords, { given, own }: { given: Variables; own: Variables }): Variables {
  return {
    PATH,
    NODE_ENV: 'production',
    ...Object.fromEntries(Object.entries(given).filter(([name]) => name.startsWith('PROBITY_'))),
    PROBITY_REDIS_URL: `redis://:${redis}@127.0.0.1:6379`,
    PROBITY_UPLOADS_FOLDER: `${DATA}/uploads`,
    ...own,
  }
}

/** For operator commands, which connect as the owner of the database. */
export function ownerSettings(passwords: Passwords, given: Variables): Variables {
  const own = { PROBITY_DATABASE_OWNER_URL: databaseUrl('probity_owner', passwords.owner) }
  return composeSettings(passwords, { given, own })
}

export function databaseUrl(name: string, password: string): string {
  return `postgres://${name}:${password}@127.0.0.1/probity`
}
