import type { Role } from './roles.ts'

type NoticeKind = { meaning: string; usual: readonly Role[] }

/** What people are written about, and who is unless they say otherwise. */
export const NOTICES = {
  job_done: {
    meaning: 'A list is done, or could not be.',
    usual: ['owner', 'admin', 'developer', 'marketer'],
  },
  credits_low: { meaning: 'Credits run low.', usual: ['owner', 'admin'] },
  key_created: { meaning: 'Somebody has made an API key.', usual: ['owner', 'admin'] },
  webhook_failing: {
    meaning: 'A webhook was switched off, since it did not answer.',
    usual: ['owner', 'admin', 'developer'],
  },
  retention_warning: {
    meaning: 'The results of a list will be deleted in three days.',
    usual: ['owner', 'admin', 'marketer'],
  },
} as const satisfies Record<string, NoticeKind>

export type Notice = keyof typeof NOTICES

export const NOTICE_KINDS = Object.keys(NOTICES) as Notice[]

/** What somebody of this role is written about who has not chosen. */
export function usualNotices(role: Role): Notice[] {
  return NOTICE_KINDS.filter((kind) => (NOTICES[kind].usual as readonly Role[]).includes(role))
}
