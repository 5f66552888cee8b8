import type { EXIT_CODES } from './data/exit-codes.ts'

export type ExitName = keyof typeof EXIT_CODES

/** Why the command does not do what it was asked to: one sentence, and what to type next. */
export class Refusal extends Error {
  readonly exit: ExitName
  readonly next: string | undefined

  constructor(exit: ExitName, message: string, next?: string) {
    super(message)
    this.exit = exit
    this.next = next
  }
}
