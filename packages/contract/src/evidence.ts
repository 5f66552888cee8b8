import type { Static } from 'typebox'
import Type from 'typebox'

export type Evidence = Static<typeof Evidence>
export const Evidence = Type.Object(
  {
    check: Type.String({
      description: 'Which check this was. New checks may appear.',
      examples: ['syntax', 'mx', 'disposable', 'recipient', 'catch_all'],
    }),
    outcome: Type.String({
      description: 'What the check found, in one word of its own vocabulary.',
      examples: ['passed', 'found', 'accepted', 'rejected', 'deferred'],
    }),
    detail: Type.String({
      description: 'The finding in a sentence for people. Its wording may change: do not parse it.',
      examples: ['Two mail hosts were found.'],
    }),
    source: Type.Enum(['live', 'cache'], {
      type: 'string',
      description: '`live` when asked for this request, `cache` when an earlier finding was used again.',
      examples: ['live'],
    }),
    at: Type.Number({
      minimum: 0,
      description:
        'When the finding was made: Unix time in seconds, with a fraction. Earlier than the request if cached.',
      examples: [1793620800.127],
    }),
    ms: Type.Number({
      minimum: 0,
      description: 'How long the check took, in milliseconds; may have a fraction.',
      examples: [41.8],
    }),
    log_odds: Type.Optional(
      Type.Number({
        description:
          'How far the finding moved `deliverability`, in natural log-odds: above zero speaks for the mailbox, below zero against it. The sum over all evidence is the log-odds of `deliverability`. Absent where a finding was not weighed.',
        examples: [2.4],
      }),
    ),
  },
  {
    title: 'Evidence',
    description: 'One finding that the verdict rests on.',
    examples: [
      {
        check: 'recipient',
        outcome: 'accepted',
        detail: 'The mail server accepted the recipient with reply 250.',
        source: 'live',
        at: 1793620800.127,
        ms: 318.4,
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
        at: 1793620800.041,
        ms: 0.1,
      },
      {
        check: 'mx',
        outcome: 'found',
        detail: 'Two mail hosts were found.',
        source: 'cache',
        at: 1793617214.905,
        ms: 0.6,
      },
    ],
  ],
})
