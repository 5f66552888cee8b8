import type { Static } from 'typebox'
import Type from 'typebox'
import { LivemodeField } from './livemode.ts'
import { nullableInteger, nullableString } from './nullable.ts'
import { DecisionField } from './policies.ts'

/** Where a key may be: on a server of its owner's, or in pages that everybody reads. */
export type KeyType = 'secret' | 'publishable'
const KEY_TYPES = ['secret', 'publishable'] as const satisfies KeyType[]

/** What a publishable key may do, whatever is asked for: one address at a time, by POST. */
export const PUBLISHABLE_SCOPES = ['validation'] as const

/** The policy of a publishable key if none is given at its creation. */
export const PUBLISHABLE_POLICY = 'signup'

/** The monthly cap of a publishable key if none is given: the credits that visitors of a page can use. */
export const PUBLISHABLE_MONTHLY_CAP_DEFAULT = 10_000

const ALLOWED_ORIGINS_MAX = 20
const ALLOWED_POLICIES_MAX = 20
/** A person who fills in a form needs a few; an office behind one address needs some more. */
export const VISITOR_CAP_DEFAULT = 30

const ORIGINS = ['https://www.example.com', 'http://localhost:5173']

export const KeyTypeField = Type.Enum(KEY_TYPES, {
  type: 'string',
  description:
    'A `secret` key stays on your servers. A `publishable` one (`pb_pub_…`) stands in web pages: it works from the allowed origins only, validates one address at a time by POST, and is told a decision and nothing that tells whether a mailbox exists. It never changes.',
  examples: ['secret'],
})

/** Of a key that is shown. */
export const PUBLISHABLE_FIELDS = {
  type: KeyTypeField,
  allowed_origins: Type.Array(Type.String(), {
    description: 'The origins whose pages may use a publishable key; empty for a secret one.',
    examples: [[], ORIGINS],
  }),
  allowed_policies: Type.Array(Type.String(), {
    description:
      'The policies that pages may name, for a publishable key; the first one applies if they name none. Empty for a secret key.',
    examples: [[], [PUBLISHABLE_POLICY]],
  }),
  visitor_cap: nullableInteger({
    minimum: 1,
    description:
      'How many requests in an hour one network address may make with a publishable key; null for a secret one.',
    examples: [null, VISITOR_CAP_DEFAULT],
  }),
  public_key: nullableString({
    description:
      'A publishable key itself, which stands in pages for everybody to read; null for a secret one, and for those made before this field was.',
    examples: [null],
  }),
}

/** Of a key that is made or changed. */
export const PUBLISHABLE_SETTINGS = {
  allowed_origins: Type.Optional(
    Type.Array(Type.String({ minLength: 8, maxLength: 300 }), {
      minItems: 1,
      maxItems: ALLOWED_ORIGINS_MAX,
      uniqueItems: true,
      description: `Of a publishable key, which needs at least one: the origins whose pages may use it, up to ${ALLOWED_ORIGINS_MAX}, exactly as browsers send them: scheme, host, and the port where it is not the usual one.`,
      examples: [ORIGINS],
    }),
  ),
  allowed_policies: Type.Optional(
    Type.Array(Type.String({ maxLength: 50, pattern: '^[a-z0-9][a-z0-9_-]{0,49}$' }), {
      minItems: 1,
      maxItems: ALLOWED_POLICIES_MAX,
      uniqueItems: true,
      description: `Of a publishable key: the names of the policies that pages may name, up to ${ALLOWED_POLICIES_MAX}; the first one applies if they name none. \`${PUBLISHABLE_POLICY}\` if left out.`,
      examples: [[PUBLISHABLE_POLICY, 'newsletter']],
    }),
  ),
  visitor_cap: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 10_000,
      description: `Of a publishable key: how many requests in an hour one network address may make; ${VISITOR_CAP_DEFAULT} if left out.`,
      examples: [VISITOR_CAP_DEFAULT],
    }),
  ),
}

export type BrowserAnswer = Static<typeof BrowserAnswer>
export const BrowserAnswer = Type.Object(
  {
    decision: DecisionField,
    reason: Type.String({
      description: 'Why, as the rule of the policy says it.',
      examples: ['Addresses of this domain are thrown away after use.'],
    }),
    did_you_mean: nullableString({
      description: 'The address that was probably intended, when this one looks mistyped; null otherwise.',
      examples: ['ada@example.com', null],
    }),
    livemode: LivemodeField,
  },
  {
    title: 'Answer to a browser',
    description: 'All that a publishable key is told of an address. Fields may be added.',
    examples: [
      {
        decision: 'block',
        reason: 'Addresses of this domain are thrown away after use.',
        did_you_mean: null,
        livemode: true,
      },
    ],
  },
)

/** Whether a text is an origin as browsers write it: nothing behind the host, lower case, no port that goes without saying. */
export function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, origin } = new URL(text)
  return (protocol === 'https:' || protocol === 'http:') && origin === text
}
