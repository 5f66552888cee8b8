import type { Static } from 'typebox'
import Type from 'typebox'

// What the web application asks. No key takes all data with it or deletes an organisation, so none of this is in the API's document.

const password = Type.String({ minLength: 1, maxLength: 128 })
const count = Type.Integer({ minimum: 0 })

export type ExportRequest = Static<typeof ExportRequest>
export const ExportRequest = Type.Object({ password }, { additionalProperties: false })

/** What disappears with an organisation. */
export type Contents = Static<typeof Contents>
export const Contents = Type.Object({
  name: Type.String(),
  jobs: count,
  running_jobs: count,
  keys: count,
  members: count,
  webhooks: count,
  overrides: count,
  credits: Type.Integer(),
  unlimited: Type.Boolean(),
  /** It pays for a plan, which has to be ended first. */
  subscribed: Type.Boolean(),
})

export type DeleteOrganisation = Static<typeof DeleteOrganisation>
export const DeleteOrganisation = Type.Object(
  { name: Type.String({ maxLength: 200 }), password },
  { additionalProperties: false },
)
