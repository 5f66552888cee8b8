import { execFileSync } from 'node:child_process'
import { startPostgres } from '@probity/lab/services/postgres'
import { whenDone } from '@probity/lab/when-done'
import { expect, inject, test } from 'vitest'
import { readBlocks } from './test-docs.ts'
import { ROOT, startApiProcess } from './test-process.ts'

// As they are marked in the page: <!-- test: roles -->
const [asSuperuser, migrate, asOwner, beforehand] = readBlocks('docs/running.md')
  .filter(({ marker }) => marker?.kind === 'test' && marker.value === 'roles')
  .map(({ text }) => text)

/** PostgreSQL as it is delivered, and somebody at it. */
async function startServer() {
  const server = await startPostgres()
  whenDone(() => server.stop())
  const urlOf = (user: string, database: string) => `postgres://${user}@127.0.0.1:${server.port}/${database}`
  const say = (user: string, database: string, statements = '') =>
    execFileSync('psql', ['-v', 'ON_ERROR_STOP=1', urlOf(user, database)], { input: statements, stdio: 'pipe' })
  const runHere = (command = '') =>
    execFileSync('bash', ['-ec', command.replace(/:…@host/, `@127.0.0.1:${server.port}`)], { cwd: ROOT, stdio: 'pipe' })
  return { say, runHere, urlOf }
}

test('two users, made and used as the page says, and the api is ready with the lesser one', async () => {
  const { say, runHere, urlOf } = await startServer()
  say('postgres', 'postgres', asSuperuser)
  runHere(migrate)
  say('probity_owner', 'probity', asOwner)
  const api = await startApiProcess({ DATABASE_URL: urlOf('probity_api', 'probity'), REDIS_URL: inject('redisUrl') })
  expect((await fetch(`${api.url}/readyz`)).status).toBe(200)
  expect(() => say('probity_api', 'probity', 'select * from accounts;')).toThrow('permission denied')
}, 120_000)

test('an owner who may not create roles migrates once a superuser has made them', async () => {
  const { say, runHere } = await startServer()
  say('postgres', 'postgres', asSuperuser?.replace(' createrole', ''))
  say('postgres', 'probity', beforehand)
  runHere(migrate)
  say('probity_owner', 'probity', 'select 1 from accounts;')
}, 120_000)
