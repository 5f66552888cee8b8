import { expect, test } from 'vitest'
import { documentedName, shortName, withDefaults, withSettings } from './every-setting.ts'

test('documented names have the prefix, except those of OpenTelemetry', () => {
  expect(documentedName('PORT')).toBe('PROBITY_PORT')
  expect(documentedName('OTEL_TRACES_SAMPLER_ARG')).toBe('OTEL_TRACES_SAMPLER_ARG')
  expect([shortName('PROBITY_PORT'), shortName('PORT')]).toEqual(['PORT', 'PORT'])
  expect(shortName('PROBITY_OTEL_TRACES_SAMPLER_ARG')).toBe('PROBITY_OTEL_TRACES_SAMPLER_ARG')
})

test('withDefaults keeps a value that is set under either name', () => {
  expect(withDefaults({ PROBITY_PORT: '1', HOST: 'x' }, { PORT: '0', HOST: 'y', LOG_LEVEL: 'warn' })).toEqual({
    PROBITY_PORT: '1',
    HOST: 'x',
    LOG_LEVEL: 'warn',
  })
})

test('withSettings replaces a value under either name and removes its secret file', () => {
  const env = { PROBITY_DATABASE_URL_FILE: '/x', DATABASE_URL: 'old', PROBITY_PORT: '1', PATH: '/bin' }
  const replaced = withSettings(env, { DATABASE_URL: 'new', PORT: '2' })
  expect(JSON.parse(JSON.stringify(replaced))).toEqual({ DATABASE_URL: 'new', PORT: '2', PATH: '/bin' })
})
