import type { Static } from 'typebox'
import Type from 'typebox'
import {
  ALLOWED_ORIGINS_MAX,
  ALLOWED_POLICIES_MAX,
  DEFAULT_SCOPES,
  formatKeyHint,
  IP_ALLOWLIST_MAX,
  KEY_SCOPES,
  KEY_TYPES,
  type KeyScope,
  OVERLAP_S_MAX,
  PUBLISHABLE_MONTHLY_CAP_DEFAULT,
  PUBLISHABLE_POLICY,
  VISITOR_CAP_DEFAULT,
} from '../constants/keys.ts'
import { extensibleEnum, LivemodeField, nullableInteger, nullableString, pageQuery, valueList } from './fields.ts'
import { StatusField } from './validations/fields.ts'

const ORIGINS = ['https://www.example.com', 'http://localhost:5173']

export const KeyTypeField = Type.Enum(KEY_TYPES, {
  type: 'string',
  description:
    'A `secret` key stays on your servers. A `publishable` key (`pb_pub_…`) is part of web pages: it works from the allowed origins only and for `POST /validation/decision` only, whose response does not show whether a mailbox exists. The type of a key never changes.',
  examples: ['secret'],
})

/** Fields of a key in responses. */
export const PUBLISHABLE_FIELDS = {
  type: KeyTypeField,
  allowed_origins: Type.Array(Type.String(), {
    description: 'Origins whose pages can use a publishable key; empty for a secret key.',
    examples: [[], ORIGINS],
  }),
  allowed_policies: Type.Array(Type.String(), {
    description:
      'Names of the policies that pages can use with a publishable key. The first one is the default. Empty for a secret key.',
    examples: [[], [PUBLISHABLE_POLICY]],
  }),
  visitor_cap: nullableInteger({
    minimum: 1,
    description: 'Requests per hour and client IP address with a publishable key; null for a secret key.',
    examples: [null, VISITOR_CAP_DEFAULT],
  }),
  public_key: nullableString({
    description: 'The publishable key itself, which is public; null for a secret key.',
    examples: [null],
  }),
}

/** Settings of a key in requests. */
export const PUBLISHABLE_SETTINGS = {
  allowed_origins: Type.Optional(
    Type.Array(Type.String({ minLength: 8, maxLength: 300 }), {
      minItems: 1,
      maxItems: ALLOWED_ORIGINS_MAX,
      uniqueItems: true,
      description: `Origins whose pages can use the key, at most ${ALLOWED_ORIGINS_MAX}, exactly as browsers send them: scheme, host, and the port unless it is the default. Required for a publishable key and rejected for a secret key.`,
      examples: [ORIGINS],
    }),
  ),
  allowed_policies: Type.Optional(
    Type.Array(Type.String({ maxLength: 50, pattern: '^[a-z0-9][a-z0-9_-]{0,49}$' }), {
      minItems: 1,
      maxItems: ALLOWED_POLICIES_MAX,
      uniqueItems: true,
      description: `Names of the policies that pages can use with a publishable key, at most ${ALLOWED_POLICIES_MAX}. The first one is the default. If left out: \`${PUBLISHABLE_POLICY}\`.`,
      examples: [[PUBLISHABLE_POLICY, 'newsletter']],
    }),
  ),
  visitor_cap: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 10_000,
      description: `Requests per hour and client IP address with a publishable key. Default: ${VISITOR_CAP_DEFAULT}.`,
      examples: [VISITOR_CAP_DEFAULT],
    }),
  ),
}

/** The last request that was made with a key. The names are those of the request log. */
export type LastRequest = {
  occurred_at: string
  method: string
  route: string
  http_status: number
  duration_ms: number
  result_status?: string
}

export const LAST_REQUEST_EXAMPLE: LastRequest = {
  occurred_at: '2026-11-09T08:41:00.000Z',
  method: 'POST',
  route: '/api/v1/validation/single',
  http_status: 200,
  duration_ms: 412,
  result_status: 'valid',
}

export const LastRequestField = Type.Unsafe<LastRequest | null>({
  type: ['object', 'null'],
  required: ['occurred_at', 'method', 'route', 'http_status', 'duration_ms'],
  properties: {
    occurred_at: Type.String({
      format: 'date-time',
      description: 'Time of the request (RFC 3339, UTC).',
      examples: [LAST_REQUEST_EXAMPLE.occurred_at],
    }),
    method: Type.String({ description: 'HTTP method.', examples: [LAST_REQUEST_EXAMPLE.method] }),
    route: Type.String({
      description: 'Route pattern, without ids or addresses.',
      examples: [LAST_REQUEST_EXAMPLE.route],
    }),
    http_status: Type.Integer({
      description: 'HTTP status of the response.',
      examples: [LAST_REQUEST_EXAMPLE.http_status],
    }),
    duration_ms: Type.Integer({
      minimum: 0,
      description: 'Time until the response, in milliseconds.',
      examples: [LAST_REQUEST_EXAMPLE.duration_ms],
    }),
    result_status: StatusField,
  },
  description:
    'Last request with the key, up to a few seconds late; null if the key was never used. `result_status` is present if the request validated a single address.',
  examples: [LAST_REQUEST_EXAMPLE, null],
})

const SCOPES = Object.keys(KEY_SCOPES) as KeyScope[]
// Has the format of a key and a wrong checksum, so no real key can equal it.
const SECRET_EXAMPLE = 'pb_live_ThisIsAnExampleAndNotASecret0000004fQz'
const KEY_ID = '0198f2e3-58b6-7c21-9d4f-6a0b13e7c582'

const name = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'Name of the key, 1 to 100 characters.',
  examples: ['Sign-up form'],
})

export const KeyLivemodeField = Type.With(LivemodeField, {
  description:
    'Whether the key is a live key. A live key validates with real mail servers and uses credits; a test key (`false`) uses the sandbox. The mode of a key never changes.',
})

const KeyScopeField = Type.String({
  title: 'API key scope',
  ...extensibleEnum(KEY_SCOPES),
  description: 'One scope of an API key.',
})

/** An extensible enum in responses: clients must accept new scopes. */
export const KeyScopesField = Type.Array(KeyScopeField, {
  description: `Scopes of the key, including the read scope of every write scope. Scopes may be added.${valueList(KEY_SCOPES)}`,
  examples: [DEFAULT_SCOPES],
})

const KEY_FIELDS = {
  id: Type.String({
    format: 'uuid',
    description: 'Id of the key. It is not secret and does not authenticate requests.',
    examples: [KEY_ID],
  }),
  name,
  livemode: KeyLivemodeField,
  hint: Type.String({
    description: 'Prefix and last four characters of the key, to recognize it by.',
    examples: [formatKeyHint(SECRET_EXAMPLE)],
  }),
  scopes: KeyScopesField,
  status: Type.Enum(['active', 'paused', 'revoked', 'expired'], {
    type: 'string',
    description:
      'Status of the key; only `active` keys authenticate requests. If several statuses apply, `revoked` takes precedence over `expired`, and `expired` over `paused`.',
    examples: ['active'],
  }),
  created_at: Type.String({
    format: 'date-time',
    description: 'Time of creation (RFC 3339, UTC).',
    examples: ['2026-11-02T12:00:00.000Z'],
  }),
  expires_at: time('Expiry (RFC 3339, UTC); null if the key does not expire.'),
  last_used_at: time(
    'Time of the last use, accurate to a few minutes (RFC 3339, UTC); null if the key was never used.',
  ),
  last_request: LastRequestField,
  revoked_at: time('Time of revocation (RFC 3339, UTC); null if the key is not revoked.'),
  replaces_key_id: otherKey('`id` of the key whose rotation created this one; null if there is none.'),
  replaced_by_key_id: otherKey('`id` of the key that the rotation of this one created; null if it was not rotated.'),
  paused: Type.Boolean({
    description: 'Whether the key is paused. Requests with a paused key are rejected.',
    examples: [false],
  }),
  ip_allowlist: Type.Array(Type.String(), {
    description:
      'IP addresses and CIDR ranges that requests with the key can come from; empty if there is no restriction.',
    examples: [['192.0.2.0/24', '2001:db8::7']],
  }),
  monthly_cap: nullableInteger({
    minimum: 0,
    description:
      'Credits that the key, the keys it replaced and the keys it created can use together per calendar month (UTC); null if there is no cap.',
    examples: [5000, null],
  }),
  ...PUBLISHABLE_FIELDS,
}

const KEY_EXAMPLE = {
  id: KEY_ID,
  name: 'Sign-up form',
  livemode: true,
  hint: formatKeyHint(SECRET_EXAMPLE),
  scopes: ['validations:read', 'validations:write'],
  status: 'active',
  created_at: '2026-11-02T12:00:00.000Z',
  expires_at: null,
  last_used_at: null,
  last_request: null,
  revoked_at: null,
  replaces_key_id: null,
  replaced_by_key_id: null,
  paused: false,
  ip_allowlist: ['192.0.2.0/24'],
  monthly_cap: 5000,
  type: 'secret',
  allowed_origins: [],
  allowed_policies: [],
  visitor_cap: null,
  public_key: null,
}

export type ApiKey = Static<typeof ApiKey>
export const ApiKey = Type.Object(KEY_FIELDS, {
  title: 'API key',
  description: 'An API key without its secret, which is shown only at creation. Fields may be added.',
  examples: [{ ...KEY_EXAMPLE, last_used_at: '2026-11-09T08:41:00.000Z', last_request: LAST_REQUEST_EXAMPLE }],
})

export type CreatedKey = Static<typeof CreatedKey>
export const CreatedKey = Type.Object(
  {
    ...KEY_FIELDS,
    key: Type.String({
      description: 'The key itself, to be sent as `X-API-Key`. It is not shown again: only its hash is stored.',
      examples: [SECRET_EXAMPLE],
    }),
  },
  {
    title: 'API key with secret',
    description: 'A new API key with its secret. Fields may be added.',
    examples: [{ ...KEY_EXAMPLE, key: SECRET_EXAMPLE }],
  },
)

const scopesInput = Type.Array(Type.Enum(SCOPES, { type: 'string' }), {
  minItems: 1,
  maxItems: SCOPES.length,
  uniqueItems: true,
  description: `Scopes of the key. A write scope adds the read scope of the same subject. A key grants only scopes that it has itself. A publishable key has \`validations:write\` alone.${valueList(KEY_SCOPES)}`,
  examples: [['validations:write']],
})

const expiresAtInput = nullableString({
  format: 'date-time',
  description:
    'Expiry (RFC 3339), in the future; null for none. Not later than the expiry of the calling key, which is the default.',
  examples: ['2027-11-02T00:00:00Z', null],
})

const ipAllowlistInput = Type.Array(Type.String({ minLength: 2, maxLength: 49 }), {
  maxItems: IP_ALLOWLIST_MAX,
  description: `IPv4 and IPv6 addresses and CIDR ranges that requests with the key can come from, at most ${IP_ALLOWLIST_MAX}; an empty array for no restriction. Not wider than the allowlist of the calling key, which is the default.`,
  examples: [['192.0.2.0/24', '2001:db8::7']],
})

const monthlyCapInput = nullableInteger({
  minimum: 0,
  maximum: 2_147_483_647, // maximum of PostgreSQL's integer
  description: `Credits that the key, the keys it replaced and the keys it creates can use together per calendar month (UTC); null for no cap. Not more than what remains of the cap of the calling key, which is the default. Default for a publishable key: ${PUBLISHABLE_MONTHLY_CAP_DEFAULT.toLocaleString('en-US')}.`,
  examples: [5000, null],
})

const livemodeInput = Type.With(LivemodeField, {
  description:
    'Whether to create a live key; `false` creates a test key. Default: the mode of the calling key. A test key creates only test keys.',
  examples: [false],
})

export type CreateKey = Static<typeof CreateKey>
export const CreateKey = Type.Object(
  {
    name,
    livemode: Type.Optional(livemodeInput),
    scopes: Type.Optional(Type.With(scopesInput, { default: DEFAULT_SCOPES })),
    expires_at: Type.Optional(expiresAtInput),
    ip_allowlist: Type.Optional(ipAllowlistInput),
    monthly_cap: Type.Optional(monthlyCapInput),
    type: Type.Optional(Type.With(KeyTypeField, { default: 'secret' })),
    ...PUBLISHABLE_SETTINGS,
  },
  {
    title: 'Create API key request',
    description: 'Settings of a new API key. Only the name is required.',
    additionalProperties: false,
    examples: [
      { name: 'Sign-up form', scopes: ['validations:write'], ip_allowlist: ['192.0.2.0/24'], monthly_cap: 5000 },
      { name: 'Continuous integration', livemode: false, expires_at: '2027-11-02T00:00:00Z' },
      { name: 'Sign-up page', type: 'publishable', allowed_origins: ['https://www.example.com'] },
    ],
  },
)

// No defaults: a validator that applies them would reset settings that the request leaves out.
export type UpdateKey = Static<typeof UpdateKey>
export const UpdateKey = Type.Object(
  {
    name: Type.Optional(name),
    scopes: Type.Optional(scopesInput),
    expires_at: Type.Optional(expiresAtInput),
    ip_allowlist: Type.Optional(ipAllowlistInput),
    monthly_cap: Type.Optional(monthlyCapInput),
    ...PUBLISHABLE_SETTINGS,
    paused: Type.Optional(
      Type.Boolean({
        description: 'Whether the key is paused: `true` pauses it, `false` resumes it.',
        examples: [true],
      }),
    ),
  },
  {
    title: 'Update API key request',
    description: 'Settings to change, at least one. Settings that are left out keep their value.',
    minProperties: 1,
    additionalProperties: false,
    examples: [{ paused: true }, { name: 'Sign-up form, Europe', monthly_cap: null }],
  },
)

export type RotateKey = Static<typeof RotateKey>
export const RotateKey = Type.Object(
  {
    overlap_s: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: OVERLAP_S_MAX,
        default: 86_400,
        description: 'Seconds that the old key keeps working, at most a week. Default: a day. 0 ends it immediately.',
        examples: [86_400, 0],
      }),
    ),
  },
  {
    title: 'Rotate API key request',
    description: 'Options of a key rotation. All are optional.',
    additionalProperties: false,
    examples: [{ overlap_s: 3600 }],
  },
)

export type KeyParams = Static<typeof KeyParams>
export const KeyParams = Type.Object(
  {
    key_id: Type.String({ format: 'uuid', description: '`id` of the key.', examples: [KEY_ID] }),
  },
  { title: 'API key path', description: 'API key of the request.', examples: [{ key_id: KEY_ID }] },
)

export type KeyPage = Static<typeof KeyPage>
export const KeyPage = pageQuery('Page of API keys', 'keys')

export type KeyList = Static<typeof KeyList>
export const KeyList = Type.Array(ApiKey, {
  title: 'API key list',
  description: 'One page of the API keys of the account, newest first.',
  examples: [[KEY_EXAMPLE]],
})

function otherKey(description: string) {
  return nullableString({ format: 'uuid', description, examples: ['0198f2e3-7a10-7d44-8b6e-2c95d0a4e713', null] })
}

function time(description: string) {
  return nullableString({ format: 'date-time', description, examples: ['2027-11-02T00:00:00.000Z', null] })
}
