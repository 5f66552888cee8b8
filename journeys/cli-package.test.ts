import { spawn } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { expect, test } from 'vitest'
import { ROOT } from './programs.ts'
import { openHome } from './test-cli.ts'
import { run } from './test-sdk-package.ts'

/** The command as somebody has it who installs it. */
function install(): string {
  const packed = makeFolder('probity-packed')
  const folder = makeFolder('probity-consumer')
  whenDone(() => [packed, folder].forEach(removeFolder))
  run('pnpm', ['pack', '--pack-destination', packed], join(ROOT, 'apps/cli'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'consumer', private: true }))
  const tarball = join(packed, readdirSync(packed)[0] ?? '')
  run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball], folder)
  return join(folder, 'node_modules/.bin/probity')
}

const PROBITY = install()

test('the package that is installed has the command, and all it needs to judge addresses alone', () => {
  const { env, home } = openHome({ NODE_COMPILE_CACHE: undefined })
  expect(run(PROBITY, ['--version'], home, env())).toBe('0.1.0\n')
  const args = ['validate', '--offline', '--dns', '127.0.0.1:9', 'ada@example,com', 'ada@mailinator.com', '-o', 'csv']
  expect(run(PROBITY, args, home, env())).toBe(
    'email,status,sub_status,confidence,is_valid,depth\n"ada@example,com",invalid,syntax_error,0.999,false,dns\nada@mailinator.com,risky,disposable,0.75,false,dns\n',
  )
})

/** From the start of a process to its first word. */
function firstWordMs(program: string, args: string[], env: Record<string, string>, cwd: string): Promise<number> {
  return new Promise((resolve) => {
    const began = performance.now()
    const child = spawn(program, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [child.stdout, child.stderr]) {
      stream.once('data', () => {
        resolve(performance.now() - began)
        child.kill('SIGKILL')
      })
    }
  })
}

test('its first word comes within 100 ms of that of a bare Node', { tags: ['timed'] }, async () => {
  const { env, home, path } = openHome({ PROBITY_BASE_URL: 'http://127.0.0.1:1', NODE_COMPILE_CACHE: undefined })
  writeFileSync(path('list.csv'), 'email\nada@example.com\n')
  // Other work on the machine makes some slow, and none quick.
  const best = { node: Number.POSITIVE_INFINITY, probity: Number.POSITIVE_INFINITY }
  for (let n = 0; n < 30; n++) {
    best.node = Math.min(best.node, await firstWordMs(process.execPath, ['-p', '1'], env(), home))
    const args = ['clean', 'list.csv', '-o', 'out.csv']
    best.probity = Math.min(best.probity, await firstWordMs(PROBITY, args, env(), home))
  }
  expect(best.probity - best.node).toBeLessThan(100)
})
