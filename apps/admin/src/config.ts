import { parseSettings, URL_FORMATS } from '@probity/contract/settings'
import Type from 'typebox'

const Settings = Type.Object({
  DATABASE_URL: Type.String({
    format: URL_FORMATS.postgres,
    default: 'postgres://probity:probity@127.0.0.1:5432/probity',
    description: 'PostgreSQL; without it, the one that compose.yaml starts for development.',
  }),
  DATABASE_OWNER_URL: Type.Optional(
    Type.String({
      format: URL_FORMATS.postgres,
      description:
        'PostgreSQL, directly and as the user who owns the tables. Needed where DATABASE_URL is a pooler or a user with fewer rights.',
    }),
  ),
  REDIS_URL: Type.String({
    format: URL_FORMATS.redis,
    default: 'redis://127.0.0.1:6379',
    description: 'Redis; without it, the one that compose.yaml starts for development.',
  }),
  PORT: Type.Integer({ minimum: 0, maximum: 65535, default: 3000, description: 'The port that the api listens on.' }),
  PUBLIC_URL: Type.Optional(
    Type.String({
      format: 'uri',
      description: 'Where people reach the service, as https://host; for the set-up link.',
    }),
  ),
})

export type AdminConfig = {
  databaseUrl: string
  ownerUrl: string
  redisUrl: string
  port: number
  publicUrl: string | undefined
}

/** Reads and checks the settings of the operator's commands. */
export function readConfig(env: Record<string, string | undefined>): AdminConfig {
  const vars = parseSettings(Settings, env)
  return {
    databaseUrl: vars.DATABASE_URL,
    ownerUrl: vars.DATABASE_OWNER_URL ?? vars.DATABASE_URL,
    redisUrl: vars.REDIS_URL,
    port: vars.PORT,
    publicUrl: vars.PUBLIC_URL?.replace(/\/+$/, ''),
  }
}
