import Type, { type Static, type TObject } from 'typebox'
import { URL_FORMATS } from './formats.ts'

/** Settings that several programs share, so that they mean the same in each. */
export const DATABASE_URL = Type.String({
  format: URL_FORMATS.postgres,
  secret: true,
  description: 'PostgreSQL URL, direct or through a transaction-mode pooler: postgres://user:password@host/database.',
})

export const REDIS_URL = Type.String({
  format: URL_FORMATS.redis,
  secret: true,
  description: 'Redis URL: redis://host:port, or rediss:// for TLS.',
})

export const DATABASE_CONNECTIONS = Type.Integer({
  minimum: 1,
  maximum: 100,
  default: 10,
  description: 'Connections to PostgreSQL per process.',
})

export const SHARE_FEEDBACK = Type.Boolean({
  default: false,
  description:
    'Whether outcomes reported by one account also count for other accounts, up to a limit. Must be the same for the API and the worker.',
})

export const SIGN_UP = Type.Enum(['open', 'invitation'], {
  default: 'invitation',
  description: 'Which users may sign up in the web app: all, or those with an invitation.',
})

/** Limits for installations that are open to the public. */
export const ABUSE_SETTINGS = {
  ABUSE_LIMITS: Type.Enum(['auto', 'true', 'false'], {
    default: 'auto',
    description:
      'Whether the abuse limits apply: addresses of one domain per account and day, reviews of lists that may be guessed, and DNS queries per zone. auto: enabled if PROBITY_SIGN_UP is open. Must be the same for the API and the worker.',
  }),
  ABUSE_DOMAIN_ADDRESSES: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 200,
    description:
      'Addresses of one domain that an account without payments may validate per UTC day, while the abuse limits apply. Each ten credits bought add one. Free email providers are exempt.',
  }),
}

export const LOG_LEVEL = Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'], {
  default: 'info',
  description: 'Log level.',
})

export const METRICS_HOST = Type.String({
  default: '127.0.0.1',
  description: 'Address to serve metrics on. Metrics have no authentication.',
})

/** OpenTelemetry defines these names. */
export const TRACE_SETTINGS = {
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(
    Type.String({
      pattern: '^https?://.',
      description:
        'OpenTelemetry collector for traces (OTLP over HTTP): scheme, host and port (usually 4318). Without it, tracing is off.',
    }),
  ),
  OTEL_EXPORTER_OTLP_HEADERS: Type.String({
    default: '',
    secret: true,
    pattern: '^([^=,]+=([^%,]|%[0-9A-Fa-f]{2})*(,|$))*$',
    description: 'HTTP headers for the collector: name=value pairs, comma-separated, values URL-encoded.',
  }),
  OTEL_TRACES_SAMPLER_ARG: Type.Number({
    minimum: 0,
    maximum: 1,
    default: 0.1,
    description: 'Share of requests, and of job batches, that are traced.',
  }),
}

export const PUBLIC_URL = Type.Optional(
  Type.String({
    format: 'uri',
    description:
      'Public URL of the service: https://host. Used in the OpenAPI document, in emails and in the setup link. With https, session cookies are secure. The worker checks hourly that uploads and events pass through it.',
  }),
)

export const PORT = Type.Integer({
  minimum: 0,
  maximum: 65535,
  default: 3000,
  description: 'Port that the API listens on.',
})

export const WEB_FOLDER = Type.Optional(
  Type.String({
    minLength: 1,
    otherwise: 'apps/web/dist of this installation',
    description: 'Folder with the built web app, which the API serves at /app.',
  }),
)

export const DOCS_FOLDER = Type.Optional(
  Type.String({
    minLength: 1,
    otherwise: 'apps/docs/dist of this installation',
    description: 'Folder with the built docs, which the API serves at /docs.',
  }),
)

export type AbuseLimits = {
  /** Addresses of one domain that an account without payments may validate per UTC day. */
  domainAddresses: number
}

type Settings = Static<TObject<typeof ABUSE_SETTINGS & { SIGN_UP: typeof SIGN_UP }>>

/** The abuse limits, or undefined if they are off. By default they apply if sign-up is open. */
export function readAbuseLimits(settings: Settings): AbuseLimits | undefined {
  const { ABUSE_LIMITS: wanted, SIGN_UP: signUp, ABUSE_DOMAIN_ADDRESSES: domainAddresses } = settings
  const isOn = wanted === 'true' || (wanted === 'auto' && signUp === 'open')
  return isOn ? { domainAddresses } : undefined
}

/** Storage of uploaded files, shared by every program that reads them. */
export const UPLOADS_SETTINGS = {
  UPLOADS_FOLDER: Type.Optional(
    Type.String({
      otherwise: 'probity-uploads-UID in the temporary folder of the system',
      description:
        'Folder for uploaded files, the same for the API and the worker; with several hosts, a shared folder. With PROBITY_UPLOADS_S3_BUCKET, a local folder for files while they are read.',
    }),
  ),
  UPLOADS_S3_BUCKET: Type.Optional(
    Type.String({
      pattern: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$',
      description: 'S3 bucket for uploaded files, instead of the folder. Requires both access keys.',
    }),
  ),
  UPLOADS_S3_ENDPOINT: Type.Optional(
    Type.String({
      pattern: '^https?://[^/]+/?$',
      otherwise: 'Amazon S3 in the region',
      description: 'S3 endpoint: https://host.',
    }),
  ),
  UPLOADS_S3_REGION: Type.String({
    default: 'us-east-1',
    pattern: '^[A-Za-z0-9-]{1,64}$',
    description: 'Region of the bucket.',
  }),
  UPLOADS_S3_ACCESS_KEY_ID: Type.Optional(Type.String({ description: 'S3 access key id. Required with a bucket.' })),
  UPLOADS_S3_SECRET_ACCESS_KEY: Type.Optional(
    Type.String({ secret: true, description: 'S3 secret access key. Required with a bucket.' }),
  ),
  UPLOADS_S3_PREFIX: Type.String({
    default: 'uploads/',
    pattern: '^([A-Za-z0-9_.-]+/)+$',
    description: 'Prefix of object names: folder/. Lets the bucket contain other objects.',
  }),
}

/** The SMTP relay, for the API and for email notifications. */
export const MAIL_SETTINGS = {
  MAIL_URL: Type.Optional(
    Type.String({
      pattern: '^smtps?://.',
      secret: true,
      description:
        'SMTP relay for outgoing email: smtp://user:password@host:port, or smtps://. Requires PROBITY_PUBLIC_URL. The API and the process that sends notifications need the same value. Without it, members pass on invitation links, operators create password reset links, and no notifications are sent.',
    }),
  ),
  MAIL_FROM: Type.String({
    default: 'Probity <probity@localhost>',
    description: 'Sender of outgoing email.',
  }),
}
