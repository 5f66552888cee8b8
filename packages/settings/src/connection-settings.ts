import Type from 'typebox'
import { URL_FORMATS } from './formats.ts'

/** What more than one kind of process needs to know, so that it means the same in each. */
export const DATABASE_URL = Type.String({
  format: URL_FORMATS.postgres,
  secret: true,
  description: 'PostgreSQL, directly or through a transaction-mode pooler, as postgres://user:password@host/database.',
})

export const REDIS_URL = Type.String({
  format: URL_FORMATS.redis,
  secret: true,
  description: 'Redis, as redis://host:port, or rediss:// for TLS.',
})

export const DATABASE_CONNECTIONS = Type.Integer({
  minimum: 1,
  maximum: 100,
  default: 5,
  description: 'Connections to PostgreSQL per process.',
})

export const SHARE_FEEDBACK = Type.Enum(['on', 'off'], {
  default: 'off',
  description:
    'Whether outcomes that one account reports also count for the others, up to a bound; the same for the api and the worker.',
})

export const LOG_LEVEL = Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'], {
  default: 'info',
  description: 'How much to log.',
})

export const PUBLIC_URL = Type.Optional(
  Type.String({
    format: 'uri',
    description:
      'Where callers reach the service, as https://host. Stands in the OpenAPI document, in letters and in the set-up link, and makes the cookies of sessions secure where it begins with https.',
  }),
)

export const PORT = Type.Integer({
  minimum: 0,
  maximum: 65535,
  default: 3000,
  description: 'The port that the api listens on.',
})

export const WEB_FOLDER = Type.Optional(
  Type.String({
    minLength: 1,
    otherwise: 'apps/web/dist of this copy',
    description: 'The folder with the built web application, which the api serves at /app.',
  }),
)

export const DOCS_FOLDER = Type.Optional(
  Type.String({
    minLength: 1,
    otherwise: 'apps/docs/dist of this copy',
    description: 'The folder with the built docs, which the api serves at /docs.',
  }),
)
