/** The email notifications. `default_notifications` in packages/database/schema/users.sql has the defaults of each role. */
export const NOTICES = {
  job_done: { meaning: 'A list is done, or could not be.' },
  credits_low: { meaning: 'Credits run low.' },
  key_created: { meaning: 'Somebody has made an API key.' },
  webhook_failing: { meaning: 'A webhook was switched off, since it did not answer.' },
  retention_warning: { meaning: 'The results of a list will be deleted in three days.' },
} as const satisfies Record<string, { meaning: string }>

export type Notice = keyof typeof NOTICES

export const NOTICE_KINDS = Object.keys(NOTICES) as Notice[]
