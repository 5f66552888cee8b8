import { spawn } from 'node:child_process'
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { asOwner, connect, type Db } from '@probity/database/connection/connect'
import { migrate } from '@probity/database/system/migrate'
import { startDns } from '@probity/lab/dns/start'
import { freePort, makeFolder, removeFolder, stopChild } from '@probity/lab/services/daemon'
import { startPostgres } from '@probity/lab/services/postgres'
import { startRedis } from '@probity/lab/services/redis'
import { sql } from 'kysely'
import { untilReady } from '../environment/instance.ts'

/** An API process and a worker process with their own servers. */
export type Environment = { url: string; db: Db; readLog(): string }

/** The plan of every account of a run, which no rate limit stops. */
export const PLAN = 'fuzz'
/** A page of the docs and of the web application that exists. */
export const PAGE = 'page'
const ROOT = join(import.meta.dirname, '../..')

export async function startEnvironment(cleanUp: AsyncDisposableStack): Promise<Environment> {
  const folder = makeFolder('probity-fuzz')
  cleanUp.defer(() => removeFolder(folder))
  const [postgres, redis, dns] = await Promise.all([startPostgres(), startRedis(), startDns()])
  for (const server of [postgres, redis, dns]) cleanUp.defer(() => server.stop())
  await migrate(postgres.url)
  const db = connect(postgres.url, { connectionsMax: 2, applicationName: 'fuzz' })
  cleanUp.defer(() => db.destroy())
  await asOwner(db, (trx) =>
    sql`insert into plans select ${PLAN}, true, true, true, true, 1000000000, 1, 100000, emails_per_file from plans
      where name = 'scale'`.execute(trx),
  )
  const port = await freePort()
  const settings = {
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    DNS_SERVERS: `127.0.0.1:${dns.port}`,
    UPLOADS_FOLDER: join(folder, 'uploads'),
    ...writePages(join(folder, 'pages')),
    PORT: String(port),
    STOP_NOTICE_MS: '0',
    SIGN_UP: 'open',
    OPERATOR_2FA: 'optional',
    NEW_ACCOUNT_CREDITS: 'unlimited',
    ABUSE_LIMITS: 'false',
    // Lets requests come from many addresses, as limits per address must not end the run.
    TRUST_PROXY: '127.0.0.1',
  }
  const logFile = join(folder, 'api.log')
  for (const [path, log] of [
    ['apps/api/src/server/main.ts', logFile],
    ['apps/worker/src/server/main.ts', join(folder, 'worker.log')],
  ] as const) {
    const output = openSync(log, 'a')
    const child = spawn(process.execPath, [join(ROOT, path)], { stdio: ['ignore', output, output], env: settings })
    cleanUp.defer(() => stopChild(child, 'SIGTERM'))
  }
  const url = `http://127.0.0.1:${port}`
  await untilReady(url)
  return { url, db, readLog: () => readFileSync(logFile, 'utf8') }
}

/** Small pages, so that a run needs no build of the docs and of the web application. */
function writePages(folder: string) {
  for (const name of [`docs/${PAGE}`, 'web/assets']) mkdirSync(join(folder, name), { recursive: true })
  const docs = ['index.html', '404.html', `${PAGE}/index.html`, 'llms.txt', 'llms-full.txt']
  const web = ['index.html', 'form.js', 'mark.svg', `assets/${PAGE}`]
  const files = [...docs.map((name) => `docs/${name}`), ...web.map((name) => `web/${name}`)]
  for (const name of files) writeFileSync(join(folder, name), name)
  return { DOCS_FOLDER: join(folder, 'docs'), WEB_FOLDER: join(folder, 'web') }
}
