import type { Static } from 'typebox'
import Type from 'typebox'
import { OVERRIDE_ACTION_NAMES, OVERRIDE_ACTIONS, OVERRIDES_AT_ONCE_MAX, OVERRIDES_MAX } from '../constants/policies.ts'
import { count, EntryFormat, extensibleEnum, nullableString, pageQuery, valueList } from './fields.ts'

const OVERRIDE_ID = '0198f2f0-4c1a-7d02-a9be-3317c5d2e840'

/** In results an extensible enum. */
export const OverrideField = nullableString({
  ...extensibleEnum(OVERRIDE_ACTIONS),
  description: `The account's override for the address or its domain; null if it has none. An override changes \`safe_to_send\` and the decision of a policy, never the verdict.${valueList(OVERRIDE_ACTIONS)}`,
  examples: [null, 'block'],
})

const action = Type.Enum(OVERRIDE_ACTION_NAMES, {
  type: 'string',
  description: `The action of the override:${valueList(OVERRIDE_ACTIONS)}`,
  examples: ['block'],
})

const note = Type.String({
  maxLength: 200,
  description: 'The reason for the override, up to 200 characters.',
  examples: ['Unsubscribed by phone'],
})

const OVERRIDE_EXAMPLE = {
  id: OVERRIDE_ID,
  target: 'ada@example.com',
  action: 'block',
  note: 'Unsubscribed by phone',
  created_by: 'Sign-up form',
  created_at: '2026-11-02T12:00:00.000Z',
}

export type Override = Static<typeof Override>
export const Override = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'Identifies the override.', examples: [OVERRIDE_ID] }),
    target: Type.String({
      description:
        'The address or the domain, as it is compared: in lower case, an internationalized domain as A-labels. A domain covers all its addresses, but not those of its subdomains.',
      examples: ['ada@example.com', 'example.com'],
    }),
    action,
    note,
    created_by: nullableString({
      description: 'The name of the user or API key that created the override; null if it is not known.',
      examples: ['Sign-up form', null],
    }),
    created_at: Type.String({
      format: 'date-time',
      description: 'The time at which the override was created or its action last changed (RFC 3339, UTC).',
      examples: ['2026-11-02T12:00:00.000Z'],
    }),
  },
  {
    title: 'Override',
    description: 'An address or a domain that the account allows or blocks. Fields may be added.',
    examples: [OVERRIDE_EXAMPLE],
  },
)

const { skip, limit } = pageQuery('', 'overrides').properties

export type OverrideQuery = Static<typeof OverrideQuery>
export const OverrideQuery = Type.Object(
  {
    format: EntryFormat,
    action: Type.Optional(Type.With(action, { description: 'Only overrides with this action.' })),
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 320,
        description:
          'Only overrides whose `target` contains this text, in upper or lower case. There are no wildcard characters.',
        examples: ['example.com'],
      }),
    ),
    skip,
    limit,
  },
  {
    title: 'Override query',
    description: 'Filters of the overrides and the format of the response. `skip` and `limit` apply to `json` only.',
    examples: [{ action: 'block', search: 'example.com' }],
  },
)

export type OverridePage = Static<typeof OverridePage>
export const OverridePage = Type.Array(Override, {
  title: 'Override list',
  description: 'One page of the overrides, sorted by `target`.',
  examples: [[OVERRIDE_EXAMPLE]],
})

export const OverrideSheet = Type.String({
  title: 'Override CSV',
  description: 'All overrides that match the filters, sorted by `target`. Each cell is quoted.',
  examples: ['"action","target","note"\r\n"block","ada@example.com","Unsubscribed by phone"\r\n'],
})

export type AddOverrides = Static<typeof AddOverrides>
export const AddOverrides = Type.Object(
  {
    action,
    targets: Type.Array(
      Type.String({ minLength: 1, maxLength: 1024, description: 'An address or a domain.', examples: ['example.com'] }),
      {
        minItems: 1,
        maxItems: OVERRIDES_AT_ONCE_MAX,
        description: `Addresses and domains, up to ${OVERRIDES_AT_ONCE_MAX} in one request. A domain may have an @ before it.`,
        examples: [['ada@example.com', 'example.org']],
      },
    ),
    note: Type.Optional(note),
  },
  {
    title: 'Create overrides request',
    description: 'The targets to allow or to block.',
    additionalProperties: false,
    examples: [{ action: 'block', targets: ['ada@example.com', 'example.org'], note: 'Unsubscribed by phone' }],
  },
)

export type AddedOverrides = Static<typeof AddedOverrides>
export const AddedOverrides = Type.Object(
  {
    added: count('Targets that had no override.', 2),
    moved: count('Targets whose override had the other action before.', 0),
    unchanged: count(
      'Targets whose override had this action already. Their note is replaced if the request has one.',
      0,
    ),
    total: count(`Overrides of the account after the request; the limit is ${OVERRIDES_MAX}.`, 2),
  },
  {
    title: 'Create overrides result',
    description: 'Counts of what the request changed. Repeated targets count once.',
    examples: [{ added: 2, moved: 0, unchanged: 0, total: 2 }],
  },
)

export type OverrideParams = Static<typeof OverrideParams>
export const OverrideParams = Type.Object(
  { override_id: Type.String({ format: 'uuid', description: 'The `id` of the override.', examples: [OVERRIDE_ID] }) },
  { title: 'Override path', description: 'The override.', examples: [{ override_id: OVERRIDE_ID }] },
)
