import { expect, test } from 'vitest'
import { planSheet } from './download.ts'

test('planSheet keeps only the own columns in the file to keep, and each address once in both files', () => {
  const shared = { format: 'csv', keepBom: true, preset: 'balanced', unique: true }
  expect(planSheet('contacts.csv', 'balanced', 'keep')).toEqual({ ...shared, part: 'keep', ownColumns: true })
  expect(planSheet('contacts.csv', 'balanced', 'remove')).toEqual({ ...shared, part: 'remove' })
  expect(planSheet('contacts.xlsx', 'safest', 'keep')).toMatchObject({ format: 'xlsx', preset: 'safest' })
})
