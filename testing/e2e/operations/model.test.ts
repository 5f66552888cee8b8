import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { ROOT } from '../environment/programs.ts'

const run = promisify(execFile)

test('training again reproduces the model in the repository byte for byte', async () => {
  const { stdout, stderr } = await run(process.execPath, [join(ROOT, 'benchmarks/model/main.ts'), 'train', '--check'])
  expect(stderr).toMatch(/is what training gives\.$/m)
  expect(JSON.parse(stdout)).toMatchObject({ hash: expect.stringMatching(/^[0-9a-f]{64}$/) })
}, 180_000)
