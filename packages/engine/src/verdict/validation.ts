import type { Evidence } from '@probity/contract/constants/validations'
import type { Address, Malformed } from '../address/parse.ts'
import type { DomainClass } from '../domain/domain-lists.ts'
import type { DomainFacts } from '../domain/facts.ts'
import type { ProbeResult } from '../smtp/probe/result.ts'
import type { Verdict } from './conclude.ts'
import type { Retry } from './retry.ts'

/** The findings about one address. */
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

/** Verdict on one address with its findings. */
export type Validation = Found & { verdict: Verdict }
