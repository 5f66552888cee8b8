import type { Static } from 'typebox'
import Type from 'typebox'
import { NOTICE_KINDS } from './notices.ts'

/** What a person is written about in one organisation; null where it is what their role usually is. */
export type NotificationChoice = Static<typeof NotificationChoice>
export const NotificationChoice = Type.Object(
  {
    wanted: Type.Union([
      Type.Array(Type.Enum(NOTICE_KINDS, { type: 'string' }), { uniqueItems: true, maxItems: NOTICE_KINDS.length }),
      Type.Null(),
    ]),
  },
  { additionalProperties: false },
)

export type NoticeChoices = Static<typeof NoticeChoices>
export const NoticeChoices = Type.Object({
  ...NotificationChoice.properties,
  usual: Type.Array(Type.String()),
  /** Whether the installation can send mail at all. */
  mail: Type.Boolean(),
})
