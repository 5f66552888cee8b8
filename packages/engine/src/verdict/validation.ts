import type { Evidence } from '@probity/contract/evidence'
import type { Address, Malformed } from '../address/parse.ts'
import type { DomainFacts } from '../domain/facts.ts'
import type { DomainClass } from '../domain/lists.ts'
import type { MailboxAnswer } from '../mailbox/answer.ts'
import type { Verdict } from './conclude.ts'

/** What was found out about one address. */
export type Found = {
  email: string
  address: Address | Malformed
  isRole: boolean
  didYouMean: string | null
  facts?: DomainFacts
  classes?: DomainClass
  mailbox?: MailboxAnswer
  /** When another try may settle what this one could not, in milliseconds from now; null when the verdict stands. */
  retryAfterMs: number | null
  evidence: Evidence[]
}

/** What came out for one address, with everything it rests on. */
export type Validation = Found & { verdict: Verdict }
