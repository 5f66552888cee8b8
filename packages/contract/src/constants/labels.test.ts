import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { LEDGER_KINDS } from './billing.ts'
import { DOCTOR_CHECKS } from './data/doctor-checks.ts'
import { EVIDENCE_CHECKS } from './data/evidence-checks.ts'
import { PROBLEMS } from './data/problems.ts'
import { JOB_STATES } from './jobs.ts'
import {
  doctorCheckLabel,
  EVENT_LABELS,
  EVIDENCE_CHECK_LABELS,
  EVIDENCE_OUTCOME_LABELS,
  evidenceOutcomeLabel,
  JOB_STATUS_LABELS,
  jobStatusLabel,
  LEDGER_KIND_LABELS,
  planLabel,
  problemLabel,
  reasonLabel,
  STATUS_LABELS,
  SUB_STATUS_LABELS,
} from './labels.ts'
import { STATUSES, SUB_STATUSES } from './validations.ts'
import { WEBHOOK_EVENTS } from './webhooks.ts'

const ROOT = new URL('../../../../', import.meta.url)

type Labels = Record<string, string>

const ENUMS: [name: string, values: object, labels: Labels][] = [
  ['status', STATUSES, STATUS_LABELS],
  ['sub_status', SUB_STATUSES, SUB_STATUS_LABELS],
  ['job status', JOB_STATES, JOB_STATUS_LABELS],
  ['ledger kind', LEDGER_KINDS, LEDGER_KIND_LABELS],
  ['event type', WEBHOOK_EVENTS, EVENT_LABELS],
  ['evidence check', EVIDENCE_CHECKS, EVIDENCE_CHECK_LABELS],
  ['problem code', PROBLEMS, labelsOf(PROBLEMS, problemLabel)],
  ['doctor check', DOCTOR_CHECKS, labelsOf(DOCTOR_CHECKS, doctorCheckLabel)],
  ...Object.entries(EVIDENCE_CHECKS).map(([check, { outcomes }]): [string, object, Labels] => [
    `outcome of ${check}`,
    outcomes,
    EVIDENCE_OUTCOME_LABELS[check as keyof typeof EVIDENCE_CHECKS],
  ]),
]

function labelsOf(values: object, label: (value: string) => string): Labels {
  return Object.fromEntries(Object.keys(values).map((value) => [value, label(value)]))
}

test.each(ENUMS)('each %s has exactly one label', (_, values, labels) => {
  expect(Object.keys(labels).toSorted()).toEqual(Object.keys(values).toSorted())
  const texts = Object.values(labels)
  expect(texts.filter((text) => !/^[A-Z].*[^.\s]$/.test(text))).toEqual([])
  expect(new Set(texts).size).toBe(texts.length)
})

test('each plan of a new installation has a label', () => {
  const schema = readFileSync(new URL('packages/database/schema/accounts.sql', ROOT), 'utf8')
  const plans = [...schema.matchAll(/^ {2}\('(\w+)', +(?:true|false),/gm)].map(([, name = '']) => name)
  expect(plans.map(planLabel)).toEqual(['Free', 'Pay as you go', 'Starter', 'Growth', 'Scale'])
})

test('labels of unknown values are their names', () => {
  expect(reasonLabel('a_new_reason')).toBe('A new reason')
  expect(jobStatusLabel('toString')).toBe('ToString')
  expect(evidenceOutcomeLabel('a_new_check', 'a_new_outcome')).toBe('A new outcome')
})

/** `value: 'Label'`, and `value: { …, word: 'Label' }` in one or several lines; also title and label. */
const ENTRY =
  /^ *'?([a-z][a-z0-9_.-]*)'?: (?:\{\s*(?:[^{}'`]*\s)??(?:\w+: '[^']*',\s*)*?(?:title|label|word): )?'([^'\n]+)'/gm
/** A declaration is a table of an enum if it has this many of its values, and hardly any others: some values are in several enums. */
const TABLE_SIZE = 3
const TABLE_SHARE = 0.8

const FILES = globSync(
  ['apps/web/src/**/*.{ts,tsx}', 'apps/cli/src/**/*.ts', 'apps/{api/src/users,worker/src/notifications}/**/*.ts'],
  {
    cwd: ROOT.pathname,
  },
).filter((path) => !/\.test\.tsx?$/.test(path))

test('no other source file has a table with different labels', () => {
  expect(FILES.length).toBeGreaterThan(200)
  expect(FILES.flatMap((path) => listOtherLabels(readFileSync(new URL(path, ROOT), 'utf8'), path))).toEqual([])
})

test('listOtherLabels finds a table with different labels', () => {
  const table =
    "const A = {\n  queued: { tone: 'x', word: 'Waits' },\n  paused: 'Paused',\n  failed: {\n    title: 'Broke',\n  },\n}"
  expect(listOtherLabels(table, 'a.ts')).toEqual(['a.ts: queued is “Waits”', 'a.ts: failed is “Broke”'])
})

function listOtherLabels(source: string, path: string): string[] {
  const declarations = source.split(/^[}\]]/m)
  return declarations.flatMap((declaration) => {
    const entries = [...declaration.matchAll(ENTRY)].map(([, value = '', text = '']) => ({ value, text }))
    const labels = entries.filter(({ text }) => /^[A-Z].*[^.]$/.test(text))
    return ENUMS.flatMap(([, , own]) => {
      const found = labels.filter(({ value }) => Object.hasOwn(own, value))
      if (found.length < TABLE_SIZE || found.length < labels.length * TABLE_SHARE) return []
      return found
        .filter(({ value, text }) => own[value] !== text)
        .map(({ value, text }) => `${path}: ${value} is “${text}”`)
    })
  })
}

const PAGES = globSync('docs/**/*.md', { cwd: ROOT.pathname })

test('tables of the documentation with labels or titles have these labels', () => {
  const wrong = PAGES.flatMap((path) => {
    const rows = readFileSync(new URL(path, ROOT), 'utf8').split('\n').map(cellsOf)
    return rows.flatMap((head, n) => {
      const column = head.findIndex((cell) => /^(label|title)$/i.test(cell))
      return column < 1 ? [] : listOtherRows(rows.slice(n + 2), column).map((row) => `${path}: ${row}`)
    })
  })
  expect(wrong).toEqual([])
})

function cellsOf(line: string): string[] {
  return line.startsWith('|')
    ? line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim())
    : []
}

function listOtherRows(rows: string[][], column: number): string[] {
  const end = rows.findIndex((cells) => cells.length === 0)
  return rows.slice(0, end === -1 ? rows.length : end).flatMap((cells) => {
    const value = cells[0]?.replaceAll('`', '') ?? ''
    const known = ENUMS.filter(([, , labels]) => Object.hasOwn(labels, value))
    const isSame = known.some(([, , labels]) => labels[value] === cells[column])
    return known.length === 0 || isSame ? [] : [`${value} is “${cells[column]}”`]
  })
}

test('problems in examples of the documentation have the titles of the API', () => {
  const wrong = PAGES.flatMap((path) =>
    [...readFileSync(new URL(path, ROOT), 'utf8').matchAll(/"title": "([^"]+)",[^{}]*"code": "([^"]+)"/g)]
      .filter(([, title, code = '']) => Object.hasOwn(PROBLEMS, code) && problemLabel(code) !== title)
      .map(([, title, code]) => `${path}: ${code} is “${title}”`),
  )
  expect(wrong).toEqual([])
})
