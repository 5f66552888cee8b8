import type { MailPopulation } from './population.ts'

/** What the mail servers received and replied. */
export type RecipientRecord = {
  /** RCPT commands, control recipients included. */
  commands: number
  /** All different replies to each recipient on the list. */
  replies: Record<string, string[]>
}

export type RecipientRecorder = { note(rcpt: string, reply: string): void; read(): RecipientRecord }

/** Replies are kept on request only: a list of a million addresses has as many. */
export function openRecipientRecorder(
  { findAddress }: MailPopulation,
  { keepsReplies }: { keepsReplies: boolean },
): RecipientRecorder {
  const replies = new Map<string, string[]>()
  let commands = 0
  return {
    note(rcpt, reply) {
      commands += 1
      const email = keepsReplies ? findAddress(rcpt)?.email : undefined
      if (email === undefined) return
      const known = replies.get(email) ?? []
      if (!known.includes(reply)) replies.set(email, [...known, reply])
    },
    read: () => ({ commands, replies: Object.fromEntries(replies) }),
  }
}
