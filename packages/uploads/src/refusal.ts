import type { PermanentCode } from '@probity/contract/constants/problems'

/** Rejects a file. The detail can name a row, and never contains its content. */
export class Refusal extends Error {
  readonly code: PermanentCode

  constructor(code: PermanentCode, detail: string) {
    super(detail)
    this.code = code
  }
}
