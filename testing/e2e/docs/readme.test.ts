import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PUBLIC_SANDBOX_KEY } from '@probity/contract/constants/sandbox'
import { createEmptyDatabase } from '@probity/database/connection/test-database'
import { canConnect, makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { startPostgres } from '@probity/lab/services/postgres'
import { startRedis } from '@probity/lab/services/redis'
import { whenDone } from '@probity/lab/when-done'
import { expect, test, vi } from 'vitest'
import { onePage, openWindow, startBrowser } from '../browser/browser.ts'
import { ROOT } from '../environment/programs.ts'
import { claimRedis } from '../environment/redis.ts'

const README = readFileSync(join(ROOT, 'README.md'), 'utf8')
const MARKED = /<!-- test: quick-start -->\s*```sh\n(.*?)```/gs

/** Copies the files of a clone: tracked files, and in a work tree also new ones. */
function cloneInto(folder: string): void {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  for (const file of listed.split('\0').filter((name) => name !== '')) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(join(ROOT, file), join(folder, file), { verbatimSymlinks: true })
  }
}

/** A clone without installed packages and builds. */
function makeClone(): string {
  const folder = makeFolder('probity-clone')
  whenDone(() => removeFolder(folder))
  cloneInto(folder)
  return folder
}

type Shell = { said: { out: string }; closed: Promise<number | null>; stop(): Promise<void> }

/** Runs commands in one shell with its own process group, so that their background processes end with them. */
function runInShell(commands: string, cwd: string, settings: Record<string, string>): Shell {
  const { CI: _, PORT: _port, ...env } = process.env
  const shell = spawn('bash', ['-e', '-o', 'pipefail', '-c', commands], {
    cwd,
    env: { ...env, ...settings },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const signal = (name: NodeJS.Signals) => {
    try {
      if (shell.pid !== undefined) process.kill(-shell.pid, name)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error // no process of the group is left
    }
  }
  // Kills the remaining processes after a timeout.
  whenDone(() => {
    if (shell.exitCode === null) signal('SIGKILL')
  })
  const said = { out: '' }
  shell.stdout.on('data', (chunk) => (said.out += chunk))
  shell.stderr.on('data', (chunk) => (said.out += chunk))
  const closed = new Promise<number | null>((resolve) => {
    shell.once('exit', () => signal('SIGTERM'))
    shell.once('close', resolve)
  })
  const stop = async () => {
    signal('SIGTERM')
    await closed
  }
  return { said, closed, stop }
}

test('the quick start commands of the README run in a fresh clone and return a verdict', async () => {
  expect(await canConnect(3000), 'port 3000 must be free').toBe(false)
  const blocks = [...README.matchAll(MARKED)].map(([, commands = '']) => commands)
  expect(blocks.length).toBeGreaterThanOrEqual(3)

  const settings = { DATABASE_URL: await createEmptyDatabase(), REDIS_URL: await claimRedis() }
  const { said, closed } = runInShell(blocks.join('\n'), makeClone(), settings)
  const code = await closed
  const { out } = said

  expect(out).toMatch(/^Web app: http:\/\/127\.0\.0\.1:3000\/app\/\nAPI: http:\/\/127\.0\.0\.1:3000\/api\/v1$/m)
  expect(out).toMatch(/^Setup link: http:\/\/127\.0\.0\.1:3000\/app\/setup#token=[\w-]{32}$/m)
  expect(out).toMatch(/^Key: pb_test_\w+$/m)
  expect(README).toContain(PUBLIC_SANDBOX_KEY)
  expect(out).toMatch(
    /"email":"mailbox-full@example.com",.*"status":"risky","sub_status":"mailbox_full".*"livemode":false/,
  )
  expect(out).toMatch(/"status":"invalid","sub_status":"syntax_error"/)
  const [, shown = ''] = /<!-- test: quick-start -->\s*```json\n(.*?)```/s.exec(README) ?? []
  const answer = out.split('\n').find((line) => line.includes('{"email":"ada@example,com"')) ?? ''
  const [, json = ''] = /(\{"email":"ada@example,com".*?\})(?=\{|$)/.exec(answer) ?? []
  expect(JSON.parse(json)).toMatchObject(JSON.parse(shown))
  expect(out).toMatch(/"credits":\s*{\s*"available":\s*999,/)
  expect(out).toContain('"Ada again","ADA.@example.com","invalid","syntax_error"')
  expect(code).toBe(0)
}, 600_000) // the quick start itself waits for the first build for five minutes

const IN_DEMO = { timeout: 60_000 }

/** The lines that the demo prints first, by their labels. */
function readAccess(out: string): Record<'webApp' | 'api' | 'email' | 'password' | 'key', string> | undefined {
  const lines = /^Web app: (.+)\nAPI: (.+)\nSign in: (\S+) (\S+)\nKey: (pb_live_\w+)$/m.exec(out)
  const [, webApp, api, email, password, key] = lines ?? []
  return webApp && api && email && password && key ? { webApp, api, email, password, key } : undefined
}

test('pnpm demo in a fresh clone leads to a signed-in user, a verdict and a received test webhook', async () => {
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()])
  whenDone(() => Promise.all([postgres.stop(), redis.stop()]))
  const settings = { DATABASE_URL: postgres.url, REDIS_URL: redis.url }
  const { said, stop } = runInShell('pnpm install --frozen-lockfile\npnpm demo', makeClone(), settings)
  const access = await vi.waitFor(
    () => {
      const found = readAccess(said.out)
      if (found === undefined) throw new Error(`the demo is not up:\n${said.out}`)
      return found
    },
    { timeout: 480_000, interval: 500 },
  )
  const account = await fetch(`${access.api}/account`, { headers: { 'x-api-key': access.key } })
  expect([account.status, await account.json()]).toEqual([200, expect.objectContaining({ name: 'Analytical Engines' })])

  const browser = await startBrowser()
  const page = await onePage(await openWindow(browser, { api: { url: new URL(access.webApp).origin } }))
  await page.goto(access.webApp)
  await page.getByLabel('Email address', { exact: true }).fill(access.email)
  await page.getByLabel('Password', { exact: true }).fill(access.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('button', { name: /Analytical Engines/ }).waitFor(IN_DEMO)

  await page.goto('/app/validate?mode=live')
  await page.getByLabel('Email address').fill('karin_simmons@gmail.com')
  await page.keyboard.press('Enter')
  await page.getByRole('tabpanel').getByText('Valid', { exact: true }).first().waitFor(IN_DEMO)

  await page.goto('/app/webhooks?mode=live')
  await page.getByRole('link', { name: /hooks\.probity\.example/ }).click()
  await page.getByRole('button', { name: 'Send test event' }).click()
  await page
    .getByRole('row', { name: /webhook\.test/ })
    .getByText('Delivered', { exact: true })
    .waitFor(IN_DEMO)
  expect(said.out).toMatch(/^Webhook received: webhook\.test, \S+$/m)

  const docs = await fetch(new URL('/docs', access.webApp))
  expect(docs.status).toBe(200)
  await page.goto('about:blank') // the page requests deliveries repeatedly, which fails once the demo stops
  await stop()
}, 600_000) // the install and the first build take minutes on a busy machine
