import { asOwner } from '@probity/database/connection/connect'
import { createTestDatabase } from '@probity/database/connection/test-database'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { readCells } from '../browser/files.ts'
import { createApiClient } from '../environment/instance.ts'
import {
  COMPLETES_WITHIN_MS,
  expectCleanLedger,
  expectCompleted,
  listSettings,
  startListWorker,
  startTestSimulation,
} from '../environment/jobs.ts'
import { startApiProcess } from '../environment/processes.ts'
import { claimRedis } from '../environment/redis.ts'

const CELLS = 1_000
const TEXTS = [
  'n/a',
  'none',
  '-',
  'Anna Schmidt',
  '@anna',
  'anna at example',
  '+49 30 1234567',
  'https://example.com/@anna',
]
const TEXT_ROWS = 200
const CREDITS = 2_000

/** The forms in which address books, mail programs and web pages export an address. */
const FORMS: ((email: string) => string)[] = [
  (email) => `Anna Schmidt <${email}>`,
  (email) => `"Müller, Jürgen" <${email}>`,
  (email) => `mailto:${email}`,
  (email) => `<${email}>`,
  (email) => `mailto:${encodeURIComponent(email)}?subject=x%20y`,
  (email) => `${email};`,
  (email) => `"${email}" <${email}>,`,
  (email) => `Anna Schmidt [mailto:${email}].`,
]

const quote = (cell: string) => `"${cell.replaceAll('"', '""')}"`

test(
  'a list of 1,000 wrapped addresses has the verdicts of the addresses, and text without an address is not charged',
  async () => {
    const [database, simulation] = await Promise.all([createTestDatabase(), startTestSimulation(CELLS)])
    const settings = listSettings(database.url, await claimRedis())
    const [api] = await Promise.all([startApiProcess(settings), startListWorker(settings, simulation)])
    const apiClient = await createApiClient({ db: database.db, api }, { credits: CREDITS })

    const addresses = simulation.draw(CELLS)
    const wrapped = addresses.map(({ email }, n) => FORMS[n % FORMS.length]?.(email) ?? email)
    const cells = wrapped.flatMap((cell, n) => (n % 5 === 0 ? [cell, TEXTS[(n / 5) % TEXTS.length] ?? ''] : [cell]))
    const form = new FormData()
    form.append(
      'file',
      new Blob([`customer,email\r\n${cells.map((cell, n) => `${n},${quote(cell)}`).join('\r\n')}\r\n`]),
      'list.csv',
    )
    const headers = { 'x-api-key': apiClient.key }
    const uploaded = await fetch(`${api.url}/api/v1/bulk/upload/preview`, { method: 'POST', headers, body: form })
    const preview = (await uploaded.json()) as Record<string, unknown>
    expect(preview).toMatchObject({
      suggested_email_column: 'email',
      row_count: CELLS + TEXT_ROWS,
      email_count: CELLS,
      extracted_count: CELLS,
      not_address_count: TEXT_ROWS,
      unique_count: CELLS,
      credits: { quote: CELLS },
    })
    expect((preview['not_address_examples'] as unknown[])[0]).toEqual({ row: 3, value: 'n/a' })

    const wish = { upload_id: preview['upload_id'], email_column: 'email' }
    const { status, body } = await apiClient.call('POST', '/bulk/upload/confirm', wish)
    expect(status).toBe(201)
    const { credits: reserved } = (await apiClient.call('GET', '/account')).body
    expect(reserved).toMatchObject({ available: CREDITS - CELLS, reserved: CELLS })
    await expectCompleted(database.db, simulation, { id: String(body['id']), rows: CELLS })

    const { text } = await apiClient.call('GET', `/bulk/jobs/${body['id']}/results?format=csv&formula_safe=false`)
    const [head = [], ...rows] = readCells(text)
    const at = (row: string[], name: string) => row[head.indexOf(name)]
    expect(rows.map((row) => at(row, 'email'))).toEqual(cells)
    const isText = (row: string[]) => TEXTS.includes(at(row, 'email') ?? '')
    expect(rows.filter((row) => !isText(row)).map((row) => at(row, 'probity_email'))).toEqual(
      addresses.map(({ email }) => email),
    )
    expect(rows.filter(isText).map((row) => [at(row, 'probity_status'), at(row, 'probity_email')])).toEqual(
      Array.from({ length: TEXT_ROWS }, () => ['', '']),
    )
    const existing = addresses.filter(({ email }) => simulation.isRight(email, 'valid', ''))
    expect(existing.length).toBeGreaterThan(CELLS / 4)
    const valid = new Set(
      rows.filter((row) => at(row, 'probity_status') === 'valid').map((row) => at(row, 'probity_email')),
    )
    expect(existing.filter(({ email }) => !valid.has(email))).toEqual([])

    await expectCleanLedger(database.db)
    const { rows: ledger } = await asOwner(database.db, (trx) =>
      sql<{ refunded: number }>`select refunded_count as refunded from jobs where id = ${String(body['id'])}`.execute(
        trx,
      ),
    )
    const used = CELLS - (ledger[0]?.refunded ?? 0)
    await vi.waitFor(async () => {
      const { credits } = (await apiClient.call('GET', '/account')).body
      expect(credits).toMatchObject({ available: CREDITS - used, reserved: 0, used })
    })
  },
  COMPLETES_WITHIN_MS,
)
