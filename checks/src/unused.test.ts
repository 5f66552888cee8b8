import { expect, test } from 'vitest'
import { manifest, type Planted, plant, runScripted } from './test-workspace.ts'

function judge(files: Planted) {
  const root = plant({
    'package.json': manifest('root'),
    'pnpm-workspace.yaml': 'packages:\n  - apps/*\n',
    'apps/api/src/main.ts': "import { fastify } from 'fastify'\nimport { used } from './values.ts'\n\nfastify(used)\n",
    ...files,
  })
  return runScripted(root, 'check:house', 'knip', '--reporter=compact')
}

test('rejects unused exports and dependencies', () => {
  const { ok, output } = judge({
    'apps/api/package.json': manifest('api', { dependencies: { fastify: '*', pino: '*' } }),
    'apps/api/src/values.ts': 'export const used = {}\nexport const unused = {}\n',
  })
  expect(output.trim().split('\n')).toEqual([
    'Unused dependencies (1)',
    'apps/api/package.json: pino',
    'Unused exports (1)',
    'apps/api/src/values.ts: unused',
  ])
  expect(ok).toBe(false)
})

test('accepts exports and dependencies in use', () => {
  const outcome = judge({
    'apps/api/package.json': manifest('api', { dependencies: { fastify: '*' } }),
    'apps/api/src/values.ts': 'export const used = {}\n',
  })
  expect(outcome).toEqual({ ok: true, output: '' })
})
