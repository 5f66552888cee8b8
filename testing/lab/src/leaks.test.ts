import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { listLeaks } from './leaks.ts'
import { makeFolder, removeFolder } from './services/daemon.ts'

const folder = makeFolder('probity-leaks')
afterAll(() => removeFolder(folder))

function leaksIn(text: string): string[] {
  const file = join(folder, 'some.log')
  writeFileSync(file, text)
  return listLeaks(file)
}

test.each([
  'canary@example.org',
  '{"msg":"no row for canary+tag@mail.example.org"}',
  'url: /api/v1/validation/single?email=canary%2B@example.org',
  '{"msg":"\\"canary bird\\"@example.org"}',
  'someone@163.com',
  `key pb_live_${'x'.repeat(38)}`,
])('finds %s', (text) => {
  expect(leaksIn(`fine\n${text}\n`)).toEqual([expect.stringMatching(/^some\.log:2 /)])
})

test.each([
  'GET /api/v1/keys/:key_id 200',
  'at node_modules/.pnpm/pg@8.23.1/node_modules/pg/lib/client.js',
  'at node_modules/@fastify/swagger/index.js',
  '[address] and [key] were here',
])('finds nothing in %s', (text) => {
  expect(leaksIn(text)).toEqual([])
})
