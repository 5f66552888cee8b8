import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { expect, test } from 'vitest'
import { openStorage } from './storage.ts'

const folder = makeFolder('probity-storage')
whenDone(() => removeFolder(folder))
const storage = openStorage(folder)

async function* breakOff(pieces: number): AsyncGenerator<Buffer> {
  for (let n = 0; n < pieces; n++) yield Buffer.alloc(100_000)
  throw new Error('broken off')
}

test.each([0, 1, 30])('what breaks off after %d pieces leaves nothing behind, then or later', async (pieces) => {
  const attempts = Array.from({ length: 20 }, () => storage.save(breakOff(pieces)))
  const outcomes = await Promise.allSettled(attempts)
  expect(outcomes.map((outcome) => outcome.status)).toEqual(Array(20).fill('rejected'))
  await sleep(50) // a file that is opened too late would come up only now
  expect(readdirSync(folder)).toEqual([])
})

test.each(['', '..', '../secret', '/etc/passwd', 'F'.repeat(32), 'f'.repeat(33)])(
  'a key that is none of ours reaches no file: %j',
  async (key) => {
    expect(() => storage.open(key)).toThrow('not a key')
    expect(() => storage.remove(key)).toThrow('not a key')
  },
)
