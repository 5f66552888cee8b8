import type { Static } from 'typebox'
import Type from 'typebox'
import { RERUN_ROWS, type RerunRows } from '../../constants/jobs.ts'
import { valueList } from '../fields.ts'
import { REFERENCE_OPTION } from '../validations/fields.ts'
import { WebhookUrlField } from '../webhooks/endpoints.ts'

export type RerunRequest = Static<typeof RerunRequest>
export const RerunRequest = Type.Object(
  {
    rows: Type.Enum(Object.keys(RERUN_ROWS) as RerunRows[], {
      type: 'string',
      description: `Rows of the earlier job that the new job validates.${valueList(RERUN_ROWS)}`,
      examples: ['unknown'],
    }),
    ...REFERENCE_OPTION,
    callback_url: Type.Optional(
      Type.With(WebhookUrlField, {
        description: 'URL that receives the event that ends the new job, as for the confirmation of an upload.',
        examples: ['https://hooks.example.com/jobs'],
      }),
    ),
  },
  {
    title: 'Rerun request',
    description: 'Creates a job from the file of an earlier job.',
    additionalProperties: false,
    examples: [{ rows: 'unknown' }, { rows: 'all', reference: 'newsletter-2026-12' }],
  },
)
