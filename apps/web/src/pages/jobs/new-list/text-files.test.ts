import { findSandboxCase } from '@probity/contract/constants/sandbox'
import { expect, test } from 'vitest'
import { makePastedFile, makeSampleFile, readPasted } from './text-files.ts'

test.each([
  ['ada@example.com\nbob@example.com', ['ada@example.com', 'bob@example.com'], 0],
  ['ada@example.com\r\n\r\n  \r\nbob@example.com\r', ['ada@example.com', 'bob@example.com'], 0],
  [
    'ada@example.com, bob@example.com; carol@example.com',
    ['ada@example.com', 'bob@example.com', 'carol@example.com'],
    0,
  ],
  ['Ada Lovelace <ada@example.com>\t"Babbage, C." <cb@example.com>', ['ada@example.com', 'cb@example.com'], 0],
  ['mailto:ada@example.com', ['ada@example.com'], 0],
  ['Write to ada@example.com.', ['ada@example.com'], 0],
  ['ada.example.com\nbob@example.com\nno address', ['bob@example.com'], 2],
  ['jürgen@bücher.example', ['jürgen@bücher.example'], 0],
  ['ada@@example', ['ada@@example'], 0],
  ['', [], 0],
])('readPasted finds the addresses in %j and counts lines without one', (text, emails, skippedLines) => {
  expect(readPasted(text)).toEqual({ emails, skippedLines })
})

test('makePastedFile writes one column named email', async () => {
  const file = makePastedFile(['ada@example.com', '"a"b@example.com'], new Date('2026-11-02T12:00:00Z'))
  expect(file.name).toBe('pasted-addresses-2026-11-02.csv')
  expect(await file.text()).toBe('email\r\nada@example.com\r\n"""a""b@example.com"\r\n')
})

test('the sample has 120 rows of sandbox addresses, two duplicates and one empty', async () => {
  const [header, ...rows] = (await makeSampleFile().text()).trimEnd().split('\r\n')
  expect(header).toBe('customer,email,plan')
  const emails = rows.map((row) => row.split(',')[1] ?? '')
  const filled = emails.filter((email) => email !== '')
  expect([emails.length, filled.length, new Set(filled).size]).toEqual([120, 119, 117])
  expect(filled.filter((email) => findSandboxCase(email) === undefined)).toEqual([])
})
