import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PUBLIC_SANDBOX_KEY } from '@probity/contract/sandbox'
import { createEmptyDatabase } from '@probity/database/test-database'
import { canConnect, makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { expect, test } from 'vitest'
import { ROOT } from './programs.ts'
import { claimRedis } from './test-redis.ts'

const README = readFileSync(join(ROOT, 'README.md'), 'utf8')
const MARKED = /<!-- test: quick-start -->\s*```sh\n(.*?)```/gs

/** What a clone would hold: the tracked files, and in a work tree also those that are yet to be added. */
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

/** Runs commands in one shell in a process group of its own, so that what they left in the background ends with them. */
function runInShell(
  commands: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<{ code: number | null; out: string }> {
  const shell = spawn('bash', ['-e', '-o', 'pipefail', '-c', commands], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // Whatever was waited for in vain: nothing of it stays behind.
  whenDone(() => {
    if (shell.exitCode === null && shell.pid !== undefined) process.kill(-shell.pid, 'SIGKILL')
  })
  let out = ''
  shell.stdout.on('data', (chunk) => (out += chunk))
  shell.stderr.on('data', (chunk) => (out += chunk))
  return new Promise((resolve) => {
    shell.once('exit', () => {
      if (shell.pid !== undefined) process.kill(-shell.pid, 'SIGTERM')
    })
    shell.once('close', (code) => resolve({ code, out }))
  })
}

test('the commands of the README, as they are printed there, lead from a clone to a first verdict', async () => {
  expect(await canConnect(3000), 'port 3000 must be free').toBe(false)
  const blocks = [...README.matchAll(MARKED)].map(([, commands = '']) => commands)
  expect(blocks.length).toBeGreaterThanOrEqual(3)

  const folder = makeFolder('probity-clone')
  whenDone(() => removeFolder(folder))
  cloneInto(folder)
  const { CI: _, ...env } = process.env
  const settings = { DATABASE_URL: await createEmptyDatabase(), REDIS_URL: await claimRedis() }
  const { code, out } = await runInShell(blocks.join('\n'), folder, { ...env, ...settings })

  expect(README).toContain(PUBLIC_SANDBOX_KEY)
  expect(out).toMatch(
    /"email":"mailbox-full@example.com",.*"status":"risky","sub_status":"mailbox_full".*"livemode":false/,
  )
  expect(out).toMatch(/"status":"invalid","sub_status":"syntax_error"/)
  expect(out).toMatch(
    /"outcome":"bad_character","detail":"The address holds a character that cannot stand where it does."/,
  )
  const [, shown = ''] = /<!-- test: quick-start -->\s*```json\n(.*?)```/s.exec(README) ?? []
  const answer = out.split('\n').find((line) => line.includes('{"email":"ada@example,com"')) ?? ''
  const [, json = ''] = /(\{"email":"ada@example,com".*?\})(?=\{|$)/.exec(answer) ?? []
  expect(JSON.parse(json)).toMatchObject(JSON.parse(shown))
  expect(out).toMatch(/"credits":\s*{\s*"available":\s*999,/)
  expect(out).toContain('"Ada again","ADA@example,com","invalid","syntax_error"')
  expect(code).toBe(0)
}, 600_000) // the quick start itself waits for the first build for five minutes
