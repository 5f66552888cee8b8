import type { LastingCode } from '@probity/contract/constants/problems'

/** Why a file cannot be used. The detail may name a row, and never what stands in it. */
export class Refusal extends Error {
  readonly code: LastingCode

  constructor(code: LastingCode, detail: string) {
    super(detail)
    this.code = code
  }
}
