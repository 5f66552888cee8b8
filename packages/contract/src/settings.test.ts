import Type from 'typebox'
import { expect, test } from 'vitest'
import { parseSettings, URL_FORMATS } from './settings.ts'

const Settings = Type.Object({
  DATABASE_URL: Type.String({ format: URL_FORMATS.postgres, description: 'Where the truth is kept.' }),
  PORT: Type.Integer({ minimum: 0, maximum: 65535, default: 3000, description: 'The port.' }),
  QUIET: Type.Boolean({ default: false, description: 'Say less.' }),
})

test('reads numbers and booleans and fills in defaults', () => {
  const env = { DATABASE_URL: 'postgres://127.0.0.1/x', QUIET: 'true', PORT: '', OTHER: 'ignored' }
  expect(parseSettings(Settings, env)).toEqual({ DATABASE_URL: 'postgres://127.0.0.1/x', PORT: 3000, QUIET: true })
})

test('names every fault at once and says what the setting is for', () => {
  const read = () => parseSettings(Settings, { PORT: 'eighty' })
  expect(read).toThrow('DATABASE_URL is missing. Where the truth is kept.')
  expect(read).toThrow('PORT is not valid. The port.')
  expect(read).not.toThrow('QUIET')
})

test('never repeats a value, since it may be a secret', () => {
  expect(() => parseSettings(Settings, { DATABASE_URL: 'mysql://user:hunter2@db' })).toThrow(/^(?!.*hunter2)/s)
})
