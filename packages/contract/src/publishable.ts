import Type from 'typebox'
import { nullableInteger, nullableString } from './nullable.ts'

/** A secret key stays on servers of the account; a publishable key is part of public web pages. */
export type KeyType = 'secret' | 'publishable'
const KEY_TYPES = ['secret', 'publishable'] as const satisfies KeyType[]

/** The scopes of every publishable key, without the read scope. Only `POST /validation/decision` accepts such keys. */
export const PUBLISHABLE_SCOPES = ['validations:write'] as const

/** The policy of a publishable key if none is given at its creation. */
export const PUBLISHABLE_POLICY = 'signup'

/** The monthly cap of a publishable key if none is given: the credits that visitors of a page can use. */
export const PUBLISHABLE_MONTHLY_CAP_DEFAULT = 10_000

const ALLOWED_ORIGINS_MAX = 20
const ALLOWED_POLICIES_MAX = 20
/** A visitor who fills in a form needs a few requests; an office behind one IP address needs more. */
export const VISITOR_CAP_DEFAULT = 30

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

/** Whether a text is an origin as browsers send it: lower case, without a path and without the default port. */
export function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, origin } = new URL(text)
  return (protocol === 'https:' || protocol === 'http:') && origin === text
}
