import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { type Planted, plant, REAL_ROOT } from './test-workspace.ts'

type Job = {
  needs?: string | string[]
  'runs-on': string
  permissions?: Record<string, string>
  strategy?: { matrix: Record<string, string[]> }
  steps: { id?: string; name?: string; run?: string }[]
}

const readReal = (path: string) => readFileSync(join(REAL_ROOT, path), 'utf8')
const text = readReal('.github/workflows/release.yml')
const { on, jobs } = parse(text) as { on: object; jobs: Record<string, Job> }

function listNeeds(job: string): string[] {
  return [jobs[job]?.needs ?? []].flat().flatMap((name) => [name, ...listNeeds(name)])
}

test('a version tag starts the workflow, and it publishes after all images have run', () => {
  expect(on).toEqual({ push: { tags: ['v[0-9]+.[0-9]+.[0-9]+'] } })
  const publishing = Object.keys(jobs).filter((name) => jobs[name]?.permissions)
  expect(publishing).toEqual(['publish', 'npm', 'release'])
  for (const name of publishing) {
    expect(listNeeds(name)).toEqual(expect.arrayContaining(['check', 'files', 'image', 'start', 'readme']))
    expect(jobs[name]?.permissions).toMatchObject({ 'id-token': 'write' })
  }
  for (const name of ['image', 'start', 'readme']) expect(listNeeds(name)).toContain('files')
})

test('images are built and started on machines of their architecture', () => {
  expect(jobs['image']?.strategy?.matrix).toEqual({
    target: ['product', 'resolver', 'solo'],
    arch: ['amd64', 'arm64'],
  })
  expect(jobs['start']?.strategy?.matrix).toEqual({ arch: ['amd64', 'arm64'] })
  for (const name of ['image', 'start'])
    expect(jobs[name]?.['runs-on']).toBe(`\${{ matrix.arch == 'arm64' && 'ubuntu-24.04-arm' || 'ubuntu-latest' }}`)
  expect(text).not.toMatch(/qemu|binfmt/i)
})

type StepRun = { job: string; step: string; files: Planted; env?: Record<string, string> }

/** Runs a step with the given files as the shell of the workflow does. Files in `bin` replace programs. */
function runStep({ job, step, files, env = {} }: StepRun) {
  const { run = 'exit 9' } = jobs[job]?.steps.find(({ id, name }) => id === step || name === step) ?? {}
  const root = plant({ ...files, output: '' })
  for (const name of Object.keys(files).filter((each) => /^bin\/|\.sh$/.test(each))) chmodSync(join(root, name), 0o755)
  const { status, stdout, stderr } = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', run], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${join(root, 'bin')}:${process.env['PATH']}`, GITHUB_OUTPUT: 'output', ...env },
  })
  const read = (file: string) => (existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : undefined)
  return { status, stdout, stderr, read }
}

/** In place of `pnpm --silent release names` and `… notes`. */
const pnpm = (names: string) => ({
  'bin/pnpm': `#!/bin/sh
case $3 in
  names) ${names} ;;
  notes) echo '{"version":"0.1.0","notes":"First."}' ;;
esac
`,
})
const NAMES = `echo '{"registry":"registry.example.com","image":"probity","repository":"https://example.com/probity","contact":"a@example.com"}'`

test('the workflow stops while a release name is empty, and if the tag is not that of the version', () => {
  const readNames = (names: string, tag: string) =>
    runStep({ job: 'files', step: 'names', files: pnpm(names), env: { GITHUB_REF_NAME: tag } })
  const empty = readNames('exit 1', 'v0.1.0')
  expect([empty.status, empty.read('output')]).toEqual([1, ''])
  const other = readNames(NAMES, 'v0.2.0')
  expect([other.status, other.stderr, other.read('output')]).toEqual([
    1,
    'The tag v0.2.0 is not that of version 0.1.0.\n',
    '',
  ])
  const named = readNames(NAMES, 'v0.1.0')
  expect([named.status, named.stderr]).toEqual([0, ''])
  expect(named.read('output')?.trim().split('\n')).toEqual([
    'registry=registry.example.com',
    'image=probity',
    'repository=https://example.com/probity',
    'contact=a@example.com',
    'version=0.1.0',
  ])
})

/** In place of Docker: prints a digest, or fails. */
const docker = (digest: string) => ({ 'bin/docker': `#!/bin/sh\necho "$*" >>docker.log\n${digest}\n` })

test('the workflow resolves each base image of the Dockerfile to a digest and publishes the list', () => {
  const files = { 'deploy/Dockerfile': readReal('deploy/Dockerfile') }
  const bases = [...files['deploy/Dockerfile'].matchAll(/^ARG (\w+_IMAGE=\S+)$/gm)].map(([, base]) => base)
  expect(bases.length).toBe(2)
  const resolved = runStep({ job: 'files', step: 'bases', files: { ...files, ...docker('echo sha256:0123') } })
  const list = bases.map((base) => `${base}@sha256:0123\n`).join('')
  expect([resolved.status, resolved.read('files/base-images.txt')]).toEqual([0, list])
  expect(resolved.read('output')).toBe(`bases<<END\n${list}END\n`)
  for (const fault of ['exit 1', 'true']) {
    const unresolved = runStep({ job: 'files', step: 'bases', files: { ...files, ...docker(fault) } })
    expect([fault, unresolved.status, unresolved.read('output')]).toEqual([fault, 1, ''])
  }
})

test('the workflow runs the Docker commands of the README', () => {
  const run = (blocks: string) =>
    runStep({
      job: 'readme',
      step: 'Run Docker of the README',
      files: {
        'bin/pnpm': `#!/bin/sh\n${blocks}\n`,
        'deploy/release/first-verdict.sh': '#!/bin/sh\necho "first verdict" >>docker.log\n',
        ...docker('echo "Setup link: "'),
      },
    })
  const { stdout } = spawnSync('node', [join(REAL_ROOT, 'deploy/release/main.ts'), 'blocks', 'docker'], {
    encoding: 'utf8',
  })
  expect(stdout).toContain('docker run ')
  const done = run(`[ "$3" = blocks ] && cat <<'END'\n${stdout}END`)
  expect(done.status).toBe(0)
  expect(done.read('docker.log')?.match(/^(first verdict|\w+)/gm)).toEqual([
    'build',
    'run',
    'logs',
    'first verdict',
    'rm',
  ])
  expect(run('exit 1').status).toBe(1)
})

test('the workflow runs the Docker Compose command of the README', () => {
  const run = runStep({
    job: 'readme',
    step: 'Run Docker Compose of the README',
    files: { 'README.md': readReal('README.md'), ...docker('true') },
  })
  expect(run.status).toBe(0)
  expect(run.read('docker.log')).toBe('compose up -d --wait\n')
  const without = runStep({
    job: 'readme',
    step: 'Run Docker Compose of the README',
    files: { 'README.md': '# Probity\n', ...docker('true') },
  })
  expect([without.status, without.read('docker.log')]).toEqual([1, undefined])
})
