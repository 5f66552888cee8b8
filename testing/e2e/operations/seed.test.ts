import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { asOwner, connect } from '@probity/database/connection/connect'
import { createEmptyDatabase, createTestDatabase } from '@probity/database/connection/test-database'
import { waitForBuild } from '@probity/lab/build'
import { freePort, stopChild } from '@probity/lab/services/daemon'
import { startRedis } from '@probity/lab/services/redis'
import { whenDone } from '@probity/lab/when-done'
import { sql } from 'kysely'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ROOT } from '../environment/programs.ts'

await Promise.all([waitForBuild('web'), waitForBuild('docs')])
const redis = await startRedis()
whenDone(() => redis.stop())

/** Starts the service as `pnpm dev --seed` does, but without `--watch`, which would replace the test key of the checkout. */
async function startSeeded(databaseUrl: string) {
  const port = await freePort()
  const child = spawn('node', ['apps/admin/src/main.ts', 'up', '--seed'], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, DATABASE_URL: databaseUrl, REDIS_URL: redis.url, PORT: String(port), STOP_NOTICE_MS: '0' },
  })
  onTestFinished(() => stopChild(child, 'SIGTERM', 30_000))
  let output = ''
  child.stderr.on('data', (chunk) => (output += chunk))
  await vi.waitFor(() => expect(output).toContain('\nAPI reference:'), { timeout: 150_000, interval: 100 })
  const [, user, password] = /^Sign in: \S+\/app\/sign-in as (\S+) with (\S+)$/m.exec(output) ?? []
  const stop = async () => {
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  }
  return { url: `http://127.0.0.1:${port}`, output, user, password, stop }
}

/** The file with the user of the demo data of a database. */
function forgetUser(databaseUrl: string): void {
  const name = createHash('sha256').update(databaseUrl).digest('hex').slice(0, 12)
  rmSync(join(ROOT, `.local/seed-${name}.json`))
}

async function signIn(url: string, email = '', password = '') {
  const headers = { origin: url, 'content-type': 'application/json', 'probity-app': '1' }
  const body = JSON.stringify({ email, password })
  const answer = await fetch(`${url}/app/api/auth/sign-in/email`, { method: 'POST', headers, body })
  const cookie = answer.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ')
  return { status: answer.status, cookie }
}

test('up --seed fills an empty database once, and its printed user can sign in and see the lists', async () => {
  const databaseUrl = await createEmptyDatabase()
  const first = await startSeeded(databaseUrl)
  onTestFinished(() => forgetUser(databaseUrl))
  expect(first.output).not.toContain('Setup link:')
  const { status, cookie } = await signIn(first.url, first.user, first.password)
  expect(status).toBe(200)
  const headers = { cookie, 'probity-app': '1' }
  const session = (await (await fetch(`${first.url}/app/api/session`, { headers })).json()) as {
    memberships: { account_id: string }[]
  }
  const account = String(session.memberships[0]?.account_id)
  const jobs = await fetch(`${first.url}/app/api/bulk/jobs`, { headers: { ...headers, 'probity-account': account } })
  expect(Number(jobs.headers.get('x-total-count'))).toBeGreaterThan(10)
  await first.stop()

  const second = await startSeeded(databaseUrl)
  expect([second.user, second.password]).toEqual([first.user, first.password])
  expect(second.output).not.toContain('Adding demo data')
  const db = connect(databaseUrl)
  onTestFinished(() => db.destroy())
  const { rows } = await asOwner(db, (trx) =>
    sql`select (select count(*)::int from accounts) as accounts, (select count(*)::int from ledger where kind = 'grant') as grants`.execute(
      trx,
    ),
  )
  expect(rows).toEqual([{ accounts: 1, grants: 3 }])
})

test('up --seed adds nothing to a database that has data and prints no user', async () => {
  const { url, db } = await createTestDatabase()
  await asOwner(db, (trx) => sql`insert into users (name, email) values ('Ada', 'ada@example.com')`.execute(trx))
  const { output, user } = await startSeeded(url)
  expect(output).toContain('The database is not empty. No demo data was added.\n')
  expect(user).toBeUndefined()
  const { rows } = await asOwner(db, (trx) => sql`select count(*)::int from ledger`.execute(trx))
  expect(rows).toEqual([{ count: 0 }])
})
