import type { ProblemCode } from '@probity/contract/problem'

/** Why a file cannot be used. The detail may name a row, and never what stands in it. */
export class Refusal extends Error {
  readonly code: ProblemCode

  constructor(code: ProblemCode, detail: string) {
    super(detail)
    this.code = code
  }
}
