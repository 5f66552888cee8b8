import type { Static, TObject } from 'typebox'
import type { MAIL_SETTINGS, PUBLIC_URL } from './connection-settings.ts'
import { BadSettings } from './parse.ts'

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
