/** Kinds of credit transactions. */
export const LEDGER_KINDS = {
  grant: 'credits were bought or granted.',
  adjust: 'an operator increased or decreased the balance.',
  charge: 'addresses of a single or bulk validation were charged.',
  reserve: 'credits were reserved for a job.',
  settle: 'results of a job were charged against its reserved credits; the available balance does not change.',
  release: 'reserved credits that a job did not use became available again.',
  refund: 'credits were refunded for results that ended `unknown`.',
} as const satisfies Record<string, string>

export type LedgerKind = keyof typeof LEDGER_KINDS

/** Subjects of credit transactions. */
export const LEDGER_SUBJECTS = {
  job: 'the job with the id `job_id`.',
  validation: 'the validation with the id `validation_id`.',
  validations: 'addresses that were charged together.',
  account: 'the account itself.',
} as const satisfies Record<string, string>

export type LedgerSubject = keyof typeof LEDGER_SUBJECTS
