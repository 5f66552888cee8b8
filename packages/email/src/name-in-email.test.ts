import { expect, test } from 'vitest'
import { nameInEmail } from './send.ts'

test.each([
  ['Ada Lovelace', 'Ada Lovelace'],
  ['J. R. R. Tolkien', 'J. R. R. Tolkien'],
  ['Zürich Versicherungen AG', 'Zürich Versicherungen AG'],
  ['Ada\r\nBcc: all@example.com', 'Ada Bcc: all example com'],
  ['Pay at https://evil.example/pay now', 'Pay at evil example/pay now'],
  ['www.evil.example', 'www evil example'],
  ['Booking.com', 'Booking com'],
  ['evil\u3002example', 'evil example'],
  ['ad\u202ea\u2028x', 'ad a x'],
  ['https://', 'unnamed'],
])('%j is written as %j', (name, written) => {
  expect(nameInEmail(name)).toBe(written)
})

test('a long name is cut to 60 characters', () => {
  expect([...nameInEmail('x'.repeat(200))]).toHaveLength(60)
})
