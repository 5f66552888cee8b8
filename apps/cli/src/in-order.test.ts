import { expect, test } from 'vitest'
import { inOrder } from './in-order.ts'

test('answers come in the order of the questions, and no more are worked on than may be', async () => {
  let running = 0
  let most = 0
  const questions = Array.from({ length: 30 }, (_, n) => n)
  const answers: number[] = []
  for await (const answer of inOrder(questions, 4, async (n) => {
    most = Math.max(most, ++running)
    for (let turn = 0; turn <= (n * 7) % 5; turn++) await Promise.resolve()
    running--
    return n
  }))
    answers.push(answer)
  expect(answers).toEqual(questions)
  expect(most).toBe(4)
})

test('a failure is told when its turn has come, after the answers before it', async () => {
  const answers: number[] = []
  const all = inOrder([1, 2, 3, 4], 4, async (n) => {
    if (n === 3) throw new Error('three')
    return n
  })
  await expect(
    (async () => {
      for await (const answer of all) answers.push(answer)
    })(),
  ).rejects.toThrow('three')
  expect(answers).toEqual([1, 2])
})
