import { listForeignSecrets, PROCESSES } from '@probity/settings/every-setting'
import { expect, test } from 'vitest'
import { composeSettings, SECRETS } from './settings.ts'

/** Made in the container, not given to it. */
const MADE = /^(DATABASE|REDIS)_/
const PASSWORDS = { owner: 'o', api: 'a', worker: 'w', maintenance: 'm', redis: 'r' }

test.each(['api', 'worker', 'maintenance'] as const)(
  '%s gets no secret of another program of the container',
  (program) => {
    const foreign = listForeignSecrets(PROCESSES[program]).filter((name) => !MADE.test(name))
    const names = Object.keys(SECRETS)
    const given = Object.fromEntries(
      names.flatMap((name) => [
        [name, 'given'],
        [`${name}_FILE`, 'given'],
      ]),
    )
    const settings = composeSettings(PASSWORDS, { program, given: { ...given, PROBITY_PORT: '1' }, own: {} })
    const missing = names.filter((name) => !(name in settings))
    expect(missing.toSorted()).toEqual(foreign.map((name) => `PROBITY_${name}`).toSorted())
    expect(names.filter((name) => !(`${name}_FILE` in settings))).toEqual(missing)
    expect(settings).toMatchObject({ PROBITY_PORT: '1', PROBITY_REDIS_URL: 'redis://:r@127.0.0.1:6379' })
  },
)
