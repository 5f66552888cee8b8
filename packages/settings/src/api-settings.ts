import Type from 'typebox'
import {
  ABUSE_SETTINGS,
  DATABASE_CONNECTIONS,
  DATABASE_URL,
  DOCS_FOLDER,
  LOG_LEVEL,
  METRICS_HOST,
  PORT,
  PUBLIC_URL,
  REDIS_URL,
  SHARE_FEEDBACK,
  SIGN_UP,
  TRACE_SETTINGS,
  WEB_FOLDER,
} from './connection-settings.ts'
import { UPLOADS_SETTINGS } from './uploads-settings.ts'

const ABOUT_PEOPLE = {
  SIGN_UP,
  ACCOUNT_CREATION: Type.Optional(
    Type.Enum(['users', 'operators'], {
      otherwise: '`users` if SIGN_UP is open, else `operators`',
      description: 'Which users can create accounts: all users, or operators only.',
    }),
  ),
  NEW_ACCOUNT_PLAN: Type.String({ default: 'payg', description: 'Plan of an account that a user creates.' }),
  NEW_ACCOUNT_CREDITS: Type.Optional(
    Type.String({
      pattern: '^(unlimited|[0-9]{1,9})$',
      otherwise: '`0` if SIGN_UP is open, else `unlimited`',
      description:
        'Opening credits of an account that a user creates: a whole number, granted once per user, or unlimited for every account. Must be a number if payments are enabled (STRIPE_SECRET_KEY).',
    }),
  ),
  MAIL_URL: Type.Optional(
    Type.String({
      pattern: '^smtps?://.',
      secret: true,
      description:
        'The mail server that letters to people go through, as smtp://user:password@host:port, or smtps://; needs PUBLIC_URL. Without it members hand over invitation links, operators create password reset links, and other links are in the log.',
    }),
  ),
  MAIL_FROM: Type.String({
    default: 'Probity <probity@localhost>',
    description: 'The sender of letters to people.',
  }),
  SESSION_SECRET: Type.Optional(
    Type.String({
      minLength: 32,
      secret: true,
      otherwise: 'made by the migrations, in the table secrets',
      description:
        'What sessions are signed with, at least 32 characters, the same for every process. Who changes it signs everybody out and ends second factors, which are encrypted with it.',
    }),
  ),
}

const ABOUT_MONEY = {
  STRIPE_SECRET_KEY: Type.Optional(
    Type.String({
      pattern: '^[sr]k_(live|test)_.',
      secret: true,
      description:
        'The secret or restricted key of a Stripe account, with which credits and plans are sold; without it nothing is. Needs the next one and PUBLIC_URL.',
    }),
  ),
  STRIPE_WEBHOOK_SECRET: Type.Optional(
    Type.String({
      pattern: '^whsec_.',
      secret: true,
      description: 'The signing secret of the endpoint at which Stripe says what was paid.',
    }),
  ),
  SUSPEND_ON_DISPUTE: Type.Enum(['on', 'off'], {
    default: 'on',
    description:
      'Whether a disputed payment suspends its account. The account is resumed when the dispute is won. Credits are taken back in both cases.',
  }),
}

const ABOUT_OPERATORS = {
  OPERATOR_2FA: Type.Enum(['required', 'optional'], {
    default: 'required',
    description:
      'Whether operators need two-factor authentication, and a code of the last 15 minutes for sensitive actions. optional is for development: PUBLIC_URL, or HOST without it, must be a loopback address.',
  }),
  OPERATOR_NETWORKS: Type.String({
    default: '',
    otherwise: 'every address',
    description:
      'IP addresses or CIDR ranges that operator pages can be used from, separated by commas. Behind a proxy, TRUST_PROXY must name it.',
  }),
}

export const ApiSettings = Type.Object({
  DATABASE_URL,
  REDIS_URL,
  HOST: Type.String({ default: '127.0.0.1', description: 'The address to listen on; 0.0.0.0 or :: for all.' }),
  PORT,
  PUBLIC_URL,
  TRUST_PROXY: Type.String({
    default: '',
    description: 'Addresses or CIDR ranges of the proxies whose X-Forwarded-For is believed, separated by commas.',
  }),
  DATABASE_CONNECTIONS,
  IN_FLIGHT_MAX: Type.Integer({
    minimum: 1,
    maximum: 100_000,
    default: 512,
    description:
      'Requests that a process works on at once, at most; how many it takes on below that it finds out by itself. Beyond it callers get 503 with Retry-After.',
  }),
  CONNECTIONS_PER_NETWORK_MAX: Type.Integer({
    minimum: 1,
    maximum: 100_000,
    default: 256,
    description:
      'Open connections of one client network (an IPv4 address or an IPv6 /64). Further ones are answered 429 and closed. Connections of TRUST_PROXY are not limited.',
  }),
  UNFINISHED_PER_NETWORK_MAX: Type.Integer({
    minimum: 1,
    maximum: 100_000,
    default: 64,
    description:
      'Unfinished requests of one client network: those whose body is incomplete or whose response is not read. Further requests are answered 429. Behind TRUST_PROXY, the network is that of the forwarded address.',
  }),
  WRITE_TIMEOUT_MS: Type.Integer({
    minimum: 20_000,
    maximum: 600_000,
    default: 30_000,
    description: 'Time after which a client that reads nothing of its response is disconnected. A slow reader is not.',
  }),
  STOP_NOTICE_MS: Type.Integer({
    minimum: 0,
    maximum: 10_000,
    default: 3_000,
    description: 'How long /readyz says no before the process stops listening, so that load balancers look elsewhere.',
  }),
  UPLOADS_PER_ACCOUNT: Type.Integer({
    minimum: 1,
    maximum: 10_000,
    default: 20,
    description: 'Uploads of one account that are not confirmed, at most. Beyond it uploads are rejected with 409.',
  }),
  UPLOAD_MEGABYTES_PER_ACCOUNT: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 500,
    description:
      'Megabytes of uploads of one account that are not confirmed, at most. Confirmed uploads of test mode count too, since they cost nothing.',
  }),
  KEYS_PER_ACCOUNT: Type.Integer({
    minimum: 1,
    maximum: 10_000,
    default: 100,
    description:
      'API keys of one account that are neither revoked nor expired, at most. Beyond it the creation of a key is rejected with 409. Ten times as many can be created in 24 hours.',
  }),
  PUBLIC_SANDBOX: Type.Enum(['on', 'off'], {
    default: 'on',
    description:
      'Whether the public sandbox key works, with which anybody can try the API in test mode without an account.',
  }),
  WEB_FOLDER,
  DOCS_FOLDER,
  ...ABOUT_PEOPLE,
  ...ABOUT_OPERATORS,
  ...ABUSE_SETTINGS,
  SHARE_FEEDBACK,
  REQUEST_LOG_DAYS: Type.Integer({
    minimum: 0,
    maximum: 30,
    default: 7,
    description: 'For how many days requests stay in the log of their account; 0 keeps none. They hold no address.',
  }),
  ...ABOUT_MONEY,
  METRICS_PORT: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 65535,
      description: 'The port to serve metrics on, at /metrics, as Prometheus reads them; without it there are none.',
    }),
  ),
  METRICS_HOST,
  ...TRACE_SETTINGS,
  ...UPLOADS_SETTINGS,
  LOG_LEVEL,
})
