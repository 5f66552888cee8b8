import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { connect } from '@probity/database/connection/connect'
import { createEmptyDatabase } from '@probity/database/connection/test-database'
import { listMissingMigrations } from '@probity/database/system/schema-version'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { startRedis } from '@probity/lab/services/redis'
import { whenDone } from '@probity/lab/when-done'
import { expect, test, vi } from 'vitest'
import { type ApiClient, callApi } from '../environment/instance.ts'
import {
  confirmList,
  expectCleanLedger,
  expectCompleted,
  getDone,
  listSettings,
  startListLoad,
  startListWorker,
  startTestSimulation,
} from '../environment/jobs.ts'
import { startApiProcess } from '../environment/processes.ts'
import { ROOT } from '../environment/programs.ts'

/** `UPGRADE_FROM=<commit> pnpm test upgrade-from`: needs the history and the packages of that commit, which a clone of CI may not have. */
const FROM = process.env['UPGRADE_FROM'] ?? ''
const ROWS = 2_000
const OTHERS = 3_000
const LONG_MS = 600_000

test(
  `this version migrates the database and takes over while ${FROM} processes a job, and each address is charged once`,
  async () => {
    const before = unpack(FROM)
    const redis = await startRedis()
    whenDone(() => redis.stop())
    const [url, simulation] = await Promise.all([createEmptyDatabase(), startTestSimulation(ROWS + OTHERS)])
    const db = connect(url)
    whenDone(() => db.destroy())
    const settings = listSettings(url, redis.url)
    const admin = (root: string, ...args: string[]) => runAdmin(root, settings, args)
    admin(before, 'migrate')
    const [oldApi, oldWorker] = await Promise.all([
      startApiProcess(settings, undefined, before),
      startListWorker(settings, simulation, before),
    ])
    const apiClient = createApiClient((...args) => admin(before, ...args), oldApi.url)
    const id = await confirmList(oldApi.url, apiClient, simulation.draw(ROWS))
    const load = startListLoad(apiClient, { simulation, jobId: () => id, singles: 2, readers: 1 })
    await vi.waitFor(async () => expect(await getDone(db, id)).toBeGreaterThan(0), { timeout: 120_000, interval: 20 })

    const missing = await listMissingMigrations(db)
    expect(admin(ROOT, 'migrate')).toEqual({ migrated: missing })
    expect(missing.length).toBeGreaterThan(0)
    expect(await getDone(db, id)).toBeLessThan(ROWS) // or the job was not in progress
    const [api] = await Promise.all([startApiProcess(settings), startListWorker(settings, simulation)])
    await oldWorker.stop()
    await expectCompleted(db, simulation, { id, rows: ROWS })
    const observed = await load.stop()
    await oldApi.stop()

    const later = await confirmList(
      api.url,
      { ...apiClient, call: callerOf(api.url, apiClient.key) },
      simulation.draw(200),
    )
    await expectCompleted(db, simulation, { id: later, rows: 200 })
    const wrong = observed.filter((one) => one.wrong !== undefined)
    expect(wrong.filter(({ status, wrong }) => status !== 200 || wrong !== 'unknown timeout')).toEqual([])
    expect(observed.length).toBeGreaterThan(50)
    await expectCleanLedger(db)
  },
  LONG_MS,
)

/** The tree of a commit with its installed packages. */
function unpack(commit: string): string {
  const folder = makeFolder('probity-before')
  whenDone(() => removeFolder(folder))
  const tree = join(folder, 'tree.tar')
  execFileSync('git', ['archive', '--output', tree, commit], { cwd: ROOT })
  execFileSync('tar', ['xf', tree, '-C', folder])
  execFileSync('pnpm', ['install', '--frozen-lockfile', '--prefer-offline'], { cwd: folder, stdio: 'ignore' })
  return folder
}

function runAdmin(root: string, settings: Record<string, string>, args: string[]): Record<string, unknown> {
  const output = execFileSync(process.execPath, [join(root, 'apps/admin/src/main.ts'), ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...settings },
  })
  return JSON.parse(output) as Record<string, unknown>
}

const callerOf =
  (url: string, key: string): ApiClient['call'] =>
  (method, path, body, headers = {}) =>
    callApi(`${url}/api/v1${path}`, method, body, { 'x-api-key': key, ...headers })

/** Created by the commands of the version that owns the tables. */
function createApiClient(admin: (...args: string[]) => Record<string, unknown>, url: string): ApiClient {
  const account = admin('account', 'create', '--name', 'Of before', '--plan', 'scale', '--credits', '100000')
  const accountId = String(account['id'])
  // With the default scopes, whose names depend on the version.
  const made = admin('key', 'create', '--account', accountId, '--name', 'old', '--mode', 'live')
  const key = String(made['key'])
  return { accountId, keyId: String(made['id']), key, call: callerOf(url, key) }
}
