import { readFileSync } from 'node:fs'
import { expect, expectTypeOf, test } from 'vitest'
import { StatusField, SubStatusField } from '../schemas/validations/fields.ts'
import { NEXT_STEPS } from './data/next-steps.ts'
import type { SubStatus, SubStatusesOf } from './validations.ts'
import { STATUSES, SUB_STATUSES } from './validations.ts'

// The published vocabulary. A new public value is added here and in the table, with a line in the changelog.
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
    'not_started',
    'dns_failed',
    'not_routable',
    'connection_failed',
    'timeout',
    'greylisted',
    'rate_limited',
    'blocked',
    'policy_rejected',
    'provider_unverifiable',
    'smtputf8_unsupported',
    'address_literal',
    'server_error',
    'internal_error',
    'sandbox_unmapped',
  ],
}

test('the statuses and their reasons are the published ones', () => {
  const found = Object.fromEntries(Object.keys(STATUSES).map((status) => [status, reasonsOf(status)]))
  expect(found).toEqual(SETTLED)
})

test('each reason belongs to exactly one status', () => {
  const all = Object.values(SETTLED).flat()
  expect(new Set(all).size).toBe(all.length)
  expect(Object.keys(SUB_STATUSES).toSorted()).toEqual(all.toSorted())
})

test('the types relate reasons to statuses', () => {
  expectTypeOf<SubStatusesOf<'valid'>>().toEqualTypeOf<''>()
  expectTypeOf<SubStatusesOf<'risky'>>().toEqualTypeOf<
    'catch_all' | 'catch_all_untested' | 'mailbox_full' | 'disposable'
  >()
  expectTypeOf<SubStatusesOf<'valid' | 'invalid' | 'risky' | 'unknown'>>().toEqualTypeOf<SubStatus>()
})

test('every value is described in the schema, whose enum is extensible', () => {
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

const readDocs = (page: string) => readFileSync(new URL(`../../../../docs/${page}`, import.meta.url), 'utf8')

test('docs/concepts/verdicts.md lists every status and reason with its meaning and next step', () => {
  const page = readDocs('concepts/verdicts.md')
  for (const [status, meaning] of Object.entries(STATUSES)) expect(page).toContain(`| \`${status}\` | ${meaning} |`)
  const rows = Object.entries(SUB_STATUSES).map(([name, { status, meaning }]) => {
    const shown = name === '' ? 'empty' : `\`${name}\``
    return { status, row: `| ${shown} | ${meaning} | ${NEXT_STEPS[name as SubStatus]} |` }
  })
  const sections = [...page.matchAll(/^### `(\w+)`\n\n.*\n.*\n((?:\|.*\n)+)/gm)]
  const found = sections.flatMap(([, status, lines = '']) =>
    lines
      .trim()
      .split('\n')
      .map((row) => ({ status, row })),
  )
  expect(found).toEqual(rows)
})

test.each(['zerobounce', 'kickbox'])(
  'the guide for %s maps every reason, in its table and in its function',
  (service) => {
    const page = readDocs(`guides/migrate-from-${service}.md`)
    const [, table = ''] = /^## Verdicts\n(.*?)^## /ms.exec(page) ?? []
    for (const reason of Object.keys(SUB_STATUSES).filter((name) => name !== '' && name !== 'sandbox_unmapped')) {
      expect(table).toContain(`\`${reason}\``)
      expect(page).toContain(`\n  ${reason}: [`)
    }
  },
)
