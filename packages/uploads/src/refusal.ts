import type { PermanentCode } from '@probity/contract/constants/problems'

/** Why a file cannot be used. The detail may name a row, and never what stands in it. */
export class Refusal extends Error {
  readonly code: PermanentCode

  constructor(code: PermanentCode, detail: string) {
    super(detail)
    this.code = code
  }
}
