import { expect, test } from 'vitest'
import { readWebhookSearch } from './search.ts'

test('readWebhookSearch keeps valid filters', () => {
  const search = { status: 'failed', type: 'job.completed', skip: 20, delivery: '0198f3a1-0b52-7e18-9c40-6d7f21a8e395' }
  expect(readWebhookSearch(search)).toEqual(search)
})

test('readWebhookSearch drops values that the API would reject', () => {
  const search = { status: 'toString', type: 'job.completed; drop', skip: -20, delivery: '', other: 'x' }
  expect(readWebhookSearch(search)).toEqual({})
  expect(readWebhookSearch({ status: 1, type: true, skip: 0.5, delivery: 7 })).toEqual({})
})
