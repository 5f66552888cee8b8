import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect as dial } from 'node:net'
import { join } from 'node:path'
import { STATUSES, SUB_STATUSES } from '@probity/contract/constants/validations'
import { asOwner, connect, type Trx } from '@probity/database/connection/connect'
import { createEmptyDatabase } from '@probity/database/connection/test-database'
import { waitForBuild } from '@probity/lab/build'
import { stopChild } from '@probity/lab/services/daemon'
import { startRedis } from '@probity/lab/services/redis'
import { whenDone } from '@probity/lab/when-done'
import { sql } from 'kysely'
import { expect, inject, test, vi } from 'vitest'
import { ROOT } from '../environment/programs.ts'

const PAGE = readFileSync(join(ROOT, 'docs/demo.md'), 'utf8')
const [, COMMAND = '', SHOWN = ''] = /<!-- test: demo -->\s*```sh\n(.*?)```.*?```text\n(.*?)```/s.exec(PAGE) ?? []

/** A row of the tour without time and evidence: address, status, sub_status, code. A three-digit time is not a code. */
const ROW = /^(\S+) +(valid|invalid|risky|unknown) +([a-z]\w*)? +(?:(\d{3}) +)?\d+ {2}/

/** Reasons that the tour does not show: they need a special server or no server. */
const NOT_IN_THE_TOUR = [
  'not_probed',
  'not_started',
  'catch_all_untested',
  'rate_limited',
  'policy_rejected',
  'address_literal',
  'internal_error',
  'sandbox_unmapped',
]

// The demo builds what is missing; other test files use the same folders.
await Promise.all([waitForBuild('web'), waitForBuild('docs')])
const PROGRESS = 'Starting: a database, a simulated mail internet, the API and a worker …\n'

const redis = await startRedis()
whenDone(() => redis.stop())

function runDemo(command: string[], changes: Record<string, string> = {}) {
  const { PORT: _, ...env } = process.env
  const [program = '', ...args] = command
  const child = spawn(program, args, {
    cwd: ROOT,
    env: { ...env, DATABASE_URL: inject('postgresUrl'), REDIS_URL: redis.url, ...changes },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  whenDone(() => stopChild(child, 'SIGTERM', 30_000))
  const said = { out: '', err: '' }
  child.stdout.on('data', (chunk) => (said.out += chunk))
  child.stderr.on('data', (chunk) => (said.err += chunk))
  return { child, said }
}

async function codeOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null) await once(child, 'close')
  return child.exitCode
}

function rowsIn(text: string): string[][] {
  return text.split('\n').flatMap((line) => {
    const [, ...cells] = ROW.exec(line) ?? []
    return cells.length > 0 ? [cells.map((cell) => cell ?? '')] : []
  })
}

/** The data of a demo on the servers: its database, and all non-empty Redis databases. */
async function listTraces(): Promise<string[]> {
  const databases = await onPostgres((trx) =>
    sql<{ name: string }>`select datname as name from pg_database where datname = 'probity_demo'`.execute(trx),
  )
  const keyspace = await tellRedis('INFO keyspace')
  return [...databases.rows.map(({ name }) => name), ...(keyspace.match(/^db\d+/gm) ?? [])].toSorted()
}

async function onPostgres<T>(work: (trx: Trx) => Promise<T>): Promise<T> {
  const db = connect(inject('postgresUrl'), { connectionsMax: 1 })
  try {
    return await asOwner(db, work)
  } finally {
    await db.destroy()
  }
}

async function tellRedis(...commands: string[]): Promise<string> {
  const socket = dial(redis.port, '127.0.0.1')
  socket.end([...commands, 'QUIT', ''].join('\r\n'))
  return (await socket.setEncoding('utf8').toArray()).join('')
}

test('pnpm demo --once prints the rows of the README and deletes its databases', async () => {
  const { child, said } = runDemo(['bash', '-c', COMMAND])
  expect(await codeOf(child), said.out + said.err).toBe(0)

  const [webApp, api, signIn, key] = said.out.split('\n')
  expect(webApp).toMatch(/^Web app: http:\/\/127\.0\.0\.1:\d+\/app\/$/)
  expect(api).toBe(webApp?.replace('Web app', 'API').replace('/app/', '/api/v1'))
  expect(signIn).toMatch(/^Sign in: ada@example\.com [\w-]{16}$/)
  expect(key).toMatch(/^Key: pb_live_\w+$/)

  const rows = rowsIn(said.out)
  expect(new Set(rows.map(([, status]) => status))).toEqual(new Set(Object.keys(STATUSES)))
  const reasons = Object.keys(SUB_STATUSES).filter((reason) => !NOT_IN_THE_TOUR.includes(reason))
  expect(new Set(rows.map(([, , reason]) => reason))).toEqual(new Set(reasons))
  expect(rowsIn(SHOWN).length).toBeGreaterThanOrEqual(10)
  expect(rows).toEqual(expect.arrayContaining(rowsIn(SHOWN)))

  const putOff = rows.filter(([, , reason]) => reason === 'greylisted').map(([email]) => email)
  const collected = rows.slice(-putOff.length)
  expect(collected.map(([email]) => email)).toEqual(putOff)
  expect(collected.map(([, status]) => status)).toEqual(['valid', 'invalid'])

  const summary = said.out
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('Webhook received: '))
  const [addresses, , credits] = summary.slice(-3)
  expect(addresses).toBe('24 addresses, 24 correct verdicts.')
  expect(credits).toBe('16 credits charged, 8 refunded because the verdict stayed unknown.')
  expect(SHOWN).toContain(credits)
  expect(await listTraces()).toEqual([])
})

test('pnpm demo runs until SIGINT, and its printed commands return the verdicts next to them', async () => {
  await tellRedis('SELECT 15', 'SET owner other')
  const { child, said } = runDemo([process.execPath, 'demo/main.ts'])
  await vi.waitFor(() => expect(said.out).toContain('Ctrl-C'), { timeout: 60_000, interval: 200 })
  expect(await listTraces()).toEqual(['db14', 'db15', 'probity_demo'])

  const [setUp = ''] = /^ {2}KEY=.*\n {2}validate\(\).*$/m.exec(said.out) ?? []
  const examples = [...said.out.matchAll(/^ {2}(validate '.*') +# (valid|[a-z]+, \w+)$/gm)].filter(
    ([, , verdict]) => verdict !== 'unknown, timeout',
  )
  expect(examples.length).toBeGreaterThanOrEqual(20)
  const commands = [setUp, ...examples.map(([, command]) => command)].join('\n')
  const answers = execFileSync('bash', ['-e', '-o', 'pipefail', '-c', commands], { encoding: 'utf8' })
  const verdicts = [...answers.matchAll(/^ {2}status: '(\w+)',\n {2}sub_status: '(\w*)'/gm)]
  expect(verdicts.map(([, status, reason]) => (reason ? `${status}, ${reason}` : status))).toEqual(
    examples.map(([, , verdict]) => verdict),
  )

  child.kill('SIGINT')
  expect(await codeOf(child)).toBe(0)
  expect(said.err).toBe(PROGRESS)
  expect(await tellRedis('SELECT 15', 'GET owner')).toContain('other')
  expect(await listTraces()).toEqual(['db15'])
})

test('demo delivers webhooks to its receiver and prints them', async () => {
  const { child, said } = runDemo([process.execPath, 'demo/main.ts'])
  const [, api = '', key = ''] = await vi.waitFor(
    () => {
      const found = /^API: (.+)\nSign in: .+\nKey: (.+)$/m.exec(said.out)
      if (found === null) throw new Error(`the demo is not up: ${said.out}${said.err}`)
      return found
    },
    { timeout: 60_000, interval: 200 },
  )
  const call = async (path: string, method = 'GET') => {
    const response = await fetch(`${api}${path}`, { method, headers: { 'x-api-key': key } })
    expect(response.ok, path).toBe(true)
    return response.json()
  }
  const [{ id, url }] = (await call('/webhooks')) as [{ id: string; url: string }]
  expect(said.out).toContain(`\nWebhooks: ${url} `)
  const sent = (await call(`/webhooks/${id}/test`, 'POST')) as { id: string; event_id: string }
  await vi.waitFor(() => expect(said.out).toContain(`\nWebhook received: webhook.test, ${sent.event_id}\n`), {
    timeout: 60_000,
    interval: 200,
  })
  await vi.waitFor(async () =>
    expect(await call(`/webhooks/${id}/deliveries/${sent.id}`)).toMatchObject({
      status: 'delivered',
      attempt_count: 1,
    }),
  )
  child.kill('SIGTERM')
  expect(await codeOf(child)).toBe(0)
  expect(said.err).toBe(PROGRESS)
})

test.each([
  [
    'PostgreSQL is unavailable',
    { DATABASE_URL: 'postgres://probity@127.0.0.1:1/probity' },
    /^PostgreSQL cannot be reached/,
  ],
  ['Redis is unavailable', { REDIS_URL: 'redis://127.0.0.1:1' }, /^Redis cannot be reached/],
  [
    'the database does not exist',
    { DATABASE_URL: `${inject('postgresUrl')}-not` },
    /^PostgreSQL rejected PROBITY_DATABASE_URL/,
  ],
])('the demo prints one line on stderr when %s', async (_name, settings, sentence) => {
  const { child, said } = runDemo([process.execPath, 'demo/main.ts', '--once'], settings)
  expect(await codeOf(child)).toBe(1)
  expect(said.err).toMatch(sentence)
  expect(said.err.trim().split('\n')).toHaveLength(1)
  expect(await listTraces()).not.toContain('probity_demo')
})

test('the demo prints one line on stderr when its port is in use', async () => {
  const { child, said } = runDemo([process.execPath, 'demo/main.ts', '--once'], { PORT: String(redis.port) })
  expect(await codeOf(child)).toBe(1)
  expect(said.err).toBe(`Port ${redis.port} is in use. Choose another with PROBITY_PORT, or none for a free one.\n`)
})

test('the demo does not touch a foreign database with its name', async () => {
  const name = new URL(await createEmptyDatabase()).pathname.slice(1)
  await onPostgres((trx) => sql`alter database ${sql.id(name)} rename to probity_demo`.execute(trx))
  whenDone(() => onPostgres((trx) => sql`alter database probity_demo rename to ${sql.id(name)}`.execute(trx)))
  const { child, said } = runDemo([process.execPath, 'demo/main.ts', '--once'])
  expect(await codeOf(child)).toBe(1)
  expect(said.err).toMatch(/^PostgreSQL has a database probity_demo that the demo did not create/)
  expect(await listTraces()).toContain('probity_demo')
})
