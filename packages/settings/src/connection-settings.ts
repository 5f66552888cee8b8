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
  default: 10,
  description: 'Connections to PostgreSQL per process.',
})

export const SHARE_FEEDBACK = Type.Enum(['on', 'off'], {
  default: 'off',
  description:
    'Whether outcomes that one account reports also count for the others, up to a bound; the same for the api and the worker.',
})

export const SIGN_UP = Type.Enum(['open', 'invitation'], {
  default: 'invitation',
  description: 'Which users may sign up in the web app: all, or those with an invitation.',
})

/** Limits for installations that are open to the public. */
export const ABUSE_SETTINGS = {
  ABUSE_LIMITS: Type.Enum(['auto', 'on', 'off'], {
    default: 'auto',
    description:
      'Whether the abuse limits apply: addresses of one domain per account and day, reviews of lists that may be guessed, and DNS queries per zone. auto: on where SIGN_UP is open. The same for the API and the worker.',
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
  description: 'How much to log.',
})

export const METRICS_HOST = Type.String({
  default: '127.0.0.1',
  description: 'The address to serve metrics on; whoever reaches it reads them.',
})

/** Under the names that OpenTelemetry gives them, which whoever runs a collector knows. */
export const TRACE_SETTINGS = {
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(
    Type.String({
      pattern: '^https?://.',
      description:
        'The OpenTelemetry collector that traces are sent to, by OTLP over HTTP: its scheme, host and port (4318 as a rule). Without it there are none.',
    }),
  ),
  OTEL_EXPORTER_OTLP_HEADERS: Type.String({
    default: '',
    secret: true,
    pattern: '^([^=,]+=([^%,]|%[0-9A-Fa-f]{2})*(,|$))*$',
    description: 'What is sent along to the collector, as name=value, separated by commas; %20 in a value is a blank.',
  }),
  OTEL_TRACES_SAMPLER_ARG: Type.Number({
    minimum: 0,
    maximum: 1,
    default: 0.1,
    description: 'The share of requests, and of batches of lists, that are traced.',
  }),
}

export const PUBLIC_URL = Type.Optional(
  Type.String({
    format: 'uri',
    description:
      'Where callers reach the service, as https://host. Stands in the OpenAPI document, in letters and in the set-up link, and makes the cookies of sessions secure where it begins with https. The worker looks once an hour whether uploads and events get through there.',
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
