import type { Notice } from '@probity/contract/notices'
import type { DueNotice } from '@probity/database/notices'
import type { Letter } from '../mail/letters.ts'

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

/** The letter for a notice. Pages know the organisation by the link. */
export function noticeLetter(notice: DueNotice, appUrl: string): Letter {
  const { subject, line, action, path } = WRITTEN[notice.kind](notice)
  const within = notice.slug === null ? '' : `?org=${notice.slug}`
  return {
    kind: notice.kind,
    to: notice.email,
    subject: subject.slice(0, SUBJECT_MAX),
    lines: [
      `Hello ${notice.name},`,
      line,
      `You are written to as a member of ${notice.organisation}. What about is up to you: ${appUrl}/settings/notices${within}`,
    ],
    action,
    link: `${appUrl}${path}${within}`,
  }
}

/** A file's name may be long, and what is longer than this is cut by mail programs anyway. */
const SUBJECT_MAX = 150
