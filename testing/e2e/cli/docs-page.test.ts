import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { createApiClient } from '../environment/instance.ts'
import { ROOT } from '../environment/programs.ts'
import { useSharedInstance } from '../environment/shared-instance.ts'
import { CLI, openHome } from './run-cli.ts'

const PAGE = readFileSync(join(ROOT, 'docs/cli.md'), 'utf8')
const MARKED = /<!-- test: cli -->\s*```sh\n(.*?)```/gs

test('the commands of docs/cli.md run as printed', async () => {
  const instance = await useSharedInstance()
  const { key } = await createApiClient(instance, { key: { mode: 'test' } })
  const { home, env } = openHome({ PROBITY_BASE_URL: instance.api.url, PROBITY_API_KEY: key })
  const blocks = [...PAGE.matchAll(MARKED)].map(([, commands = '']) => commands)
  expect(blocks.length).toBeGreaterThanOrEqual(3)

  const script = `probity() { "${process.execPath}" "${CLI}" "$@"; }\n${blocks.join('\n')}`
  const { stdout } = await promisify(execFile)('bash', ['-e', '-o', 'pipefail', '-c', script], {
    cwd: home,
    env: env(),
  })
  const [, shown = ''] = /```text\n(address .*?)```/s.exec(PAGE) ?? []
  expect(stdout.startsWith(shown)).toBe(true)
  expect(stdout).toContain('risky@example.com,risky,catch_all,0.8,false')
  expect(
    readFileSync(join(home, 'clean.csv'), 'utf8')
      .split('\r\n')
      .map((line) => line.split(',')[0]),
  ).toEqual(['"name"', '"Ada"', '"Info"', ''])
  expect(stdout).toMatch(/ada@example,com +Invalid +Syntax error/)
})
