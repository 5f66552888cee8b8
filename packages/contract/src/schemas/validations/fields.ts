import type { Static } from 'typebox'
import Type from 'typebox'
import { EVIDENCE_CHECKS } from '../../constants/data/evidence-checks.ts'
import { REFERENCE_LENGTH_MAX } from '../../constants/limits.ts'
import { STATUSES, SUB_STATUSES } from '../../constants/validations.ts'
import { extensibleEnum, valueList } from '../fields.ts'

const OPEN_LIST = 'Values may be added: treat unrecognized values as `unknown`.'

/** Strings and not closed enums, which would break clients when a value is added. */
export const StatusField = Type.String({
  title: 'Validation status',
  ...extensibleEnum(STATUSES),
  description: `The verdict. ${OPEN_LIST}${valueList(STATUSES)}`,
})

export const SubStatusField = Type.String({
  title: 'Validation sub status',
  ...extensibleEnum(SUB_STATUSES),
  description: `The reason for the verdict; empty if the status is \`valid\`. Values may be added: use \`status\` for unrecognized values.${reasonList()}`,
})

function reasonList(): string {
  const rows = Object.entries(SUB_STATUSES).map(([reason, { status, meaning }]) => [reason, `(${status}) ${meaning}`])
  return valueList(Object.fromEntries(rows))
}

/** Depth of a validation. */
const DEPTHS = {
  dns: 'the verdict is based on the address, DNS and domain lists. No SMTP probe was needed, or none was made. Also the value of validations that did not start (`not_started`).',
  smtp: 'the verdict is based on an SMTP probe, of this request or an earlier one.',
} as const

export const DepthField = Type.Enum(['dns', 'smtp'], {
  type: 'string',
  description: `Depth of the validation.${valueList(DEPTHS)}`,
  examples: ['smtp', 'dns'],
})

/** A text of the client, stored with a request and returned with its result. */
export const REFERENCE_OPTION = {
  reference: Type.Optional(
    Type.String({
      maxLength: REFERENCE_LENGTH_MAX,
      description: `Text of your own, up to ${REFERENCE_LENGTH_MAX} characters, such as the id of a customer. It is returned in the response and in webhook events, and not evaluated.`,
      examples: ['customer-1042'],
    }),
  ),
}

/** Maximum age of a reused result. */
export const MAX_AGE_OPTION = {
  max_age_s: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        'Maximum age, in seconds, of an earlier result that may be returned instead of a new validation. 0: validate now. Without it, conclusive results of the last 24 hours are reused, which is also the longest possible age. A new result replaces the earlier one for later requests. Cached DNS findings are not affected; see `evidence`. A validation of the same address that is still in progress is joined in any case, because its result is newer than the request. A result that waits to be collected and is older than this is not returned; the new validation is charged.',
      examples: [0, 3600],
    }),
  ),
}

const meanings = Object.fromEntries(Object.entries(EVIDENCE_CHECKS).map(([check, { meaning }]) => [check, meaning]))
const outcomes = Object.assign({}, ...Object.values(EVIDENCE_CHECKS).map((check) => check.outcomes))

/** The outcomes of each check on one line: their meanings are on the evidence page of the documentation. */
const outcomesByCheck = Object.entries(EVIDENCE_CHECKS)
  .map(
    ([check, { outcomes: own }]) =>
      `\n- \`${check}\`: ${Object.keys(own)
        .map((outcome) => `\`${outcome}\``)
        .join(', ')}.`,
  )
  .join('')

export const Evidence = Type.Object(
  {
    check: Type.String({
      title: 'Evidence check',
      ...extensibleEnum(meanings),
      description: `The check that made the finding. Checks may be added.${valueList(meanings)}`,
    }),
    outcome: Type.String({
      title: 'Evidence outcome',
      ...extensibleEnum(outcomes),
      description: `The result of the check. Outcomes may be added. By check:${outcomesByCheck}`,
    }),
    detail: Type.String({
      description: 'The finding as a sentence for people. The wording may change: do not parse it.',
      examples: ['Two mail hosts were found.'],
    }),
    source: Type.Enum(['live', 'cache'], {
      type: 'string',
      description: '`live` if the check was made for this request, `cache` if an earlier finding was reused.',
      examples: ['live'],
    }),
    checked_at: Type.String({
      format: 'date-time',
      description: 'Time of the finding. Earlier than the request if `source` is `cache`.',
      examples: ['2026-11-02T12:00:00.127Z'],
    }),
    duration_ms: Type.Number({
      minimum: 0,
      description: 'Duration of the check in milliseconds; may have a fraction.',
      examples: [41.8],
    }),
    log_odds: Type.Optional(
      Type.Number({
        description:
          'Change of `deliverability` by this finding, in natural log-odds: positive values increase it, negative values decrease it. The sum over all evidence is the log-odds of `deliverability`. Absent if the finding was not weighed.',
        examples: [2.4],
      }),
    ),
  },
  {
    title: 'Evidence',
    description: 'One finding behind the verdict.',
    examples: [
      {
        check: 'recipient',
        outcome: 'accepted',
        detail: 'The mail server accepted the recipient with reply 250.',
        source: 'live',
        checked_at: '2026-11-02T12:00:00.127Z',
        duration_ms: 318.4,
        log_odds: 2.4,
      },
    ],
  },
)

export type EvidenceList = Static<typeof EvidenceList>
export const EvidenceList = Type.Array(Evidence, {
  title: 'Evidence list',
  description: 'The findings in the order in which they were made.',
  examples: [
    [
      {
        check: 'syntax',
        outcome: 'passed',
        detail: 'The address is well formed.',
        source: 'live',
        checked_at: '2026-11-02T12:00:00.041Z',
        duration_ms: 0.1,
      },
      {
        check: 'mx',
        outcome: 'found',
        detail: 'Two mail hosts were found.',
        source: 'cache',
        checked_at: '2026-11-02T11:00:14.905Z',
        duration_ms: 0.6,
      },
    ],
  ],
})
