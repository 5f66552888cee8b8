import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { dirname } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { KEY_SCOPES, type KeyScope } from '@probity/contract/constants/keys'
import { insertAccount, listAccounts } from '@probity/database/accounts/accounts'
import { findAuthKey, hashKey, insertKey } from '@probity/database/accounts/keys'
import { asOwner, connect, type Db, inTenant } from '@probity/database/connection/connect'
import { isOutage, isReadOnly } from '@probity/database/connection/outage'
import { migrate } from '@probity/database/system/migrate'
import { withDefaults, withSettings } from '@probity/settings/every-setting'
import { isLoopbackHost } from '@probity/settings/formats'
import { environmentFor } from '@probity/settings/parse'
import { Command } from 'commander'
import { buildDocs, buildWeb, serveWeb } from '../build.ts'
import type { AdminConfig, Environment } from '../config.ts'
import { explainNoEntry, UserError } from '../database.ts'
import { makeSetupLink } from './users.ts'

const API = fileURLToPath(new URL('../../../api/src/server/main.ts', import.meta.url))
const WORKER = fileURLToPath(new URL('../../../worker/src/server/main.ts', import.meta.url))
const SEED = fileURLToPath(new URL('../../../../demo/seed/main.ts', import.meta.url))
/** The second process of the worker program parses no SMTP replies, DNS responses or CSV files. */
const PROGRAMS = [
  { process: 'api', path: API, task: {} },
  { process: 'worker', path: WORKER, task: { WORKER_TASKS: 'validations,jobs,webhooks' } },
  { process: 'maintenance', path: WORKER, task: { WORKER_TASKS: 'maintenance,notifications' } },
] as const
const READY_WITHIN_MS = 120_000

/** Migrates the database, then runs all processes until a stop signal. */
export function upCommand(config: AdminConfig, env: Environment): Command {
  return new Command('up')
    .description('Apply migrations, then run the service.')
    .option('--watch', 'for development: restart on changes, and print a test key')
    .option('--seed', 'for development: add demo data to an empty database, and print its user')
    .action(({ watch = false, seed = false }: { watch?: boolean; seed?: boolean }) =>
      runUp(config, env, { watch, seed }),
    )
}

type Options = { watch: boolean; seed: boolean }

async function runUp(config: AdminConfig, env: Environment, { watch, seed }: Options): Promise<void> {
  await migrate(config.ownerUrl).catch((error: unknown) => {
    throw isOutage(error) && !isReadOnly(error) ? new UserError(DATABASE_DOWN) : explainNoEntry(error)
  })
  if (await isTaken(config.port))
    throw new UserError(`Port ${config.port} is in use. Choose another with PROBITY_PORT.`)
  const seededUser = seed ? await seedDatabase(config, env) : undefined
  await buildPages(config, env)
  const webPort = watch && config.webFolder === undefined ? await findPort(WEB_PORT) : undefined
  const children = startParts(config, env, { watch, webPort })
  let stopped = false
  const stop = (signal: NodeJS.Signals) => {
    stopped = true
    for (const child of children) child.kill(signal)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop)

  const ends = children.map((child) => once(child, 'exit'))
  const oneEnded = Promise.race(ends)
  await Promise.race([oneEnded, announce(config, children, { watch, webPort, seededUser })])
  const [firstCode] = await oneEnded
  // A process that gets the signal before its handler is set ends without an exit code, which is a clean stop.
  const failed = stopped ? 0 : (firstCode ?? 1)
  stop('SIGTERM') // when one process ends, the others are stopped too
  const codes = (await Promise.all(ends)).map(([code]) => code ?? 0)
  process.exitCode = codes.find((code) => code !== 0) ?? failed
}

/** The user of the demo data. */
type SeededUser = { email: string; password: string }

/** Undefined if the database has other data. In a process of its own, because only the demo may import the whole system. */
async function seedDatabase({ databaseUrl, ownerUrl }: AdminConfig, env: Environment): Promise<SeededUser | undefined> {
  const settings = { DATABASE_URL: databaseUrl, DATABASE_OWNER_URL: ownerUrl }
  const child = spawn(process.execPath, [SEED], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: withSettings(env, settings),
  })
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  if (code !== 0) throw new UserError('The demo data could not be added.')
  return output === '' ? undefined : (JSON.parse(output) as SeededUser)
}

async function buildPages(config: AdminConfig, env: Environment): Promise<void> {
  const write = (line: string) => void process.stderr.write(`${line}\n`)
  const { webFolder, docsFolder } = config
  const own = environmentFor('build', env)
  await Promise.all([webFolder ?? buildWeb(own, write), docsFolder ?? buildDocs(own, write)])
}

type Started = { watch: boolean; webPort: number | undefined }

function startParts(config: AdminConfig, env: Environment, { watch, webPort }: Started): ChildProcess[] {
  const settings = { DATABASE_URL: config.databaseUrl, REDIS_URL: config.redisUrl, PORT: String(config.port) }
  const programs = PROGRAMS.map(({ process: name, path, task }) => {
    const own = environmentFor(name, env)
    return spawn(process.execPath, [...(watch ? ['--watch'] : []), path], {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: withSettings(watch ? withDefaults(own, developmentSettings(config)) : own, { ...settings, ...task }),
    })
  })
  if (webPort === undefined) return programs
  const bare = environmentFor('build', env)
  return [...programs, serveWeb(bare, { port: webPort, apiUrl: addressOf(config) })]
}

/** Used unless the environment sets them. */
function developmentSettings({ publicUrl }: AdminConfig): Environment {
  const isLocal = publicUrl === undefined || isLoopbackHost(new URL(publicUrl).hostname)
  return { STOP_NOTICE_MS: '0', ...(isLocal && { OPERATOR_2FA: 'optional' }) }
}

/** The usual port of Vite. The next ones are tried if it is in use. */
const WEB_PORT = 5173
const PORTS_TRIED = 20

async function findPort(from: number): Promise<number> {
  for (let port = from; port < from + PORTS_TRIED; port++) if (!(await isTaken(port))) return port
  throw new UserError(`The ports ${from} to ${from + PORTS_TRIED - 1} are in use. Hot reload needs one of them.`)
}

const addressOf = ({ port }: AdminConfig) => `http://127.0.0.1:${port}`

const DATABASE_DOWN = `PostgreSQL cannot be reached at PROBITY_DATABASE_URL.
For development, "docker compose up -d --wait" starts one together with Redis.`

function isTaken(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port })
    socket.once('error', () => resolve(false))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
}

type Announced = Started & { seededUser: SeededUser | undefined }

async function announce(
  config: AdminConfig,
  children: ChildProcess[],
  { watch, webPort, seededUser }: Announced,
): Promise<void> {
  const address = addressOf(config)
  const deadline = Date.now() + READY_WITHIN_MS
  while (!(await isReady(address))) {
    if (children.some((child) => child.exitCode !== null) || Date.now() > deadline) return
    await sleep(100)
  }
  // Behind a proxy only the public URL works in a browser: cookies and the same-origin check depend on it.
  const url = config.publicUrl ?? address
  const lines = [`Web app: ${url}/app/`, `API: ${url}/api/v1`]
  if (webPort !== undefined) lines.push(`Web app with hot reload: http://127.0.0.1:${webPort}/app/`)
  if (seededUser) lines.push(`Sign in: ${url}/app/sign-in as ${seededUser.email} with ${seededUser.password}`)
  const setupLink = await makeSetupLink(config)
  if (setupLink !== undefined) {
    lines.push(
      `Setup link: ${setupLink}`,
      'The link can be used once and expires in one hour. "bin/probity-admin setup-link" prints a new one.',
    )
  }
  if (watch) lines.push(`Key: ${await ensureTestKey(config.ownerUrl)}`)
  lines.push(`Docs: ${url}/docs`, `API reference: ${url}/docs/api`, 'Doctor: bin/probity-admin doctor')
  process.stderr.write(`\n${lines.join('\n')}\n\n`)
}

async function isReady(address: string): Promise<boolean> {
  try {
    const answer = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(1_000) })
    return answer.ok
  } catch {
    return false // not listening yet
  }
}

// In the checkout and ignored by Git: a key is shown only once, and developers reuse it.
const TEST_KEY_FILE = fileURLToPath(new URL('../../../../.local/test-key', import.meta.url))
const ACCOUNT_NAME = 'Development'

/** A test key for `pnpm dev`: the previous one if it works with this database, else a new one. */
async function ensureTestKey(ownerUrl: string): Promise<string> {
  const db = connect(ownerUrl, { connectionsMax: 1, applicationName: 'probity-admin' })
  try {
    return (await findLastKey(db)) ?? (await makeKey(db))
  } finally {
    await db.destroy()
  }
}

async function findLastKey(db: Db): Promise<string | undefined> {
  try {
    const text = readFileSync(TEST_KEY_FILE, 'utf8').trim()
    const key = await findAuthKey(db, hashKey(text))
    return key && !key.revokedAt ? text : undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

async function makeKey(db: Db): Promise<string> {
  const account = await asOwner(db, async (trx) => {
    const known = (await listAccounts(trx)).find((one) => one.name === ACCOUNT_NAME)
    return known ?? insertAccount(trx, { name: ACCOUNT_NAME, plan: 'payg', unlimited: true })
  })
  const scopes = Object.keys(KEY_SCOPES) as KeyScope[]
  const { text } = await inTenant(db, account.id, (trx) =>
    insertKey(trx, account.id, { mode: 'test', name: 'pnpm dev', scopes }),
  )
  mkdirSync(dirname(TEST_KEY_FILE), { recursive: true })
  writeFileSync(TEST_KEY_FILE, `${text}\n`, { mode: 0o600 })
  return text
}
