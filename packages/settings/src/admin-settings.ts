import Type from 'typebox'
import { DOCS_FOLDER, PORT, PUBLIC_URL, WEB_FOLDER } from './connection-settings.ts'
import { URL_FORMATS } from './formats.ts'
import { UPLOADS_SETTINGS } from './uploads-settings.ts'
import { ABOUT_MAIL_SERVERS, DNS_SERVERS } from './worker-settings.ts'

/** What `doctor` looks at: the settings of the worker beside which it is run. */
const ABOUT_THE_WORKER = { DNS_SERVERS, ...ABOUT_MAIL_SERVERS, UPLOADS_FOLDER: UPLOADS_SETTINGS.UPLOADS_FOLDER }

export const AdminSettings = Type.Object({
  DATABASE_URL: Type.String({
    format: URL_FORMATS.postgres,
    secret: true,
    default: 'postgres://probity:probity@127.0.0.1:5432/probity',
    description: 'What `up` hands to the api; without it, the PostgreSQL that compose.yaml starts for development.',
  }),
  DATABASE_OWNER_URL: Type.Optional(
    Type.String({
      format: URL_FORMATS.postgres,
      secret: true,
      otherwise: 'the same as DATABASE_URL',
      description:
        'PostgreSQL, directly and as the user who owns the tables; all commands work through it. Needed where DATABASE_URL is a pooler or a user with fewer rights.',
    }),
  ),
  REDIS_URL: Type.String({
    format: URL_FORMATS.redis,
    secret: true,
    default: 'redis://127.0.0.1:6379',
    description: 'What `up` hands to the api; without it, the Redis that compose.yaml starts for development.',
  }),
  PORT,
  PUBLIC_URL,
  WEB_FOLDER,
  DOCS_FOLDER,
  ...ABOUT_THE_WORKER,
})
