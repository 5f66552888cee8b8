import type { Static } from 'typebox'
import Type from 'typebox'
import { nullableString } from './nullable.ts'
import { PROBING_REASONS } from './probing-words.ts'
import { openList, valueList } from './value-list.ts'

/** Whether an installation can probe mail servers. */
const PROBING_MODES = {
  smtp: 'mail servers are probed.',
  dns: 'mail servers cannot be reached at the moment. Addresses whose domain accepts mail are `unknown` with `not_probed`, never `invalid`, and their credit is refunded on every plan.',
}

export type Probing = Static<typeof ProbingField>
export const ProbingField = Type.Object(
  {
    mode: Type.Enum(['smtp', 'dns'], {
      type: 'string',
      description: `Whether mail servers are probed at the moment.${valueList(PROBING_MODES)}`,
      examples: ['smtp', 'dns'],
    }),
    reason: nullableString({
      ...openList(PROBING_REASONS),
      description: `Reason why mail servers are not probed; null if they are. Values may be added.${valueList(PROBING_REASONS)}`,
    }),
  },
  { description: 'Whether the installation can probe mail servers at the moment, and if not, the reason.' },
)

export const PROBING_EXAMPLE = { mode: 'smtp' as const, reason: null }
