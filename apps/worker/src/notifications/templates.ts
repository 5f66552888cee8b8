import { describeLines, type LineCounts } from '@probity/contract/constants/texts/jobs'
import type { NotificationKind } from '@probity/contract/constants/users'
import type { DueNotification } from '@probity/database/users/notifications'
import { type EmailMessage, nameInEmail } from '@probity/email/send'

type Text = { subject: string; line: string; action: string; path: string }

/** Text of each notification. `path` is the page on which the member can act on it. */
const TEXTS: Record<NotificationKind, (notification: DueNotification) => Text> = {
  job_done({ data }) {
    const { filename, state, job_id, rerun_rows } = data
    const isDone = state === 'completed'
    const of = rerun_rows === 'unknown' ? `the unknown addresses of ${filename}` : filename
    return {
      subject: isDone ? `${filename} is completed` : `${filename} failed`,
      line: isDone
        ? `The validation of ${of} is completed. ${describeLines(data as unknown as LineCounts)}.`
        : `The validation of ${of} failed. Its unused credits were released.`,
      action: 'View list',
      path: `/lists/${job_id}`,
    }
  },
  credits_low: ({ organisation, data: { available } }) => ({
    subject: `${organisation} is running low on credits`,
    line: `The account ${organisation} has ${Number(available).toLocaleString('en-US')} credits left. Requests and lists that need more credits are rejected.`,
    action: 'View credits',
    path: '/usage',
  }),
  key_created: ({ organisation, data: { name, mode, hint } }) => ({
    subject: `New API key in ${organisation}`,
    line: `The ${mode} API key “${name}” (${hint}) was created in the account ${organisation}. If you do not recognize it, revoke it.`,
    action: 'View API keys',
    path: '/keys',
  }),
  webhook_failing: ({ data: { webhook_id, host, reason } }) => ({
    subject: `The webhook at ${host} was disabled`,
    line:
      reason === 'gone'
        ? `The webhook at ${host} responded with 410 Gone and was disabled. You can resend missed events.`
        : `Deliveries to the webhook at ${host} failed for days, so it was disabled. You can resend missed events.`,
    action: 'View webhook',
    path: `/webhooks/${webhook_id}`,
  }),
  retention_warning: ({ data: { job_id, filename, on } }) => ({
    subject: `The results of ${filename} will be deleted on ${on}`,
    line: `The results of ${filename} will be deleted on ${on}, when the retention period of the account ends. Download them before then if you need them.`,
    action: 'Download results',
    path: `/lists/${job_id}`,
  }),
}

/** The email for a notification, and for `more` others of the same kind. The link selects the account. */
export function notificationEmail(due: DueNotification, appUrl: string, more = 0): EmailMessage {
  const notification = { ...due, organisation: nameInEmail(due.organisation), data: inEmail(due.data) }
  const { subject, line, action, path } = TEXTS[notification.kind](notification)
  const within = notification.slug === null ? '' : `?org=${notification.slug}`
  return {
    kind: notification.kind,
    to: notification.email,
    subject: subject.slice(0, SUBJECT_MAX),
    lines: [
      `Hello ${nameInEmail(notification.name)},`,
      line,
      ...(more > 0 ? [`There ${more === 1 ? 'is 1 more event' : `are ${more} more events`} of this kind.`] : []),
      `You receive this email as a member of ${notification.organisation}. Manage notifications: ${appUrl}/settings/notices${within}`,
    ],
    action,
    link: `${appUrl}${path}${within}`,
  }
}

/** Names of keys are free text. Names of files and hosts need their dots, so they only lose line breaks. */
function inEmail(data: DueNotification['data']): DueNotification['data'] {
  const fields = Object.entries(data).map(([field, value]) => {
    if (typeof value !== 'string') return [field, value]
    return [field, field === 'name' ? nameInEmail(value) : value.replace(/[\p{C}\u2028\u2029]+/gu, ' ')]
  })
  return Object.fromEntries(fields) as DueNotification['data']
}

/** File names can be long, and mail programs truncate longer subjects. */
const SUBJECT_MAX = 150
