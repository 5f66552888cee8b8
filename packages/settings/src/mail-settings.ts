import Type, { type Static, type TObject } from 'typebox'
import { BadSettings } from './bad-settings.ts'
import type { PUBLIC_URL } from './connection-settings.ts'

/** The SMTP relay, for the API and for email notifications. */
export const MAIL_SETTINGS = {
  MAIL_URL: Type.Optional(
    Type.String({
      pattern: '^smtps?://.',
      secret: true,
      description:
        'SMTP relay for outgoing email: smtp://user:password@host:port, or smtps://. Requires PROBITY_PUBLIC_URL. Must be the same for the API and for the process that sends notifications. Without it, members pass on invitation links themselves, operators create password reset links, other links are in the log, and no notifications are sent.',
    }),
  ),
  MAIL_FROM: Type.String({
    default: 'Probity <probity@localhost>',
    description: 'Sender of outgoing email.',
  }),
}

type Settings = Static<TObject<typeof MAIL_SETTINGS & { PUBLIC_URL: typeof PUBLIC_URL }>>

/** Undefined without an SMTP relay. */
export function readMail({ MAIL_URL: url, MAIL_FROM: from, PUBLIC_URL: publicUrl }: Settings) {
  if (url === undefined) return undefined
  if (publicUrl === undefined) {
    const says = 'PROBITY_MAIL_URL requires PROBITY_PUBLIC_URL, which is missing. Emails contain links to it.'
    throw new BadSettings([{ name: 'MAIL_URL', says }])
  }
  return { url, from }
}
