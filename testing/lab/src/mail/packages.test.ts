import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { makeFolder, removeFolder } from '../services/daemon.ts'
import { whenDone } from '../when-done.ts'
import { unpackPackages } from './packages.ts'

const BRINGS_WITHIN_MS = 90_000 // apt-get may have to download its lists first

test('unpackPackages downloads a package once for two concurrent calls and installs nothing', {
  tags: ['timed'],
  timeout: BRINGS_WITHIN_MS,
}, async () => {
  const home = makeFolder('probity-home')
  vi.stubEnv('HOME', home)
  whenDone(() => {
    vi.unstubAllEnvs()
    removeFolder(home)
  })
  const [folder = '', other] = await Promise.all([unpackPackages([['hello']]), unpackPackages([['hello']])])
  expect(other).toBe(folder)
  expect(readdirSync(join(home, '.cache/probity-lab'))).toHaveLength(1)
  expect(execFileSync(join(folder, 'usr/bin/hello'), { encoding: 'utf8' })).toBe('Hello, world!\n')

  const began = performance.now()
  expect(await unpackPackages([['hello']])).toBe(folder)
  expect(performance.now() - began).toBeLessThan(500)
})
