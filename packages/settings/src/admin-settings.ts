import Type from 'typebox'
import { DOCS_FOLDER, PORT, PUBLIC_URL, UPLOADS_SETTINGS, WEB_FOLDER } from './connection-settings.ts'
import { URL_FORMATS } from './formats.ts'
import { ABOUT_MAIL_SERVERS, DNS_SERVERS } from './worker-settings.ts'

/** Settings that `doctor` checks: those of the worker on the same host. */
const ABOUT_THE_WORKER = { DNS_SERVERS, ...ABOUT_MAIL_SERVERS, UPLOADS_FOLDER: UPLOADS_SETTINGS.UPLOADS_FOLDER }

export const AdminSettings = Type.Object({
  DATABASE_URL: Type.String({
    format: URL_FORMATS.postgres,
    secret: true,
    default: 'postgres://probity:probity@127.0.0.1:5432/probity',
    description:
      'PostgreSQL URL that `up` passes to the API and the worker. The default is the development PostgreSQL of compose.yaml.',
  }),
  DATABASE_OWNER_URL: Type.Optional(
    Type.String({
      format: URL_FORMATS.postgres,
      secret: true,
      otherwise: 'the same as PROBITY_DATABASE_URL',
      description:
        'Direct PostgreSQL URL of the role that owns the tables. All commands use it. Required if PROBITY_DATABASE_URL is a pooler or a role with fewer privileges.',
    }),
  ),
  REDIS_URL: Type.String({
    format: URL_FORMATS.redis,
    secret: true,
    default: 'redis://127.0.0.1:6379',
    description:
      'Redis URL that `up` passes to the API and the worker. The default is the development Redis of compose.yaml.',
  }),
  PORT,
  PUBLIC_URL,
  WEB_FOLDER,
  DOCS_FOLDER,
  ...ABOUT_THE_WORKER,
})
