import { createSecretKey, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { hashMailbox } from './accounts.ts'

const secret = createSecretKey(randomBytes(32))
const hash = (email: string, key = secret) => hashMailbox(email, key).toString('hex')

test.each([
  ['ada@example.com', 'ADA@Example.com'],
  ['ada@example.com', 'ada+second@example.com'],
  ['ada@example.com', 'ada+@example.com'],
  ['adalovelace@gmail.com', 'a.da.love.lace+x@googlemail.com'],
])('%s and %s have one hash', (one, other) => {
  expect(hash(other)).toBe(hash(one))
})

test.each([
  ['ada@example.com', 'ada@example.org'],
  ['ada@example.com', 'a.da@example.com'],
  ['ada@example.com', 'grace@example.com'],
])('%s and %s have different hashes', (one, other) => {
  expect(hash(other)).not.toBe(hash(one))
})

test('the hash depends on the secret and has 32 bytes', () => {
  const other = createSecretKey(randomBytes(32))
  expect(hash('ada@example.com', other)).not.toBe(hash('ada@example.com'))
  expect(hashMailbox('ada@example.com', secret)).toHaveLength(32)
})
