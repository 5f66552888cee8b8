import type { Static } from 'typebox'
import Type from 'typebox'
import type { KeyMode } from './key-format.ts'
import { hintOf } from './key-format.ts'
import { LAST_REQUEST_EXAMPLE, LastRequestField } from './last-request.ts'
import { nullableInteger, nullableString } from './nullable.ts'
import { pageQuery } from './page.ts'
import {
  KeyTypeField,
  PUBLISHABLE_FIELDS,
  PUBLISHABLE_MONTHLY_CAP_DEFAULT,
  PUBLISHABLE_SETTINGS,
} from './publishable.ts'
import { openList, valueList } from './value-list.ts'

/** What a key may be allowed to do. */
export const KEY_SCOPES = {
  validation: 'validate single addresses and JSON lists, and report what became of mail to them.',
  bulk: 'upload files, start jobs and read their results.',
  account: 'read plan, credits, limits and policies of the account, and how well predictions hold for it.',
  keys: 'create, list, change and revoke API keys.',
  webhooks: 'say where events are sent, look at what was sent, and set when credits count as low.',
  settings: 'change the name of the account, for how long it keeps results, and its policies.',
} as const satisfies Record<string, string>

export type KeyScope = keyof typeof KEY_SCOPES

/** What a key gets when nothing is said: everything but power over other keys, over where answers are sent and over the account. */
export const DEFAULT_SCOPES: readonly KeyScope[] = ['validation', 'bulk', 'account']

const MODES = ['live', 'test'] as const satisfies KeyMode[]
const SCOPES = Object.keys(KEY_SCOPES) as KeyScope[]
export const IP_ALLOW_LIST_MAX = 50
// Has the shape of a key and a wrong checksum, so that nobody can have been given it.
const SECRET_EXAMPLE = 'pb_live_ThisIsAnExampleAndNotASecret0000004fQz'
const KEY_ID = '0198f2e3-58b6-7c21-9d4f-6a0b13e7c582'

const name = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'What the key is called, from 1 to 100 characters.',
  examples: ['Sign-up form'],
})

export const KeyModeField = Type.Enum(MODES, {
  type: 'string',
  description: '`live` asks real mail servers and costs credits; `test` answers from the sandbox. It never changes.',
  examples: ['live'],
})

const KeyScopeField = Type.String({
  title: 'Key scope',
  ...openList(KEY_SCOPES),
  description: 'One thing that a key may do.',
})

/** In answers an open list of strings: a client must survive a new scope. */
export const KeyScopesField = Type.Array(KeyScopeField, {
  description: `What the key may do. The list is open.${valueList(KEY_SCOPES)}`,
  examples: [DEFAULT_SCOPES],
})

const KEY_FIELDS = {
  id: Type.String({
    format: 'uuid',
    description: 'Names the key. It is no secret and cannot be used to sign in.',
    examples: [KEY_ID],
  }),
  name,
  mode: KeyModeField,
  hint: Type.String({
    description: 'Enough of the key to recognise it: the prefix of its mode and its last four characters.',
    examples: [hintOf(SECRET_EXAMPLE)],
  }),
  scopes: KeyScopesField,
  status: Type.Enum(['active', 'paused', 'revoked', 'expired'], {
    type: 'string',
    description:
      'Whether the key works: only an `active` one does. A key that is several things at once shows `revoked` before `expired` before `paused`.',
    examples: ['active'],
  }),
  created_at: Type.String({
    format: 'date-time',
    description: 'When the key was created (RFC 3339, UTC).',
    examples: ['2026-11-02T12:00:00.000Z'],
  }),
  expires_at: time('When the key stops working (RFC 3339, UTC); null when it never does.'),
  last_used_at: time('When the key was last used, give or take a few minutes (RFC 3339, UTC); null when it never was.'),
  last_request: LastRequestField,
  revoked_at: time('When the key was revoked (RFC 3339, UTC); null when it was not.'),
  replaces: otherKey('The `id` of the key whose place this one took when that was rotated; null where there is none.'),
  replaced_by: otherKey('The `id` of the key that took its place when it was rotated; null when it was not.'),
  paused: Type.Boolean({
    description: 'Whether the key is switched off for the time being.',
    examples: [false],
  }),
  ip_allow_list: Type.Array(Type.String(), {
    description: 'The network addresses that may use the key, single or as CIDR ranges; empty when all may.',
    examples: [['192.0.2.0/24', '2001:db8::7']],
  }),
  monthly_cap: nullableInteger({
    minimum: 0,
    description:
      'Credits that the key, its predecessors and the keys that it created can use together in a calendar month (UTC); null if there is no cap.',
    examples: [5000, null],
  }),
  ...PUBLISHABLE_FIELDS,
}

const KEY_EXAMPLE = {
  id: KEY_ID,
  name: 'Sign-up form',
  mode: 'live',
  hint: hintOf(SECRET_EXAMPLE),
  scopes: ['validation'],
  status: 'active',
  created_at: '2026-11-02T12:00:00.000Z',
  expires_at: null,
  last_used_at: null,
  last_request: null,
  revoked_at: null,
  replaces: null,
  replaced_by: null,
  paused: false,
  ip_allow_list: ['192.0.2.0/24'],
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
  description: 'An API key without its secret, which cannot be shown again. Fields may be added.',
  examples: [{ ...KEY_EXAMPLE, last_used_at: '2026-11-09T08:41:00.000Z', last_request: LAST_REQUEST_EXAMPLE }],
})

export type CreatedKey = Static<typeof CreatedKey>
export const CreatedKey = Type.Object(
  {
    ...KEY_FIELDS,
    key: Type.String({
      description: 'The secret itself, to be sent as X-API-Key. It is shown this once: we keep only its hash.',
      examples: [SECRET_EXAMPLE],
    }),
  },
  {
    title: 'Created API key',
    description: 'A new API key with its secret. Fields may be added.',
    examples: [{ ...KEY_EXAMPLE, key: SECRET_EXAMPLE }],
  },
)

const scopesInput = Type.Array(Type.Enum(SCOPES, { type: 'string' }), {
  minItems: 1,
  maxItems: SCOPES.length,
  uniqueItems: true,
  description: `What the key may do; no more than the calling key may do itself.${valueList(KEY_SCOPES)}`,
  examples: [['validation']],
})

const expiresAtInput = nullableString({
  format: 'date-time',
  description:
    'When the key stops working (RFC 3339), a time in the future; null for never. No later than the calling key itself, whose expiry applies if left out.',
  examples: ['2027-11-02T00:00:00Z', null],
})

const ipAllowListInput = Type.Array(Type.String({ minLength: 2, maxLength: 49 }), {
  maxItems: IP_ALLOW_LIST_MAX,
  description: `The IPv4 and IPv6 addresses or CIDR ranges that may use the key, up to ${IP_ALLOW_LIST_MAX}; an empty list lets all use it. No more than those of the calling key, whose list applies if left out.`,
  examples: [['192.0.2.0/24', '2001:db8::7']],
})

const monthlyCapInput = nullableInteger({
  minimum: 0,
  maximum: 2_147_483_647, // what PostgreSQL's integer holds
  description: `Credits that the key, its predecessors and the keys that it creates can use together in a calendar month (UTC); null for no cap. No more than what remains of the calling key's own cap, which applies if left out. A publishable key has ${PUBLISHABLE_MONTHLY_CAP_DEFAULT.toLocaleString('en-US')} if left out.`,
  examples: [5000, null],
})

export type CreateKey = Static<typeof CreateKey>
export const CreateKey = Type.Object(
  {
    name,
    mode: Type.Optional(Type.With(KeyModeField, { default: 'live' })),
    scopes: Type.Optional(Type.With(scopesInput, { default: DEFAULT_SCOPES })),
    expires_at: Type.Optional(expiresAtInput),
    ip_allow_list: Type.Optional(ipAllowListInput),
    monthly_cap: Type.Optional(monthlyCapInput),
    type: Type.Optional(Type.With(KeyTypeField, { default: 'secret' })),
    ...PUBLISHABLE_SETTINGS,
  },
  {
    title: 'API key to create',
    description: 'The settings of a new API key. Only the name is needed.',
    additionalProperties: false,
    examples: [
      { name: 'Sign-up form', scopes: ['validation'], ip_allow_list: ['192.0.2.0/24'], monthly_cap: 5000 },
      { name: 'Continuous integration', mode: 'test', expires_at: '2027-11-02T00:00:00Z' },
      { name: 'Sign-up page', type: 'publishable', allowed_origins: ['https://www.example.com'] },
    ],
  },
)

// No defaults here: a validator that fills them in would reset what the caller did not mention.
export type UpdateKey = Static<typeof UpdateKey>
export const UpdateKey = Type.Object(
  {
    name: Type.Optional(name),
    scopes: Type.Optional(scopesInput),
    expires_at: Type.Optional(expiresAtInput),
    ip_allow_list: Type.Optional(ipAllowListInput),
    monthly_cap: Type.Optional(monthlyCapInput),
    ...PUBLISHABLE_SETTINGS,
    paused: Type.Optional(
      Type.Boolean({
        description: 'True switches the key off until further notice, false on again.',
        examples: [true],
      }),
    ),
  },
  {
    title: 'API key changes',
    description: 'The settings to change, at least one; those left out stay as they are.',
    minProperties: 1,
    additionalProperties: false,
    examples: [{ paused: true }, { name: 'Sign-up form, Europe', monthly_cap: null }],
  },
)

/** The longest that an old key goes on working beside its successor: a week. */
const OVERLAP_S_MAX = 604_800

export type RotateKey = Static<typeof RotateKey>
export const RotateKey = Type.Object(
  {
    overlap_s: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: OVERLAP_S_MAX,
        default: 86_400,
        description:
          'For how many seconds the old key goes on working: a day if left out, a week at most, 0 for not at all.',
        examples: [86_400, 0],
      }),
    ),
  },
  {
    title: 'API key rotation',
    description: 'How a key is replaced. An empty object will do.',
    additionalProperties: false,
    examples: [{ overlap_s: 3600 }],
  },
)

export type KeyParams = Static<typeof KeyParams>
export const KeyParams = Type.Object(
  {
    key_id: Type.String({ format: 'uuid', description: 'The `id` of the key.', examples: [KEY_ID] }),
  },
  { title: 'API key path', description: 'Which API key is meant.', examples: [{ key_id: KEY_ID }] },
)

export type KeyPage = Static<typeof KeyPage>
export const KeyPage = pageQuery('Page of API keys', 'keys')

export type KeyList = Static<typeof KeyList>
export const KeyList = Type.Array(ApiKey, {
  title: 'API keys',
  description: 'One page of the API keys of the account, newest first.',
  examples: [[KEY_EXAMPLE]],
})

function otherKey(description: string) {
  return nullableString({ format: 'uuid', description, examples: ['0198f2e3-7a10-7d44-8b6e-2c95d0a4e713', null] })
}

function time(description: string) {
  return nullableString({ format: 'date-time', description, examples: ['2027-11-02T00:00:00.000Z', null] })
}
