import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { freePort, makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { expect, test, vi } from 'vitest'
import { installSdk } from '../api/sdk/install.ts'
import { createApiClient } from '../environment/instance.ts'
import { useSharedInstance } from '../environment/shared-instance.ts'
import { readBlocks } from './pages.ts'

/** Failures that docs/guides/nightly-crm.md describes; docs-snippets.test.ts runs it without failures. */
const instance = await useSharedInstance()
const testing = await createApiClient(instance, { credits: 0, key: { mode: 'test' } })
const sdk = installSdk()
const blocks = readBlocks('docs/guides/nightly-crm.md')
const fileOf = (name: string) => blocks.find(({ marker }) => marker?.value === name)?.text ?? ''

function openCrm(more = '') {
  const folder = makeFolder('probity-crm')
  whenDone(() => removeFolder(folder))
  symlinkSync(join(sdk.folder, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'nightly-clean.ts'), fileOf('nightly-clean.ts'))
  const crm = new DatabaseSync(join(folder, 'crm.db'))
  crm.exec(fileOf('crm.sql') + more)
  whenDone(() => crm.close())
  function start(settings: Record<string, string> = {}) {
    const env = { PATH: process.env['PATH'] ?? '', PROBITY_API_KEY: testing.key, PROBITY_BASE_URL: instance.api.url }
    const night = spawn(process.execPath, ['nightly-clean.ts'], { cwd: folder, env: { ...env, ...settings } })
    whenDone(() => night.kill('SIGKILL'))
    let out = ''
    for (const stream of [night.stdout, night.stderr]) stream.on('data', (text) => (out += text))
    return { kill: () => night.kill('SIGKILL'), ended: once(night, 'close').then(([code]) => ({ code, out })) }
  }
  const all = (query: string) => crm.prepare(query).all()
  return { start, contacts: () => all('select * from contacts'), running: () => all('select id from running_list') }
}

const listJobs = async () => (await testing.call('GET', '/bulk/jobs?limit=100')).body as unknown as unknown[]

test('an unavailable service leaves the contacts unchanged for the next night', async () => {
  const { start, contacts, running } = openCrm()
  const before = contacts()
  const { code, out } = await start({ PROBITY_BASE_URL: `http://127.0.0.1:${await freePort()}` }).ended
  expect([code, out]).toEqual([75, expect.stringContaining('ConnectionError')])
  expect([contacts(), running()]).toEqual([before, []])
})

test('without credits the script starts no list and exits with 1', async () => {
  const { start, contacts, running } = openCrm()
  const before = contacts()
  const poor = await createApiClient(instance, { credits: 1 })
  const { code, out } = await start({ PROBITY_API_KEY: poor.key }).ended
  expect([code, out]).toEqual([1, expect.stringMatching(/insufficient_credits req_/)])
  expect([contacts(), running()]).toEqual([before, []])
})

test('the night after a killed one finishes the list that is paid for', async () => {
  const { start, contacts, running } = openCrm(`insert into contacts (email) values ('greylisted@example.com');`)
  const jobs = (await listJobs()).length
  const first = start()
  await vi.waitFor(() => expect(running().length).toBe(1), { timeout: 30_000 })
  const list = running()
  first.kill()
  await first.ended
  expect(contacts().filter((contact) => contact['status'] === 'invalid')).toEqual([])

  const { code, out } = await start().ended
  expect([code, out]).toEqual([0, expect.stringContaining('6 contacts validated, list completed')])
  expect(list.length).toBe(1)
  expect([running(), (await listJobs()).length]).toEqual([[], jobs + 1])
  expect(contacts().map((contact) => contact['status'])).toEqual([
    'valid',
    'invalid',
    'valid',
    'unknown',
    'valid',
    'valid',
  ])
})

test('the night after a deleted list creates another list', async () => {
  const { start, running } = openCrm(
    `insert into running_list values ('0198f2d1-93a8-7b05-8f17-04e5d6c2b9a1', datetime('now'));`,
  )
  const { code, out } = await start().ended
  expect([code, out]).toEqual([75, expect.stringMatching(/not_found req_/)])
  expect(running()).toEqual([])
  expect((await start().ended).code).toBe(0)
})
