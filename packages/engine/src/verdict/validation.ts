import type { Evidence } from '@probity/contract/evidence'
import type { Address, Malformed } from '../address/parse.ts'
import type { DomainFacts } from '../domain/facts.ts'
import type { DomainClass } from '../domain/lists.ts'
import type { ProbeResult } from '../smtp/probe/result.ts'
import type { Verdict } from './conclude.ts'
import type { Retry } from './retry.ts'

/** What was found out about one address. */
export type Found = {
  email: string
  address: Address | Malformed
  isRole: boolean
  didYouMean: string | null
  facts?: DomainFacts
  classes?: DomainClass
  mailbox?: ProbeResult
  /** Null when the verdict is final. */
  retry: Retry | null
  evidence: Evidence[]
}

/** What came out for one address, with everything it rests on. */
export type Validation = Found & { verdict: Verdict }
