import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isKnown } from '@probity/settings/every-setting'
import { expect, onTestFinished, test } from 'vitest'
import { packManifests } from './release/manifests.ts'
import { DATA } from './solo/data.ts'

const ROOT = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** The blocks of a page below `<!-- test: solo -->` or `<!-- test: upgrading -->`, with continued lines joined. */
function readCommands(path: string, marker: string): string[] {
  const blocks = read(path).matchAll(new RegExp(`^<!-- test: ${marker} -->\\n\`\`\`sh\\n(.*?)^\`\`\`$`, 'gms'))
  const text = [...blocks].map(([, block = '']) => block).join('')
  return text
    .replaceAll(/ \\\n\s+/g, ' ')
    .trim()
    .split('\n')
}

/** Written by install.sh. */
const WRITTEN = 'deploy/probity-admin'

const commands = {
  docker: readCommands('docs/docker.md', 'solo'),
  upgrading: readCommands('docs/upgrading.md', 'upgrading'),
}
const all = Object.values(commands).flat()

/** Every `docker run`: its options with their values, and the image. */
const runs = all
  .filter((command) => command.startsWith('docker run '))
  .map((command) => {
    const options = new Map(
      [...command.matchAll(/--([a-z-]+)(?: (?!--)(\S+))?/g)].map(([, name, value]) => [name, value]),
    )
    return { options, settings: [...command.matchAll(/--env (\w+)=/g)].map(([, name = '']) => name) }
  })

test('the pages start solo with its port, its volume and enough time to stop', () => {
  expect(runs.length).toBe(3)
  const [, port] = /^EXPOSE (\d+)$/m.exec(read('deploy/Dockerfile').split(' AS installed')[1] ?? '') ?? []
  const [, seconds] = /STOPS_WITHIN_MS = (\d+)_000/.exec(read('deploy/solo/processes.ts')) ?? []
  for (const { options, settings } of runs) {
    expect(options.get('publish')).toBe(`127.0.0.1:${port}:${port}`)
    expect(options.get('volume')).toBe(`probity:${DATA}`)
    // First the programs stop, then the servers.
    expect(Number(options.get('stop-timeout'))).toBeGreaterThan(2 * Number(seconds))
    expect(settings.filter((name) => !isKnown(name))).toEqual([])
  }
})

test('commands of the pages use existing files, programs and options', () => {
  for (const [path] of all.join('\n').matchAll(/\bdeploy\/[\w.-]+/g))
    expect([path, existsSync(join(ROOT, path)) || path === WRITTEN]).toEqual([path, true])
  expect(read('deploy/Dockerfile')).toContain('/usr/local/bin/probity-admin')
  expect(read('deploy/install-debian.sh')).toContain('/usr/local/bin/probity-admin')
  expect(read('deploy/install.sh')).toContain('keep "$FOLDER/probity-admin" 0755')
  const used = all.flatMap((command) => /^(\S+\/probity-admin) /.exec(command)?.[1] ?? [])
  expect(used).toEqual(['./probity-admin', './probity-admin', WRITTEN, 'bin/probity-admin'])
  expect(existsSync(join(ROOT, 'bin/probity-admin'))).toBe(true)
  for (const command of all.filter((one) => one.includes('install.sh')))
    for (const [option] of command.matchAll(/--[a-z-]+/g))
      expect(read('deploy/install.sh')).toContain(`    ${option}) `)
  expect(all.filter((command) => command.startsWith('systemctl')).join()).toBe(
    'systemctl restart probity-migrate probity-api probity-worker probity-maintenance',
  )
  const options = all.flatMap((command) => /probity-admin upgrade (.*)/.exec(command)?.[1]?.match(/--\w+/g) ?? [])
  expect(options).toEqual(['--check', '--backup', '--backup'])
  for (const option of options) expect(read('apps/admin/src/commands/migrate.ts')).toContain(`option('${option}`)
})

test('the pages unpack the manifests of a release and select its images as install.sh does', () => {
  const folder = mkdtempSync(join(tmpdir(), 'probity-docker-page-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = packManifests(folder, 'VERSION')
  const packed = execFileSync('tar', ['--list', '--file', join(folder, file)], { encoding: 'utf8' }).split('\n')
  expect(packed).toEqual(expect.arrayContaining(['probity-VERSION/install.sh', 'probity-VERSION/compose.yaml']))
  expect(commands.docker).toEqual(expect.arrayContaining([`tar --extract --file ${file}`, 'cd probity-VERSION']))
  expect(commands.upgrading).toContain(`tar --extract --file ${file} --strip-components 1`)
  expect(commands.upgrading).toContain("sed -i 's/^PROBITY_VERSION=.*/PROBITY_VERSION=VERSION/' .env")
})

test('the page about Docker has the limits of solo and of its check', () => {
  const page = read('docs/docker.md')
  const main = read('deploy/solo/main.ts')
  const findIn = (text: string, pattern: RegExp) => pattern.exec(text)?.[1]
  expect(page).toContain(`| ${findIn(main, /max_connections: '(\d+)'/)} connections to PostgreSQL, `)
  expect(page).toContain(`, ${findIn(main, /shared_buffers: '(\d+)MB'/)} MB of shared buffers, `)
  expect(page).toContain(`, ${findIn(main, /REDIS_MEMORY = '(\d+)mb'/)} MB of Redis |`)
  expect(page).toContain(`| PostgreSQL ${findIn(main, /postgresql\/(\d+)\/bin\/postgres'/)} |`)
  const check = read('deploy/check/solo-run.ts')
  expect(page).toContain(`within ${findIn(check, /VERDICT_WITHIN_MS = (\d+)_000/)} seconds`)
  expect(page.match(/less than (\d+) MB/g)).toEqual(
    Array.from({ length: 2 }, () => `less than ${findIn(check, /PSS_MB_MAX = (\d+)/)} MB`),
  )
})
