import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listForeignSecrets, PROCESSES } from '@probity/settings/every-setting'
import { expect, test } from 'vitest'

const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8')

test.each(['api', 'worker', 'maintenance'] as const)('the unit of %s loads its own secrets only', (name) => {
  const unit = read(`systemd/probity-${name}.service`)
  const loaded = [...unit.matchAll(/^LoadCredential=(\w+):\/etc\/probity\/secrets\/(\w+)$/gm)]
  const named = [...unit.matchAll(/PROBITY_(\w+)_FILE=%d\/(\w+)/g)]
  expect(named.map(([, , file = '']) => file).toSorted()).toEqual(loaded.map(([, id = '']) => id).toSorted())
  const foreign = listForeignSecrets(PROCESSES[name])
  expect(named.filter(([, secret = '']) => foreign.includes(secret))).toEqual([])
  const files = loaded.map(([, , file = '']) => file)
  expect(files).toContain(name === 'api' ? 'redis_url' : `${name}_redis_url`)
  // A unit whose credential is missing does not start.
  const script = read('install-debian.sh')
  for (const file of files) {
    expect(script).toMatch(new RegExp(`\\$SECRETS/${file}" 0600$|^  for name in (.* )?${file}[ ;]`, 'm'))
  }
})
