import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isKnown } from '@probity/settings/every-setting'
import { DCLinter } from 'dclint'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readComposeFile, type Service } from './check/compose-file.ts'

const file = readComposeFile()
const services = Object.entries(file.services)
const ours = services.filter(([, { image }]) => image.startsWith('probity:'))
const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8')

/** On purpose: what we build is also named, so that it can be pushed, and the proxy is there for everybody. */
const MEANT = ['no-build-and-image', 'no-unbound-port-interfaces']

function listErrors(path: string): string[] {
  const linter = new DCLinter({ rules: {}, quiet: true, debug: false, exclude: [], stopOnFirst: false })
  const results: { messages: { type: string; rule: string }[] }[] = linter.lintFiles([path], false)
  const messages = results.flatMap((result) => result.messages)
  return messages.filter(({ type, rule }) => type === 'error' && !MEANT.includes(rule)).map(({ rule }) => rule)
}

test('is what the Compose specification allows, and what its linter has nothing against', () => {
  expect(listErrors(join(import.meta.dirname, 'compose.yaml'))).toEqual([])
  const folder = mkdtempSync(join(tmpdir(), 'probity-compose-'))
  const wrong = read('compose.yaml').replace('    healthcheck:', '    helthcheck:')
  writeFileSync(join(folder, 'compose.yaml'), wrong)
  expect(listErrors(join(folder, 'compose.yaml'))).toEqual(['invalid-schema'])
  rmSync(folder, { recursive: true })
})

test('sets only what is a setting, for the processes that are ours', () => {
  const names = ours.flatMap(([, { environment = {} }]) => Object.keys(environment))
  expect(names).toContain('DATABASE_URL_FILE')
  expect(names.filter((name) => !isKnown(name))).toEqual([])
})

test('hands every secret over as a file that there is, and has no password in it', () => {
  for (const [, { environment = {}, secrets = [] }] of services) {
    const named = Object.values(environment).flatMap((value) => /^\/run\/secrets\/(.+)$/.exec(value)?.[1] ?? [])
    expect(secrets).toEqual(expect.arrayContaining(named))
    for (const secret of secrets) expect(file.secrets[secret]).toEqual({ file: `./secrets/${secret}` })
    expect(
      Object.entries(environment).filter(
        ([name, value]) => /(password|secret)/i.test(name) && !value.startsWith('/run/secrets/'),
      ),
    ).toEqual([])
  }
  expect(read('compose.yaml')).not.toMatch(/:\/\/[^/\s]*:[^/\s]*@/)
})

test('the installation makes every secret that is named', () => {
  const made = [...read('install.sh').matchAll(/keep "\$SECRETS\/([a-z_]+)"/g)].map(([, name = '']) => name)
  expect(Object.keys(file.secrets).toSorted()).toEqual(made.toSorted())
})

test('the worker has a user and a database login of its own, and reads uploads only', () => {
  const { api, worker } = file.services as Record<'api' | 'worker', Service>
  expect(worker.user?.split(':')[0]).not.toBe(api.user?.split(':')[0])
  expect(read('Dockerfile')).toContain(`--uid ${worker.user?.split(':')[0]} `)
  expect(worker.secrets).toEqual(['worker_database_url', 'redis_url'])
  expect(api.secrets).not.toContain('worker_database_url')
  const uploads = `uploads:${api.environment?.['UPLOADS_FOLDER']}`
  expect([api.volumes, worker.volumes]).toEqual([
    expect.arrayContaining([uploads]),
    expect.arrayContaining([`${uploads}:ro`]),
  ])
})

test('the API trusts X-Forwarded-For of the proxy alone', () => {
  const networks = file.services['proxy']?.networks as Record<string, { ipv4_address: string }>
  const trusted = file.services['api']?.environment?.['TRUST_PROXY']
  expect(trusted).toBe(`\${PROBITY_TRUST_PROXY:-${networks['outside']?.ipv4_address}}`)
})

/** Ends by itself, or is started by hand. */
const PASSING = ['migrate', 'admin']

test.each(services)(
  '%s is looked after: health, memory, rights and a file system that cannot be written',
  (name, service) => {
    const { test: command, disable } = service.healthcheck ?? {}
    if (PASSING.includes(name)) expect([disable, service.restart]).toEqual([true, 'no'])
    else expect([command?.[0], service.restart]).toEqual([expect.stringMatching(/^CMD/), 'unless-stopped'])
    expect(service.mem_limit).toMatch(/^\d+[mg]$/)
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] })
    expect(service.image).toMatch(/:(\d|v\d|\$\{PROBITY_VERSION:-local\})/)
  },
)

test('nothing but the proxy can be reached from outside of the machine, and the databases from nowhere', () => {
  const published = services.filter(([, { ports = [] }]) => ports.length > 0)
  expect(published.map(([name]) => name)).toEqual(['api', 'proxy', 'grafana'])
  for (const [name, { ports = [] }] of published) {
    if (name !== 'proxy') for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/)
  }
  expect(file.networks['data']).toEqual({ internal: true })
  for (const name of ['postgres', 'redis']) expect(file.services[name]?.networks).toEqual(['data'])
})

test('what waits for another waits until that one is well, and there are the two profiles', () => {
  for (const [, { depends_on = {} }] of services) {
    for (const [name, { condition }] of Object.entries(depends_on)) {
      const isPassing = PASSING.includes(name)
      expect(condition).toBe(isPassing ? 'service_completed_successfully' : 'service_healthy')
      expect(isPassing || file.services[name]?.healthcheck?.test).toBeTruthy()
    }
  }
  const profiles = new Set(services.flatMap(([, { profiles: named = [] }]) => named))
  expect([...profiles].toSorted()).toEqual(['admin', 'monitoring', 'proxy'])
})

/** Made by the installation. */
const ELSEWHERE = /^\.\/probity\.env$/

test('every folder and file that is mounted is there', () => {
  const sources = services.flatMap(([, { volumes = [] }]) => volumes.map((volume) => volume.split(':')[0] ?? ''))
  const missing = sources.filter((source) =>
    source.startsWith('.')
      ? !ELSEWHERE.test(source) && !existsSync(join(import.meta.dirname, source))
      : !(source in file.volumes),
  )
  expect(missing).toEqual([])
})

test('the worker asks the resolver where it is', () => {
  const networks = file.services['resolver']?.networks as Record<string, { ipv4_address: string }>
  const port = /^ {2}port: (\d+)$/m.exec(read('unbound.conf'))?.[1]
  expect(file.services['worker']?.environment?.['DNS_SERVERS']).toBe(`${networks['outside']?.ipv4_address}:${port}`)
})

test('the settings file to begin with names settings only, none of them a secret, and sets none', () => {
  const lines = read('probity.env.example')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('# '))
  const names = lines.map((line) => /^#([A-Z_]+)=/.exec(line)?.[1] ?? line)
  expect(names).toContain('SMTP_HELO_NAME')
  expect(names.filter((name) => !isKnown(name) || isKnown(`${name}_FILE`))).toEqual([])
})

test('image and compose file agree on user, port and folders', () => {
  const dockerfile = read('Dockerfile')
  const api = file.services['api'] as Service
  expect(dockerfile).toContain(`USER ${api.user}\n`)
  expect(dockerfile).toContain(`PORT=${api.environment?.['PORT']} `)
  expect(dockerfile).toContain(`UPLOADS_FOLDER=${api.environment?.['UPLOADS_FOLDER']}\n`)
  for (const [, { command = [] }] of ours) {
    const program = command[0]
    if (program?.endsWith('.ts')) expect(existsSync(join(import.meta.dirname, '..', program))).toBe(true)
  }
  expect(parse(read('compose.yaml'))).toHaveProperty('name')
})
