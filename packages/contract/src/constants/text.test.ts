import { expect, test } from 'vitest'
import { formatKey } from './keys.ts'
import { withoutSecrets } from './text.ts'

const KEY = formatKey('live', 'q7Xw2LmZr9TbKc4VnJh8Gd5PsYf3AeRu')

test.each([
  ['a canary@example.org in a sentence', 'a [address] in a sentence'],
  ['{"detail":"Key (email)=(canary+tag@mail.example.org) exists"}', '{"detail":"Key (email)=([address]) exists"}'],
  ['someone@163.com', '[address]'],
  ['jörg@bücher.example', '[address]'],
  ['no "canary bird"@example.org here', '[address] here'],
  [`key ${KEY} used`, 'key [key] used'],
  ['{"secret":"whsec_VGhpcyBpcyBhbiBleGFtcGxlIGFuZCBub3QgYSBzZWM="}', '{"secret":"[secret]"}'],
  ['Invalid key: rk_live_51ExampleExampleExample', 'Invalid key: [secret]'],
  ['at query (node_modules/.pnpm/pg@8.23.1/node_modules/pg/lib/client.js:7:1)', undefined],
  ['at node_modules/@fastify/swagger/index.js', undefined],
])('%s', (line, expected = line) => {
  expect(withoutSecrets(line)).toBe(expected)
})

test('a long hostile line is redacted in linear time', { tags: ['timed'] }, () => {
  const lines = ['a'.repeat(1_000_000), 'a@'.repeat(500_000), `${'"'.repeat(500)}@`.repeat(2_000)]
  const began = performance.now()
  for (const line of lines) withoutSecrets(line)
  expect(performance.now() - began).toBeLessThan(2_000)
})
