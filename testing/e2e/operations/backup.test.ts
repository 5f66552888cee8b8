import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { asOwner, connect } from '@probity/database/connection/connect'
import { createEmptyDatabase, createTestDatabase } from '@probity/database/connection/test-database'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { startPostgres } from '@probity/lab/services/postgres'
import { whenDone } from '@probity/lab/when-done'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { callApi, createApiClient, startInstance } from '../environment/instance.ts'
import { startApiProcess } from '../environment/processes.ts'
import { ROOT } from '../environment/programs.ts'

const FOLDER = makeFolder('probity-backups')
whenDone(() => removeFolder(FOLDER))
const LONG_MS = 180_000

async function run(program: string, settings: Record<string, string>, ...args: string[]) {
  const child = spawn(process.execPath, [join(ROOT, program), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], REDIS_URL: 'redis://127.0.0.1:1', ...settings },
  })
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code, stdout, stderr }
}

const admin = (url: string, ...args: string[]) => run('apps/admin/src/main.ts', { DATABASE_URL: url }, ...args)

async function backUp(url: string, ...options: string[]) {
  const { code, stdout, stderr } = await admin(url, 'backup', FOLDER, ...options)
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout) as { file: string; contents: Record<string, number>; removed: string[]; roles: string[] }
}

test(
  'restore brings back keys and exact credits after the data is lost',
  async () => {
    const instance = await startInstance()
    const apiClient = await createApiClient(instance, { credits: 100 })
    expect(await apiClient.call('POST', '/validation/single', { email: 'ada@no-such-domain.invalid' })).toMatchObject({
      status: 200,
    })
    const before = await apiClient.call('GET', '/account')
    const backup = await backUp(instance.url)
    expect(backup.contents).toMatchObject({ accounts: 1, keys: 1, credits: 99 })
    expect(backup.roles).toContain('probity_app')
    expect(statSync(backup.file).mode & 0o777).toBe(0o600)

    const later = await apiClient.call('POST', '/keys', { name: 'made after the backup' })
    expect(later.status).toBe(201)

    const name = new URL(instance.url).pathname.slice(1)
    expect((await admin(instance.url, 'restore', backup.file)).stderr).toBe(
      `The database ${name} is not empty. To overwrite it, add --replace ${name}\n`,
    )
    expect((await admin(instance.url, 'restore', backup.file, '--replace', name)).stderr).toBe(
      'Probity processes are still connected. Stop them first.\n',
    )
    await Promise.all([instance.api.stop(), instance.worker.stop(), instance.db.destroy()])
    const restored = await admin(instance.url, 'restore', backup.file, '--replace', name)
    expect([restored.code, restored.stderr]).toEqual([0, ''])
    expect(JSON.parse(restored.stdout)).toMatchObject({ contents: backup.contents, migrated: [] })

    const api = await startApiProcess(instance.settings)
    const call = (key: string) => callApi(`${api.url}/api/v1/account`, 'GET', undefined, { 'x-api-key': key })
    const { probing, delay_reason, ...kept } = before.body // both change when the worker stops
    expect(await call(apiClient.key)).toMatchObject({ status: 200, body: kept })
    expect(await call(String(later.body['key']))).toMatchObject({ status: 401 })
  },
  LONG_MS,
)

test(
  'restore works on a new server, as an owner without superuser rights',
  async () => {
    const from = await startInstance()
    const apiClient = await createApiClient(from, { credits: 7 })
    const { file } = await backUp(from.url)
    const server = await startPostgres()
    whenDone(() => server.stop())
    const root = connect(server.url)
    await asOwner(root, (trx) => sql`create role keeper login createrole`.execute(trx))
    await root.destroy()
    execFileSync('createdb', ['--owner=keeper', `--maintenance-db=${server.url}`, 'probity'])
    const url = server.url.replace('postgres@', 'keeper@').replace(/\/postgres$/, '/probity')
    const restored = await admin(url, 'restore', file)
    expect([restored.code, restored.stderr]).toEqual([0, ''])

    const api = await startApiProcess({ ...from.settings, DATABASE_URL: url })
    const answer = await callApi(`${api.url}/api/v1/account`, 'GET', undefined, { 'x-api-key': apiClient.key })
    expect(answer).toMatchObject({ status: 200, body: { credits: { available: 7 } } })
  },
  LONG_MS,
)

test('restore rejects a damaged backup and one of a newer version before it changes anything', async () => {
  const { url } = await createTestDatabase()
  const { file } = await backUp(url)
  const empty = await createEmptyDatabase()
  const copy = (name: string) => {
    const path = join(FOLDER, name)
    cpSync(file, path)
    cpSync(file.replace('.dump', '.json'), path.replace('.dump', '.json'))
    return path
  }

  const bitten = copy('bitten.dump')
  const bytes = readFileSync(bitten)
  bytes[bytes.length - 100] = (bytes.at(-100) ?? 0) ^ 1
  writeFileSync(bitten, bytes)
  expect((await admin(empty, 'restore', bitten)).stderr).toMatch(/the checksum does not match/)

  const newer = copy('newer.dump')
  const manifest = JSON.parse(readFileSync(newer.replace('.dump', '.json'), 'utf8'))
  writeFileSync(
    newer.replace('.dump', '.json'),
    JSON.stringify({ ...manifest, migrations: [...manifest.migrations, '9999_future'] }),
  )
  expect((await admin(empty, 'restore', newer)).stderr).toMatch(/newer version with the migrations 9999_future/)

  expect((await admin(empty, 'restore', join(FOLDER, 'nothing.dump'))).stderr).toMatch(/cannot be read \(ENOENT\)/)
  const db = connect(empty)
  whenDone(() => db.destroy())
  const { rows } = await asOwner(db, (trx) =>
    sql`select from pg_class where relnamespace = 'public'::regnamespace`.execute(trx),
  )
  expect(rows).toEqual([])
})

test('backup --keep removes older backups and keeps other files', async () => {
  const { url } = await createTestDatabase()
  const foreignFile = join(FOLDER, 'probity-of-somebody.dump')
  writeFileSync(foreignFile, 'x')
  const first = await backUp(url)
  await new Promise((resolve) => setTimeout(resolve, 1_100)) // file names have a resolution of one second
  const second = await backUp(url, '--keep', '1')
  expect(second.removed).toContain(first.file)
  expect(second.removed).not.toContain(foreignFile)
  expect(statSync(second.file).isFile() && statSync(foreignFile).isFile()).toBe(true)
})

test.each([
  ['api', 'apps/api/src/server/main.ts'],
  ['worker', 'apps/worker/src/server/main.ts'],
])('the %s does not start on the schema of a newer version, and names the migrations', async (_, program) => {
  const { url, db } = await createTestDatabase()
  await asOwner(db, (trx) => sql`insert into migrations (name, run_on) values ('9999_future', now())`.execute(trx))
  const started = await run(program, { DATABASE_URL: url, PORT: '0' })
  expect(started.code).toBe(78)
  expect(started.stderr).toMatch(/does not contain \(9999_future\)/)
})
