/** The email notifications. `default_notifications` in packages/database/schema/users.sql has the defaults of each role. */
export const NOTICES = {
  job_done: { meaning: 'A list is completed or has failed.' },
  credits_low: { meaning: 'Credits are low.' },
  key_created: { meaning: 'An API key was created.' },
  webhook_failing: { meaning: 'A webhook was disabled because its deliveries failed.' },
  retention_warning: { meaning: 'The results of a list will be deleted in three days.' },
} as const satisfies Record<string, { meaning: string }>

export type Notice = keyof typeof NOTICES

export const NOTICE_KINDS = Object.keys(NOTICES) as Notice[]
