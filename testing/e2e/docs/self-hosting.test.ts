import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startPostgres } from '@probity/lab/services/postgres'
import { whenDone } from '@probity/lab/when-done'
import { expect, test } from 'vitest'
import { startApiProcess, startWorkerProcess } from '../environment/processes.ts'
import { ROOT } from '../environment/programs.ts'
import { claimRedis } from '../environment/redis.ts'
import { readBlocks, readPage } from './pages.ts'

/** The code blocks with the given marker directly above them. */
const marked = (comment: string) =>
  ['docs/postgresql.md', 'docs/processes.md']
    .flatMap((page) => readBlocks(page))
    .filter(({ marker }) => `<!-- ${marker?.kind}: ${marker?.value} -->` === comment)
    .map(({ text }) => text)

const [asSuperuser, migrate, asOwner, beforehand] = marked('<!-- test: roles -->')

/** An unconfigured PostgreSQL server, and a function that runs SQL on it. */
async function startServer() {
  const server = await startPostgres()
  whenDone(() => server.stop())
  const urlOf = (user: string, database: string) => `postgres://${user}@127.0.0.1:${server.port}/${database}`
  const say = (user: string, database: string, statements = '') =>
    execFileSync('psql', ['-v', 'ON_ERROR_STOP=1', urlOf(user, database)], { input: statements, stdio: 'pipe' })
  const runHere = (command = '') =>
    execFileSync('bash', ['-ec', command.replace(/:…@host/, `@127.0.0.1:${server.port}`)], { cwd: ROOT, stdio: 'pipe' })
  return { say, runHere, urlOf, logFile: server.logFile }
}

test('the API and the worker run with the logins that postgresql.md creates', async () => {
  const { say, runHere, urlOf } = await startServer()
  say('postgres', 'postgres', asSuperuser)
  runHere(migrate)
  say('probity_owner', 'probity', asOwner)
  const api = await startApiProcess({ DATABASE_URL: urlOf('probity_api', 'probity'), REDIS_URL: await claimRedis() })
  expect((await fetch(`${api.url}/readyz`)).status).toBe(200)
  expect(() => say('probity_api', 'probity', 'select * from accounts;')).toThrow('permission denied')
  await startWorkerProcess({ DATABASE_URL: urlOf('probity_worker_login', 'probity'), REDIS_URL: await claimRedis() })
  expect(() => say('probity_worker_login', 'probity', 'select * from jobs;')).toThrow('permission denied')
  const wrong = spawnSync(process.execPath, [join(ROOT, 'apps/worker/src/server/main.ts')], {
    env: { ...process.env, DATABASE_URL: urlOf('probity_api', 'probity'), REDIS_URL: await claimRedis() },
    encoding: 'utf8',
  })
  expect([wrong.status, wrong.stderr]).toEqual([78, expect.stringContaining('cannot switch to the role of its tasks')])
})

test('an owner without CREATEROLE can migrate after a superuser has created the roles', async () => {
  const { say, runHere } = await startServer()
  say('postgres', 'postgres', asSuperuser?.replace(' createrole', ''))
  say('postgres', 'probity', beforehand)
  runHere(migrate)
  say('probity_owner', 'probity', 'select 1 from accounts;')
})

test('the start commands of processes.md refer to existing files', async () => {
  const [install = '', ...starting] = marked('<!-- test: starting -->')[0]?.trim().split('\n') ?? []
  expect(install).toBe('pnpm install --prod --frozen-lockfile')
  expect(starting.length).toBe(4)
  for (const line of starting)
    expect(existsSync(join(ROOT, /(?:bin|apps)\/\S+/.exec(line)?.[0] ?? 'missing'))).toBe(true)
})

test('operator-commands.md lists every operator command of bin/probity-admin', () => {
  const help = execFileSync(join(ROOT, 'bin/probity-admin'), ['--help'], { encoding: 'utf8' })
  const commands = [...help.matchAll(/^ {2}([a-z][a-z-]*)[ [<]/gm)].map(([, name = '']) => name)
  const page = readPage('docs/operator-commands.md')
  const listed = [...page.matchAll(/^\| (`[^|]*`) \| /gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([a-z-]+)/g)].map(([, name = '']) => name),
  )
  expect(commands.length).toBeGreaterThan(12)
  expect(commands.filter((name) => name !== 'help' && !listed.includes(name))).toEqual([])
})

test('PostgreSQL does not log values of failed statements with the documented log settings', async () => {
  const { say, logFile } = await startServer()
  const twice =
    "create temp table one (name text unique); insert into one select md5('secret') from generate_series(1, 2);"
  const secret = '5ebe2294ecd0e0f08eab7690d2a6ee69'
  const count = () => readFileSync(logFile, 'utf8').split(secret).length - 1
  expect(() => say('postgres', 'postgres', `set log_error_verbosity = default; ${twice}`)).toThrow(secret)
  expect(count()).toBe(1)
  const settings = marked('<!-- test: log -->')[0]?.replace(/^(.+)$/gm, 'set $1;')
  expect(() => say('postgres', 'postgres', `${settings}\n${twice}`)).toThrow(secret)
  expect(count()).toBe(1)
})
