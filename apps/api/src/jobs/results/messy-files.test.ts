import type { Job } from '@probity/contract/schemas/jobs/jobs'
import { writeTestWorkbook } from '@probity/uploads/test-workbook'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startTestApi } from '../../testing/test-api.ts'
import { keepList } from '../../testing/test-results.ts'

const api = await startTestApi()
const caller = await api.openCaller({ credits: 100_000 })

/** A cell of the email column, and what is to become of it: addresses in the form in which they are validated, or values left out. */
type Cell = { text: string; addresses: string[]; leftOut: string[] }

const name = fc.integer({ min: 1, max: 6 }).map((n) => `${'viru'[n % 4]}${n}`)
const domain = fc.constantFrom('example.com', 'example.org', 'mail.example.net')
const address = fc.tuple(name, domain).map(([local, at]) => `${local}@${at}`)

/** Spellings of one address that are read as it. */
const spelled = fc
  .tuple(
    address,
    fc.constantFrom<(email: string) => string>(
      (email) => email,
      (email) => email.toUpperCase(),
      (email) => `Name <${email}>`,
      (email) => `mailto:${email}`,
      (email) => email.replace('@', ' @ '),
      (email) => email.replace('@', '(at)'),
      (email) => `${email.slice(0, 3)}\u200b${email.slice(3)}`,
      (email) => email.replace(/\.(\w+)$/, ',$1'),
      (email) => `${email}.`,
    ),
  )
  .map(([email, spell]) => ({ email, text: spell(email) }))
const malformed = name.map((local) => `${local}.@example.com`)

const cell: fc.Arbitrary<Cell> = fc.oneof(
  { weight: 6, arbitrary: spelled.map(({ email, text }) => ({ text, addresses: [email], leftOut: [] })) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(
        fc.array(
          spelled.filter(({ text }) => !text.includes(',')),
          { minLength: 2, maxLength: 4 },
        ),
        fc.option(malformed, { nil: undefined }),
        fc.constantFrom('; ', '\n', ', '),
      )
      .map(([several, broken, separator]) => ({
        text: [...several.map(({ text }) => text), ...(broken ? [broken] : [])].join(separator),
        addresses: several.map(({ email }) => email),
        leftOut: broken ? [broken] : [],
      })),
  },
  { weight: 2, arbitrary: malformed.map((text) => ({ text, addresses: [], leftOut: [text] })) },
  {
    weight: 2,
    arbitrary: fc.constantFrom('n/a', 'no email', '-').map((text) => ({ text, addresses: [], leftOut: [text] })),
  },
  { weight: 1, arbitrary: fc.constant<Cell>({ text: '', addresses: [], leftOut: [''] }) },
)

type File = { titles: string[][]; rows: (Cell | 'blank')[]; form: 'csv' | 'tsv' | 'semicolons' | 'utf-16' | 'xlsx' }

const file: fc.Arbitrary<File> = fc.record({
  titles: fc.array(fc.constantFrom<string[]>(['Contacts export 2026'], ['', 'as of November']), { maxLength: 2 }),
  // The first row has an address, so that the file has a column of addresses.
  rows: fc
    .tuple(
      spelled.map(({ email, text }) => ({ text, addresses: [email], leftOut: [] })),
      fc.array(fc.oneof({ weight: 8, arbitrary: cell }, { weight: 1, arbitrary: fc.constant('blank' as const) }), {
        maxLength: 25,
      }),
      spelled.map(({ email, text }) => ({ text, addresses: [email], leftOut: [] })),
    )
    .map(([first, some, last]) => [first, ...some, last]),
  form: fc.constantFrom('csv', 'tsv', 'semicolons', 'utf-16', 'xlsx'),
})

async function write({ titles, rows, form }: File): Promise<{ content: string | Buffer; filename: string }> {
  const header = ['Name', 'E-mail', 'City']
  const lines = [...titles, header, ...rows.map((row) => (row === 'blank' ? [] : ['Ann', row.text, 'Rome']))]
  if (form === 'xlsx')
    return { content: await writeTestWorkbook({ sheets: [{ name: 'Contacts', rows: lines }] }), filename: 'list.xlsx' }
  const delimiter = { csv: ',', tsv: '\t', semicolons: ';', 'utf-16': ',' }[form]
  const quote = (text: string) => `"${text.replaceAll('"', '""')}"`
  const text = lines.map((cells) => `${cells.map(quote).join(delimiter)}\n`).join('')
  return { content: form === 'utf-16' ? Buffer.from(`\uFEFF${text}`, 'utf16le') : text, filename: 'list.csv' }
}

async function download(jobId: string, query: Record<string, string>): Promise<Record<string, string>[]> {
  const url = `/api/v1/bulk/jobs/${jobId}/results`
  const { status, text } = await caller.call({ url, query: { format: 'csv', formula_safe: 'false', ...query } })
  expect([status, status === 200 ? '' : text]).toEqual([200, ''])
  return parse(text, { columns: true, bom: true, delimiter: [',', ';', '\t'], skip_empty_lines: true })
}

test('every value of a messy file is kept, removed, a repetition or left out, and all sums close', async () => {
  await fc.assert(
    fc.asyncProperty(file, async (messy) => {
      const headerRow = messy.titles.length + 1
      const list = {
        ...(await write(messy)),
        by: caller,
        options: { several_addresses: 'all', malformed: 'skip' } as const,
      }
      const jobId = await keepList(api, list)
      const job = (await caller.call({ url: `/api/v1/bulk/jobs/${jobId}` })).body as Job

      // What each row is to become, by its number in the file.
      const cells = messy.rows.flatMap((row, n) => (row === 'blank' ? [] : [{ ...row, row: headerRow + 1 + n }]))
      const values = cells.flatMap(({ row, addresses }) => addresses.map((email) => ({ row, email })))
      const unique = new Set(values.map(({ email }) => email))

      const kept = await download(jobId, { preset: 'safest', unique: 'true' })
      const removed = await download(jobId, { preset: 'safest', part: 'remove', unique: 'true' })
      const all = await download(jobId, {})
      const found = [...kept, ...removed].map((row) => String(row['probity_email']).toLowerCase())
      expect(found.toSorted()).toEqual([...unique].toSorted())

      // Repetitions included, every value has a row with its number.
      const rows = all.filter((row) => row['probity_email'] !== '')
      expect(rows.map((row) => `${row['probity_row']} ${row['probity_email']?.toLowerCase()}`)).toEqual(
        values.map(({ row, email }) => `${row} ${email}`),
      )

      const leftOut = await download(jobId, { part: 'left_out' })
      const titles = messy.titles.map((_, n) => `${n + 1} `)
      expect(leftOut.map((row) => `${row['probity_row']} ${row['probity_value']}`)).toEqual([
        ...titles,
        ...cells.flatMap(({ row, leftOut: some }) => some.map((value) => `${row} ${value}`)),
      ])

      const { line_count, blank_count, empty_count, not_address_count, left_out_count, extra_address_count } = job
      const { duplicate_count, unique_count } = job
      expect(line_count).toBe(messy.rows.length)
      expect(blank_count).toBe(messy.rows.filter((row) => row === 'blank').length)
      expect([unique_count, duplicate_count]).toEqual([unique.size, values.length - unique.size])
      expect(left_out_count + not_address_count + empty_count).toBe(leftOut.length - titles.length)
      expect(line_count + extra_address_count).toBe(
        blank_count + empty_count + not_address_count + left_out_count + duplicate_count + unique_count,
      )
    }),
    { numRuns: 60 },
  )
})
