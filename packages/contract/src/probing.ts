import type { Static } from 'typebox'
import Type from 'typebox'
import { nullableString } from './nullable.ts'
import { PROBING_REASONS } from './probing-words.ts'
import { openList, valueList } from './value-list.ts'

/** Whether an installation can ask mail servers. */
const PROBING_MODES = {
  smtp: 'mail servers are asked.',
  dns: 'no mail server can be asked at present. Addresses whose domain takes mail are `unknown` with `not_probed`, and their credit is given back whatever the plan says; no address is `invalid` for it.',
}

export type Probing = Static<typeof ProbingField>
export const ProbingField = Type.Object(
  {
    mode: Type.Enum(['smtp', 'dns'], {
      type: 'string',
      description: `Whether mail servers are asked just now.${valueList(PROBING_MODES)}`,
      examples: ['smtp', 'dns'],
    }),
    reason: nullableString({
      ...openList(PROBING_REASONS),
      description: `Why not, where they are not; null where they are. The list is open.${valueList(PROBING_REASONS)}`,
    }),
  },
  { description: 'Whether the installation can ask mail servers just now, and if not, why.' },
)

export const PROBING_EXAMPLE = { mode: 'smtp' as const, reason: null }
