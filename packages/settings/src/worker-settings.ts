import Type from 'typebox'
import {
  ABUSE_SETTINGS,
  DATABASE_CONNECTIONS,
  DATABASE_URL,
  LOG_LEVEL,
  METRICS_HOST,
  PUBLIC_URL,
  REDIS_URL,
  SHARE_FEEDBACK,
  SIGN_UP,
  TRACE_SETTINGS,
} from './connection-settings.ts'
import { URL_FORMATS } from './formats.ts'
import { UPLOADS_SETTINGS } from './uploads-settings.ts'

const HOST_NAME = '^(?=.{4,253}$)([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z]{2,63}$'
const MAIL_ADDRESS = '^[A-Za-z0-9._+-]{1,64}@[A-Za-z0-9.-]{4,190}$'

/** Who we are to mail servers, and from where: for the worker, and for the doctor who looks at it. */
export const ABOUT_MAIL_SERVERS = {
  SMTP_HELO_NAME: Type.Optional(
    Type.String({
      pattern: HOST_NAME,
      description:
        'Our full host name, told to mail servers; its address must point back to it. Without it no mail server is asked.',
    }),
  ),
  SMTP_MAIL_FROM: Type.Optional(
    Type.String({
      pattern: MAIL_ADDRESS,
      description: 'The sender that mail servers see: an address of yours that takes mail. Goes with SMTP_HELO_NAME.',
    }),
  ),
  SMTP_EGRESS: Type.String({
    default: '',
    secret: true,
    otherwise: 'one way out, by SMTP_HELO_NAME',
    description:
      'Ways out with a name each, as host-name=address or host-name=socks5://user:password@host:port, separated by commas.',
  }),
  SMTP_DENY: Type.String({
    default: '',
    description:
      'Addresses or CIDR ranges that are never connected to, for mail or for webhooks. Addresses that are not public, those of network interfaces and egresses, and those that the EHLO names resolve to are denied without it.',
  }),
}

const ABOUT_ADDRESSES = {
  SMTP_ADDRESS_CONNECTIONS: Type.Integer({
    minimum: 1,
    maximum: 10_000,
    default: 4,
    description:
      'Connections to one IP address at once, of all workers and egresses together, whatever the host names. Addresses of known providers have the limits of the provider instead.',
  }),
  SMTP_ADDRESS_CONNECTIONS_PER_MINUTE: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 60,
    description: 'New connections to one IP address in a minute. Goes with SMTP_ADDRESS_CONNECTIONS.',
  }),
}

const ABOUT_WORK = {
  WORKER_CONCURRENCY: Type.Integer({
    minimum: 1,
    maximum: 1_000,
    default: 500,
    description: 'Tasks that a process works on at once. Most of their time is spent waiting for others.',
  }),
  LIST_SLOTS: Type.Integer({
    minimum: 0,
    maximum: 200,
    default: 32,
    description:
      'Batches of lists, of up to 100 addresses each, that a process works on at once; callers who wait have slots of their own beside them. 0 for none.',
  }),
  WEBHOOK_SLOTS: Type.Integer({
    minimum: 0,
    maximum: 1_000,
    default: 200,
    description: 'Events that a process sends to webhooks at once; 0 on hosts that are to send none.',
  }),
  RELEASE: Type.Boolean({
    default: true,
    description: 'Whether the process also looks for work that the queue lost. Off on hosts that only probe.',
  }),
}

export const DNS_SERVERS = Type.String({
  default: '',
  otherwise: 'those of the system',
  description: 'The resolvers to ask, as address or address:port, separated by commas.',
})

export const WorkerSettings = Type.Object({
  DATABASE_URL,
  DATABASE_DIRECT_URL: Type.Optional(
    Type.String({
      format: URL_FORMATS.postgres,
      secret: true,
      otherwise: 'the same as DATABASE_URL',
      description:
        'PostgreSQL without a pooler, for one connection that listens; needed where DATABASE_URL is a pooler.',
    }),
  ),
  REDIS_URL,
  DNS_SERVERS,
  LISTS_FOLDER: Type.Optional(
    Type.String({
      description:
        'A folder with your own disposable.txt, free.txt, relays.txt and allow.txt: one domain per line, # begins a comment, read again when a file changes. Your word goes before the lists we ship.',
    }),
  ),
  ...ABOUT_MAIL_SERVERS,
  ...ABOUT_ADDRESSES,
  ...UPLOADS_SETTINGS,
  DATABASE_CONNECTIONS,
  ...ABOUT_WORK,
  SIGN_UP,
  ...ABUSE_SETTINGS,
  SHARE_FEEDBACK,
  WORKER_METRICS_PORT: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 65535,
      description:
        "The port to serve the worker's metrics on, at /metrics; without it there are none. Another than the api's, and for each worker of a host one of its own.",
    }),
  ),
  METRICS_HOST,
  ...TRACE_SETTINGS,
  PUBLIC_URL,
  LOG_LEVEL,
})
