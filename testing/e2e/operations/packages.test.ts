import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PUBLIC_SANDBOX_KEY } from '@probity/contract/constants/sandbox'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { expect, test } from 'vitest'
import { openHome } from '../cli/run-cli.ts'
import { packPackages } from '../environment/packages.ts'
import { startRegistry } from '../environment/registry.ts'
import { run } from '../environment/run.ts'
import { useSharedInstance } from '../environment/shared-instance.ts'

const PACKED = ['SHA256SUMS', 'probity-cli-0.1.0.tgz', 'probity-sdk-0.1.0.tgz']

const hashFile = (folder: string, file: string) =>
  createHash('sha256')
    .update(readFileSync(join(folder, file)))
    .digest('hex')

test('packages that are packed twice have the same bytes, and SHA256SUMS has their hashes', () => {
  const [first, second] = [packPackages(), packPackages()]
  expect(readdirSync(first).toSorted()).toEqual(PACKED)
  for (const file of PACKED) expect(hashFile(second, file), file).toBe(hashFile(first, file))
  expect(run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], first)).toBe(
    'probity-sdk-0.1.0.tgz: OK\nprobity-cli-0.1.0.tgz: OK\n',
  )
})

const USE = `
new Probity().validate('mailbox-full@example.com').then(({ status, sub_status }) => console.log(status, sub_status))
`

function createProject(type: 'module' | 'commonjs'): string {
  const folder = makeFolder(`probity-${type}`)
  whenDone(() => removeFolder(folder))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: type, private: true, type }))
  return folder
}

test('the SDK and the CLI installed from a registry validate with the sandbox key', { tags: ['long'] }, async () => {
  const [instance, registry] = [await useSharedInstance(), await startRegistry()]
  const settings = { PROBITY_BASE_URL: instance.api.url, PROBITY_API_KEY: PUBLIC_SANDBOX_KEY }

  const module = createProject('module')
  registry.npm(['install', '@probity/sdk'], module)
  writeFileSync(join(module, 'use.js'), `import { Probity } from '@probity/sdk'${USE}`)
  expect(run(process.execPath, ['use.js'], module, settings)).toBe('risky mailbox_full\n')

  const commonjs = createProject('commonjs')
  registry.npm(['install', '@probity/sdk'], commonjs)
  writeFileSync(join(commonjs, 'use.js'), `const { Probity } = require('@probity/sdk')${USE}`)
  expect(run(process.execPath, ['use.js'], commonjs, settings)).toBe('risky mailbox_full\n')

  const { env, home, path } = openHome(settings)
  registry.npm(['install', '--global', '--prefix', path('global'), '@probity/cli'], home)
  const probity = (...args: string[]) => run(path('global/bin/probity'), args, home, env())
  expect(probity('--version')).toBe('0.1.0\n')
  expect(probity('validate', 'mailbox-full@example.com', '--format', 'csv')).toContain(
    'mailbox-full@example.com,risky,mailbox_full,',
  )
  expect(probity('validate', '--offline', '--dns', '127.0.0.1:9', 'ada@mailinator.com')).toContain('Disposable')
})
