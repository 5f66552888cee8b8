import { expect, test } from 'vitest'
import { openTurns } from './reader.ts'

const NEVER = new AbortController().signal

function openWork() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { work: () => promise, finish: resolve }
}

test('take runs work of one account in turn and work of others at once', async () => {
  const turns = openTurns()
  const [first, other] = [openWork(), openWork()]
  const order: string[] = []
  const running = [
    turns.take('a', NEVER, first.work).then(() => order.push('a1')),
    turns.take('a', NEVER, async () => void order.push('a2')),
    turns.take('b', NEVER, async () => void order.push('b1')),
  ]
  await running[2]
  expect([order, turns.waiting('a')]).toEqual([['b1'], 1])
  first.finish()
  other.finish()
  await Promise.all(running)
  expect(order).toEqual(['b1', 'a1', 'a2'])
  expect(turns.waiting('a')).toBe(0)
})

test('take continues with the next work when one fails or is abandoned', async () => {
  const turns = openTurns()
  const first = openWork()
  const gone = new AbortController()
  const running = turns.take('a', NEVER, async () => {
    await first.work()
    throw new Error('failed')
  })
  const abandoned = turns.take('a', gone.signal, async () => 'never')
  const last = turns.take('a', NEVER, async () => 'done')
  gone.abort(new Error('gone'))
  await expect(abandoned).rejects.toThrow('gone')
  expect(turns.waiting('a')).toBe(1)
  first.finish()
  await expect(running).rejects.toThrow('failed')
  expect(await last).toBe('done')
  await expect(turns.take('a', gone.signal, async () => 'never')).rejects.toThrow('gone')
  expect(await turns.take('a', NEVER, async () => 'again')).toBe('again')
})
