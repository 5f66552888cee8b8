import type { Static } from 'typebox'
import Type from 'typebox'
import { dayField } from './days.ts'
import { nullableString } from './nullable.ts'
import { EntryFormat, pageQuery } from './page.ts'
import { openList, valueList } from './value-list.ts'

/** The ways in which credits move. */
export const LEDGER_KINDS = {
  grant: 'credits were bought or given.',
  adjust: 'an operator corrected the balance, up or down.',
  charge: 'addresses were taken up, and paid for at once.',
  reserve: 'credits were set aside for a list.',
  settle: 'results of a list were paid for with what was set aside; what is available stays the same.',
  release: 'what a list did not use came back.',
  refund: 'credits came back for results that ended `unknown`.',
} as const satisfies Record<string, string>

export type LedgerKind = keyof typeof LEDGER_KINDS

/** What credits can have moved for. */
export const LEDGER_SUBJECTS = {
  job: 'a list, which `job_id` names.',
  validation: 'one address, which `validation_id` names.',
  validations: 'addresses that were paid for together.',
  account: 'the account itself.',
} as const satisfies Record<string, string>

export type LedgerSubject = keyof typeof LEDGER_SUBJECTS

const KIND = `(${Object.keys(LEDGER_KINDS).join('|')})`
const UUID = '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'
const JOB_ID = '0198f2d1-93a8-7b05-8f17-04e5d6c2b9a1'
const KEY_ID = '0198f2e3-58b6-7c21-9d4f-6a0b13e7c582'
const VALIDATION_ID = '0198f2c7-6f0d-7a41-b2c3-5d8e9f101112'

const ENTRY_EXAMPLE = {
  id: `refund_${JOB_ID}_3`,
  occurred_at: '2026-11-02T12:03:07.412Z',
  kind: 'refund',
  credits: 4,
  available_change: 4,
  available_after: 24310,
  subject: 'job',
  job_id: JOB_ID,
  filename: 'newsletter.csv',
  validation_id: null,
  key_id: KEY_ID,
  key_name: 'Sign-up form',
  note: null,
}

export type LedgerEntry = Static<typeof LedgerEntry>
export const LedgerEntry = Type.Object(
  {
    id: Type.String({ description: 'Names the entry.', examples: [`refund_${JOB_ID}_3`] }),
    occurred_at: Type.String({
      format: 'date-time',
      description: 'Time of the transaction (RFC 3339, UTC).',
      examples: ['2026-11-02T12:03:07.412Z'],
    }),
    kind: Type.String({
      description: `How they moved. The list is open.${valueList(LEDGER_KINDS)}`,
      ...openList(LEDGER_KINDS),
    }),
    credits: Type.Integer({
      description: 'How many moved. Negative only where an operator took credits away.',
      examples: [4],
    }),
    available_change: Type.Integer({
      description: 'By how much this changed what is available: above zero where credits came, below where they went.',
      examples: [4, -1, 0],
    }),
    available_after: Type.Integer({ description: 'What was available afterwards.', examples: [24310] }),
    subject: Type.String({
      description: `What they moved for. The list is open.${valueList(LEDGER_SUBJECTS)}`,
      ...openList(LEDGER_SUBJECTS),
    }),
    job_id: nullableString({
      format: 'uuid',
      description: 'The `id` of the list, also where it has been deleted; null where it was for none.',
      examples: [JOB_ID, null],
    }),
    filename: nullableString({
      description: 'What the file of the list was called; null where the list has been deleted or there is none.',
      examples: ['newsletter.csv', null],
    }),
    validation_id: nullableString({
      format: 'uuid',
      description: 'The `id` of the one validation it was for; null where it was for none or for several.',
      examples: [VALIDATION_ID, null],
    }),
    key_id: nullableString({
      format: 'uuid',
      description: 'The `id` of the key that was used; null where there was none, as in the web application.',
      examples: [KEY_ID, null],
    }),
    key_name: nullableString({ description: 'What that key is called.', examples: ['Sign-up form', null] }),
    note: nullableString({ description: 'What was noted beside it.', examples: ['Invoice 2026-114', null] }),
  },
  {
    title: 'Ledger entry',
    description: 'One movement of credits. Entries are never changed and never removed. Fields may be added.',
    examples: [ENTRY_EXAMPLE],
  },
)

const { skip, limit } = pageQuery('', 'entries').properties

export type LedgerQuery = Static<typeof LedgerQuery>
export const LedgerQuery = Type.Object(
  {
    format: EntryFormat,
    kind: Type.Optional(
      Type.String({
        pattern: `^${KIND}(,${KIND})*$`,
        maxLength: 100,
        description: 'Only entries of one of these kinds, separated by commas.',
        examples: ['refund', 'grant,adjust'],
      }),
    ),
    from: Type.Optional(dayField('Only entries of this day (UTC) or later.', '2026-10-04')),
    to: Type.Optional(dayField('Only entries of this day (UTC) or earlier.', '2026-11-02')),
    key_id: Type.Optional(
      Type.String({
        pattern: `^(none|${UUID})$`,
        maxLength: 36,
        description: 'Only entries of the key with this `id`; `none` for those without a key.',
        examples: [KEY_ID, 'none'],
      }),
    ),
    skip,
    limit,
  },
  {
    title: 'Ledger query',
    description:
      'Which entries, and how they are written. An entry must pass all filters that are given. `skip` and `limit` are for `json` alone.',
    examples: [{ kind: 'refund', from: '2026-10-04', to: '2026-11-02' }],
  },
)

export type LedgerPage = Static<typeof LedgerPage>
export const LedgerPage = Type.Array(LedgerEntry, {
  title: 'Ledger entry list',
  description: 'One page of the movements of credits, newest first.',
  examples: [[ENTRY_EXAMPLE]],
})

export const LedgerSheet = Type.String({
  title: 'Ledger CSV',
  description: 'All movements of credits that were asked for, newest first, each cell in quotes.',
  examples: ['"id","occurred_at","kind","credits"\r\n"refund_1_3","2026-11-02T12:03:07.412Z","refund","4"\r\n'],
})
