import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isKnown, listForeignSecrets, PROCESSES } from '@probity/settings/every-setting'
import { DCLinter } from 'dclint'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readComposeFile, type Service } from './check/compose-file.ts'

const file = readComposeFile()
const services = Object.entries(file.services)
const ours = services.filter(([, { image }]) => /^\$\{PROBITY_IMAGE:-probity\}:/.test(image))
const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8')

/** Intended: built images are also named, so that they can be pushed, and the proxy listens on all addresses. */
const MEANT = ['no-build-and-image', 'no-unbound-port-interfaces']

function listErrors(path: string): string[] {
  const linter = new DCLinter({ rules: {}, quiet: true, debug: false, exclude: [], stopOnFirst: false })
  const results: { messages: { type: string; rule: string }[] }[] = linter.lintFiles([path], false)
  const messages = results.flatMap((result) => result.messages)
  return messages.filter(({ type, rule }) => type === 'error' && !MEANT.includes(rule)).map(({ rule }) => rule)
}

test('compose.yaml conforms to the Compose specification and passes its linter', () => {
  expect(listErrors(join(import.meta.dirname, 'compose.yaml'))).toEqual([])
  const folder = mkdtempSync(join(tmpdir(), 'probity-compose-'))
  const wrong = read('compose.yaml').replace('    healthcheck:', '    helthcheck:')
  writeFileSync(join(folder, 'compose.yaml'), wrong)
  expect(listErrors(join(folder, 'compose.yaml'))).toEqual(['invalid-schema'])
  rmSync(folder, { recursive: true })
})

test('compose.yaml sets only known settings for processes of Probity', () => {
  const names = ours.flatMap(([, { environment = {} }]) => Object.keys(environment))
  expect(names).toContain('PROBITY_DATABASE_URL_FILE')
  expect(names.filter((name) => !isKnown(name))).toEqual([])
})

test('compose.yaml passes every secret as a file and contains no password', () => {
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

test('install.sh creates every secret of compose.yaml', () => {
  const made = [...read('install.sh').matchAll(/keep "\$SECRETS\/([a-z0-9_]+)"/g)].map(([, name = '']) => name)
  expect(Object.keys(file.secrets).toSorted()).toEqual(made.toSorted())
})

test('the worker has its own user and database login, and reads uploads only', () => {
  const { api, worker } = file.services as Record<'api' | 'worker', Service>
  expect(worker.user?.split(':')[0]).not.toBe(api.user?.split(':')[0])
  expect(read('Dockerfile')).toContain(`--uid ${worker.user?.split(':')[0]} `)
  const uploads = `uploads:${api.environment?.['PROBITY_UPLOADS_FOLDER']}`
  expect([api.volumes, worker.volumes]).toEqual([
    expect.arrayContaining([uploads]),
    expect.arrayContaining([`${uploads}:ro`]),
  ])
})

test.each(['api', 'worker', 'maintenance'] as const)('%s gets its own secrets only, with an own login each', (name) => {
  const { environment = {}, secrets = [] } = file.services[name] as Service
  const foreign = listForeignSecrets(PROCESSES[name])
  const named = Object.entries(environment).filter(([, value]) => value.startsWith('/run/secrets/'))
  expect(named.filter(([setting]) => foreign.some((secret) => setting === `PROBITY_${secret}_FILE`))).toEqual([])
  expect(named.map(([, value]) => value.replace('/run/secrets/', '')).toSorted()).toEqual(secrets.toSorted())
  const prefix = name === 'api' ? '' : `${name}_`
  expect(environment).toMatchObject({
    PROBITY_DATABASE_URL_FILE: `/run/secrets/${prefix}database_url`,
    PROBITY_REDIS_URL_FILE: `/run/secrets/${prefix}redis_url`,
  })
})

test('compose.yaml has a file for each secret that a process can have', () => {
  const withoutFile = ['DATABASE_DIRECT_URL', 'DATABASE_MAINTENANCE_URL', 'OTEL_EXPORTER_OTLP_HEADERS']
  const everywhere = ours.flatMap(([, { environment = {} }]) => Object.keys(environment))
  const secrets = listForeignSecrets(PROCESSES.build).filter((name) => !everywhere.includes(`PROBITY_${name}_FILE`))
  expect(secrets.toSorted()).toEqual(withoutFile)
})

test('the API trusts X-Forwarded-For from the proxy only', () => {
  const networks = file.services['proxy']?.networks as Record<string, { ipv4_address: string }>
  const trusted = file.services['api']?.environment?.['PROBITY_TRUST_PROXY']
  expect(trusted).toBe(`\${PROBITY_TRUST_PROXY:-${networks['outside']?.ipv4_address}}`)
})

/** Exits on its own, or is started manually. */
const PASSING = ['migrate', 'admin']

test.each(services)(
  '%s has a health check, a memory limit, minimal rights and a read-only file system',
  (name, service) => {
    const { test: command, disable } = service.healthcheck ?? {}
    if (PASSING.includes(name)) expect([disable, service.restart]).toEqual([true, 'no'])
    else expect([command?.[0], service.restart]).toEqual([expect.stringMatching(/^CMD/), 'unless-stopped'])
    expect(service.mem_limit).toMatch(/^\d+[mg]$/)
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] })
    expect(service.image).toMatch(/:(\d|v\d|\$\{PROBITY_VERSION:-local\})/)
  },
)

test('only the proxy is reachable from outside the machine, and the databases publish no ports', () => {
  const published = services.filter(([, { ports = [] }]) => ports.length > 0)
  expect(published.map(([name]) => name)).toEqual(['api', 'proxy', 'grafana'])
  for (const [name, { ports = [] }] of published) {
    if (name !== 'proxy') for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/)
  }
  expect(file.networks['data']).toEqual({ internal: true })
  for (const name of ['postgres', 'redis']) expect(file.services[name]?.networks).toEqual(['data'])
})

test('services wait until their dependencies are healthy, and there are two profiles', () => {
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

/** Created by the installation. */
const ELSEWHERE = /^\.\/probity\.env$/

test('every mounted folder and file exists', () => {
  const sources = services.flatMap(([, { volumes = [] }]) => volumes.map((volume) => volume.split(':')[0] ?? ''))
  const missing = sources.filter((source) =>
    source.startsWith('.')
      ? !ELSEWHERE.test(source) && !existsSync(join(import.meta.dirname, source))
      : !(source in file.volumes),
  )
  expect(missing).toEqual([])
})

test('PROBITY_DNS_SERVERS of the worker is the address of the resolver', () => {
  const networks = file.services['resolver']?.networks as Record<string, { ipv4_address: string }>
  const port = /^ {2}port: (\d+)$/m.exec(read('unbound.conf'))?.[1]
  expect(file.services['worker']?.environment?.['PROBITY_DNS_SERVERS']).toBe(
    `${networks['outside']?.ipv4_address}:${port}`,
  )
})

test('probity.env.example names known settings without secrets and sets none', () => {
  const lines = read('probity.env.example')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('# '))
  const names = lines.map((line) => /^#([A-Z_]+)=/.exec(line)?.[1] ?? line)
  expect(names).toContain('PROBITY_SMTP_HELO_NAME')
  expect(names.filter((name) => !isKnown(name) || isKnown(`${name}_FILE`))).toEqual([])
})

test('image and compose file agree on user, port and folders', () => {
  const dockerfile = read('Dockerfile')
  const api = file.services['api'] as Service
  expect(dockerfile).toContain(`USER ${api.user}\n`)
  expect(dockerfile).toContain(`PROBITY_PORT=${api.environment?.['PROBITY_PORT']} `)
  expect(dockerfile).toContain(`PROBITY_UPLOADS_FOLDER=${api.environment?.['PROBITY_UPLOADS_FOLDER']}\n`)
  for (const [, { command = [] }] of ours) {
    const program = command[0]
    if (program?.endsWith('.ts')) expect(existsSync(join(import.meta.dirname, '..', program))).toBe(true)
  }
  expect(parse(read('compose.yaml'))).toHaveProperty('name')
})
