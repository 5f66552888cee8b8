import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asOwner } from '@probity/database/connection/connect'
import { createEmptyDatabase, createTestDatabase } from '@probity/database/connection/test-database'
import { claimSetup, replaceSetupToken } from '@probity/database/users/users'
import { waitForBuild } from '@probity/lab/build'
import { COMPILED } from '@probity/lab/compiled'
import { freePort, stopChild } from '@probity/lab/services/daemon'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import { MAIN } from '../test-admin.ts'

const { url } = await createTestDatabase()
// `up` rebuilds outdated pages: all tests share one build.
await Promise.all([waitForBuild('web'), waitForBuild('docs')])

type Running = { child: ChildProcess; readLog(): string }

/** Starts all processes. The log goes to the folder that the run scans for secrets. */
function startUp(databaseUrl: string, port: number, more: Record<string, string> = {}): Running {
  const logFile = join(inject('logFolder'), `up-${port}-${performance.now()}.log`)
  const log = openSync(logFile, 'a')
  const settings = { DATABASE_URL: databaseUrl, REDIS_URL: inject('redisUrl'), PORT: String(port), STOP_NOTICE_MS: '0' }
  const child = spawn(process.execPath, [MAIN, 'up'], {
    stdio: ['ignore', log, log],
    env: { ...COMPILED, ...settings, ...more },
  })
  onTestFinished(() => stopChild(child, 'SIGTERM'))
  return { child, readLog: () => readFileSync(logFile, 'utf8') }
}

async function isUp({ readLog }: Running, port: number): Promise<void> {
  const address = `http://127.0.0.1:${port}`
  await vi.waitFor(() => expect(readLog()).toContain(`\nWeb app: ${address}/app/\nAPI: ${address}/api/v1\n`), {
    timeout: 60_000,
    interval: 50,
  })
}

test('up migrates an empty database, prints the URLs when ready, and stops on SIGTERM', {
  tags: ['timed'],
}, async () => {
  const port = await freePort()
  const up = startUp(await createEmptyDatabase(), port)
  await isUp(up, port)
  const ready = await fetch(`http://127.0.0.1:${port}/readyz`)
  expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready', missing: [] }])
  const link = new RegExp(`^Setup link: http://127\\.0\\.0\\.1:${port}/app/setup#token=[\\w-]{32}$`, 'm')
  expect(up.readLog()).toMatch(link)

  const began = performance.now()
  up.child.kill('SIGTERM')
  expect(await once(up.child, 'exit')).toEqual([0, null])
  expect(performance.now() - began).toBeLessThan(10_000)
  await expect(fetch(`http://127.0.0.1:${port}/livez`)).rejects.toThrow('fetch failed')
})

test('up prints no setup link when a user exists and no key, and passes each process its own secrets', async () => {
  const { url: databaseUrl, db } = await createTestDatabase()
  const token = 'a-token-that-only-this-test-knows'
  await asOwner(db, (trx) => replaceSetupToken(trx, token))
  const first = { name: 'Ada', email: 'ada@example.com', passwordHash: 'x', organisation: 'Engines' }
  expect(await claimSetup(db, token, first)).toBe(true)
  const port = await freePort()
  const secrets = { SESSION_SECRET: 'session'.repeat(5), DATABASE_DIRECT_URL: `${databaseUrl}?application_name=direct` }
  const file = join(mkdtempSync(join(tmpdir(), 'probity-up-')), 'probity.env')
  writeFileSync(
    file,
    Object.entries(secrets)
      .map((line) => line.join('='))
      .join('\n'),
  )
  const up = startUp(databaseUrl, port, { DATABASE_OWNER_URL: databaseUrl, PROBITY_SETTINGS_FILE: file })
  await isUp(up, port)
  expect(up.readLog()).not.toMatch(/^(Setup link|Key):/m)
  // Each process has its own secrets only.
  const environments = listChildren(up.child.pid).map((pid) => readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0'))
  const holders = (name: string) => environments.filter((each) => each.some((line) => line.startsWith(`${name}=`)))
  const counts = ['DATABASE_URL', 'PROBITY_SESSION_SECRET', 'PROBITY_DATABASE_DIRECT_URL'].map(
    (name) => holders(name).length,
  )
  expect(counts).toEqual([3, 1, 1])
  for (const name of ['PROBITY_SETTINGS_FILE', 'PROBITY_DATABASE_OWNER_URL', 'DATABASE_OWNER_URL'])
    expect(holders(name)).toEqual([])
})

function listChildren(pid: number | undefined): string[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
}

test('up fails when another instance uses the port, and that instance keeps running', async () => {
  const port = await freePort()
  const first = startUp(url, port)
  await isUp(first, port)
  expect(first.readLog()).toMatch(/^Setup link: /m)

  const second = startUp(url, port)
  expect(await once(second.child, 'exit')).toEqual([1, null])
  expect(second.readLog()).toBe(`Port ${port} is in use. Choose another with PROBITY_PORT.\n`)
  expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200)
})

test('up fails when another program uses the port', async () => {
  const squatter = createServer()
  squatter.listen(0, '127.0.0.1')
  await once(squatter, 'listening')
  onTestFinished(() => void squatter.close())
  const { port } = squatter.address() as { port: number }

  const up = startUp(url, port)
  expect(await once(up.child, 'exit')).toEqual([1, null])
  expect(up.readLog()).toBe(`Port ${port} is in use. Choose another with PROBITY_PORT.\n`)
})

test('up starts nothing and prints how to start PostgreSQL when it is down', async () => {
  const up = startUp('postgres://somebody:secret@127.0.0.1:1/probity', await freePort())
  expect(await once(up.child, 'exit')).toEqual([1, null])
  expect(up.readLog()).toMatch(/^PostgreSQL cannot be reached at PROBITY_DATABASE_URL\.\n.*docker compose up.*\n$/)
})
