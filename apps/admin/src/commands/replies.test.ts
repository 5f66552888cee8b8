import { asOwner } from '@probity/database/connection/connect'
import { createTestDatabase } from '@probity/database/connection/test-database'
import { recordUnclassifiedReplies } from '@probity/database/operators/unclassified-replies'
import { expect, test } from 'vitest'
import { resultOf, runAdmin } from '../test-admin.ts'

const { db, url } = await createTestDatabase()

test('replies lists unclassified replies, the most frequent first', async () => {
  const rare = { provider: '', stage: 'rcpt', code: 550, reply: 'flurb', seen: 2 }
  const frequent = { provider: 'google', stage: 'mail', code: 451, reply: 'zonk', seen: 3 }
  await recordUnclassifiedReplies(db, [rare, frequent])
  await recordUnclassifiedReplies(db, [frequent])
  expect(resultOf(await runAdmin(url, 'replies'))).toMatchObject([{ ...frequent, seen: 6 }, rare])
})

test('the number of stored unclassified replies per server is limited', async () => {
  for (let round = 0; round < 60; round += 1) {
    const many = Array.from({ length: 200 }, (_, n) => ({
      provider: '',
      stage: 'rcpt',
      code: 550,
      reply: `${round} ${n}`,
      seen: 1,
    }))
    await recordUnclassifiedReplies(db, many)
  }
  const rows = await asOwner(db, (trx) => trx.selectFrom('unrecognizedReplies').select('reply').execute())
  expect(rows.length).toBeLessThanOrEqual(10_000)
  await recordUnclassifiedReplies(db, [{ provider: '', stage: 'rcpt', code: 550, reply: 'flurb', seen: 1 }])
  expect(resultOf<{ reply: string; seen: number }[]>(await runAdmin(url, 'replies'))).toContainEqual(
    expect.objectContaining({ reply: 'flurb', seen: 3 }),
  )
})
