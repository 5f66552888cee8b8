import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { openStorage } from '@probity/uploads/open-storage'
import { expect, test } from 'vitest'
import { openUploadReader } from './reader.ts'
import { openFailureBudget } from './reading-limits.ts'

const folder = makeFolder('probity-reading')
whenDone(() => removeFolder(folder))
const storage = openStorage({ kind: 'folder', folder: join(folder, 'kept') })
const FUNDED = 'funded'
type Options = Omit<Parameters<typeof openUploadReader>[0], 'storage' | 'isFunded'>

async function openReader(options: Options = {}) {
  const isFunded = async (accountId: string) => accountId === FUNDED
  const reader = openUploadReader({ storage, isFunded, ...options })
  whenDone(() => reader.stop())
  const read = (path: string, accountId = FUNDED) => reader.read(path, { accountId, emailsMax: 1_000 })
  return { read }
}

async function write(name: string, content: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, content)
  return path
}

const small = await write('small.csv', 'email\nada@example.com\n')
const refused = await write('refused.csv', 'name\nAda\n')
const slow = await write(
  'slow.csv',
  `email,name\nada@example.com,Ada\n${',Ada Lovelace,London,1815\n'.repeat(150_000)}`,
)

test('a reading that exceeds its CPU time is ended, and the next file is read', async () => {
  const { read } = await openReader({ cpuMsMax: { funded: 300, other: 300 } })
  await expect(read(slow)).rejects.toMatchObject({ code: 'file_too_large' })
  expect(await read(small)).toMatchObject({ emailCount: 1 })
})

test('an account without credits of its own has less CPU time', async () => {
  const { read } = await openReader({ cpuMsMax: { funded: 60_000, other: 300 } })
  const readings = await Promise.allSettled([read(slow), read(slow, 'other')])
  expect(readings).toMatchObject([{ value: { emailCount: 1 } }, { reason: { code: 'file_too_large' } }])
})

test('the budget of failed readings refills evenly and is per account', () => {
  let now = 0
  const budget = openFailureBudget(() => now)
  budget.spend('a', 30_000)
  expect(() => budget.check('a')).not.toThrow()
  budget.spend('a', 3_000)
  expect(() => budget.check('a')).toThrow(expect.objectContaining({ code: 'rate_limited', retryAfterS: 60 }))
  expect(() => budget.check('b')).not.toThrow()
  now = 59_999
  expect(() => budget.check('a')).toThrow(expect.objectContaining({ retryAfterS: 1 }))
  now = 60_000
  expect(() => budget.check('a')).not.toThrow()
})

test.each([
  ['refused', refused, undefined, 'no_email_column'],
  ['ended', slow, { funded: 300, other: 300 }, 'file_too_large'],
] as const)(
  'a reading that was %s counts toward the budget, and a successful one does not',
  async (_, path, cpuMsMax, code) => {
    const failures = openFailureBudget(() => 0)
    failures.spend(FUNDED, 30_000) // just used up
    const { read } = await openReader({ failures, ...(cpuMsMax && { cpuMsMax }) })
    await read(small)
    await expect(read(path)).rejects.toMatchObject({ code })
    await expect(read(small)).rejects.toMatchObject({ code: 'rate_limited' })
    expect(await read(small, 'other')).toMatchObject({ emailCount: 1 })
  },
)

test('the accounts without credits of their own use at most one of the two threads', async () => {
  const { read } = await openReader()
  await Promise.all([read(small), read(small, 'other')]) // starts both threads
  const order: string[] = []
  const note = (name: string) => () => void order.push(name)
  await Promise.all([
    read(slow, 'first').then(note('first')),
    read(slow, 'second').then(note('second')),
    read(small).then(note(FUNDED)),
  ])
  expect(order).toEqual([FUNDED, 'first', 'second'])
})
