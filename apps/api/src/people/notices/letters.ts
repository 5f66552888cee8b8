import type { Notice } from '@probity/contract/notices'
import type { DueNotice } from '@probity/database/notices'
import type { Letter } from '../mail/letters.ts'
import { nameInEmail } from '../mail/name-in-email.ts'

type Written = { subject: string; line: string; action: string; path: string }

/** What is written about each. The path leads to the one thing to do about it. */
const WRITTEN: Record<Notice, (notice: DueNotice) => Written> = {
  job_done({ data: { filename, state, count, job_id } }) {
    const isDone = state === 'completed'
    return {
      subject: isDone ? `${filename} is done` : `${filename} could not be validated`,
      line: isDone
        ? `${filename} is done: ${Number(count).toLocaleString('en-GB')} addresses have their results.`
        : `${filename} could not be validated. The credits that were set aside for it are back.`,
      action: 'Look at the list',
      path: `/lists/${job_id}`,
    }
  },
  credits_low: ({ organisation, data: { available } }) => ({
    subject: `Credits of ${organisation} run low`,
    line: `${organisation} has ${Number(available).toLocaleString('en-GB')} credits left. Lists that need more will be refused.`,
    action: 'Look at the credits',
    path: '/usage',
  }),
  key_created: ({ organisation, data: { name, mode, hint } }) => ({
    subject: `A new API key for ${organisation}`,
    line: `Somebody has made the ${mode} key “${name}” (${hint}) for ${organisation}. If nobody should have, revoke it.`,
    action: 'Look at the keys',
    path: '/keys',
  }),
  webhook_failing: ({ data: { webhook_id, host, reason } }) => ({
    subject: `The webhook at ${host} was switched off`,
    line:
      reason === 'gone'
        ? `The webhook at ${host} said that it is gone, so it gets no more events. What it missed can be sent again.`
        : `The webhook at ${host} has not answered for days, so it gets no more events. What it missed can be sent again.`,
    action: 'Look at the webhook',
    path: `/webhooks/${webhook_id}`,
  }),
  retention_warning: ({ data: { job_id, filename, on } }) => ({
    subject: `The results of ${filename} will be deleted on ${on}`,
    line: `The results of ${filename} will be deleted on ${on}, as the settings of the organisation say. Download them before if you need them.`,
    action: 'Download the results',
    path: `/lists/${job_id}`,
  }),
}

/** The email for a notice, and for further ones of the same kind that it stands for. Pages know the organisation by the link. */
export function noticeLetter(due: DueNotice, appUrl: string, more = 0): Letter {
  const notice = { ...due, organisation: nameInEmail(due.organisation), data: inEmail(due.data) }
  const { subject, line, action, path } = WRITTEN[notice.kind](notice)
  const within = notice.slug === null ? '' : `?org=${notice.slug}`
  return {
    kind: notice.kind,
    to: notice.email,
    subject: subject.slice(0, SUBJECT_MAX),
    lines: [
      `Hello ${nameInEmail(notice.name)},`,
      line,
      ...(more > 0 ? [`There ${more === 1 ? 'is 1 more event' : `are ${more} more events`} of this kind.`] : []),
      `You are written to as a member of ${notice.organisation}. What about is up to you: ${appUrl}/settings/notices${within}`,
    ],
    action,
    link: `${appUrl}${path}${within}`,
  }
}

/** Names of keys are free text. Names of files and hosts need their dots, so they only lose line breaks. */
function inEmail(data: DueNotice['data']): DueNotice['data'] {
  const fields = Object.entries(data).map(([field, value]) => {
    if (typeof value !== 'string') return [field, value]
    return [field, field === 'name' ? nameInEmail(value) : value.replace(/[\p{C}\u2028\u2029]+/gu, ' ')]
  })
  return Object.fromEntries(fields) as DueNotice['data']
}

/** A file's name may be long, and what is longer than this is cut by mail programs anyway. */
const SUBJECT_MAX = 150
