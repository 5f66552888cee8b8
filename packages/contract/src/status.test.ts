import { expect, expectTypeOf, test } from 'vitest'
import type { SubStatus, SubStatusesOf } from './status.ts'
import { STATUSES, SUB_STATUSES } from './status.ts'
import { StatusField, SubStatusField } from './status-fields.ts'

// The settled vocabulary. A public word is added here and in the table, with a line in the changelog.
const SETTLED = {
  valid: [''],
  invalid: [
    'syntax_error',
    'domain_not_found',
    'no_mail_server',
    'null_mx',
    'domain_not_hosted',
    'mailbox_not_found',
    'mailbox_disabled',
    'mailbox_moved',
  ],
  risky: ['catch_all', 'catch_all_untested', 'mailbox_full', 'disposable'],
  unknown: [
    'not_probed',
    'dns_failed',
    'not_routable',
    'connection_failed',
    'timeout',
    'greylisted',
    'rate_limited',
    'blocked',
    'policy_refused',
    'provider_unverifiable',
    'smtputf8_unsupported',
    'address_literal',
    'server_error',
    'internal_error',
    'sandbox_unmapped',
  ],
}

test('the statuses and the reasons of each are the settled ones', () => {
  const found = Object.fromEntries(Object.keys(STATUSES).map((status) => [status, reasonsOf(status)]))
  expect(found).toEqual(SETTLED)
})

test('each reason belongs to exactly one status', () => {
  const all = Object.values(SETTLED).flat()
  expect(new Set(all).size).toBe(all.length)
  expect(Object.keys(SUB_STATUSES).toSorted()).toEqual(all.toSorted())
})

test('the types know which reasons go with which status', () => {
  expectTypeOf<SubStatusesOf<'valid'>>().toEqualTypeOf<''>()
  expectTypeOf<SubStatusesOf<'risky'>>().toEqualTypeOf<
    'catch_all' | 'catch_all_untested' | 'mailbox_full' | 'disposable'
  >()
  expectTypeOf<SubStatusesOf<'valid' | 'invalid' | 'risky' | 'unknown'>>().toEqualTypeOf<SubStatus>()
})

test('every value is explained in the schema, which stays open', () => {
  for (const status of Object.keys(STATUSES)) expect(StatusField).toHaveProperty('description', saying(`\`${status}\``))
  for (const reason of Object.keys(SUB_STATUSES)) {
    expect(SubStatusField).toHaveProperty('description', saying(reason === '' ? '- empty' : `\`${reason}\``))
  }
  expect(StatusField).not.toHaveProperty('enum')
  expect(SubStatusField).not.toHaveProperty('enum')
})

function reasonsOf(status: string): string[] {
  return Object.entries(SUB_STATUSES).flatMap(([reason, row]) => (row.status === status ? [reason] : []))
}

function saying(part: string) {
  return expect.stringContaining(part)
}
