import type { Static } from 'typebox'
import Type from 'typebox'
import { EVIDENCE_CHECKS } from './data/evidence-checks.ts'
import { openList, valueList } from './value-list.ts'

export type EvidenceCheck = keyof typeof EVIDENCE_CHECKS
export type EvidenceOutcome<C extends EvidenceCheck> = keyof (typeof EVIDENCE_CHECKS)[C]['outcomes'] & string

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

export type Evidence = Static<typeof Evidence>
export const Evidence = Type.Object(
  {
    check: Type.String({
      title: 'Evidence check',
      ...openList(meanings),
      description: `The check that made the finding. Checks may be added.${valueList(meanings)}`,
    }),
    outcome: Type.String({
      title: 'Evidence outcome',
      ...openList(outcomes),
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

/** A finding of this moment. Accepts the outcomes of the check and no others. */
export function evidenceItem<C extends EvidenceCheck>(
  check: C,
  outcome: EvidenceOutcome<C>,
  detail: string,
  durationMs = 0,
): Evidence {
  const duration_ms = Math.round(durationMs * 1000) / 1000
  return { check, outcome, detail, source: 'live', checked_at: new Date().toISOString(), duration_ms }
}
