import { globSync, readFileSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { JOB_STATES } from '@probity/contract/constants/jobs'
import { KEY_SCOPES, type KeyScope } from '@probity/contract/constants/keys'
import { PUBLIC_SANDBOX_KEY } from '@probity/contract/constants/sandbox'
import { sentHeaders } from '@probity/contract/constants/webhooks'
import { ValidationResult } from '@probity/contract/schemas/validations/single'
import { freePort } from '@probity/lab/services/daemon'
import type { TObject, TSchema } from 'typebox'
import { expect, test } from 'vitest'
import { installSdk } from '../api/sdk/install.ts'
import { callApi, createApiClient } from '../environment/instance.ts'
import { startOpenInstance } from '../environment/open-instance.ts'
import { ROOT } from '../environment/programs.ts'
import { type Block, listPages, readBlocks, readPage } from './pages.ts'
import { isRun, runPage } from './run-page.ts'

const END_TO_END = join(ROOT, 'testing/e2e')

/** Pages whose blocks are all run by other tests. Pages with only some of them have markers. */
const OTHERS = ['docs/errors.md']

// Not the shared instance: `setup-link` needs an installation without users.
const instance = await startOpenInstance()
const scopes = Object.keys(KEY_SCOPES) as KeyScope[]
const testing = await createApiClient(instance, { credits: 0, key: { mode: 'test', scopes } })
const live = await createApiClient(instance, { key: { scopes } })
const page = { name: 'page', livemode: false, type: 'publishable', allowed_origins: ['https://www.example.com'] }
const published = (await testing.call('POST', '/keys', page)).body['key']
const sdk = installSdk()
symlinkSync(
  realpathSync(join(END_TO_END, 'node_modules/standardwebhooks')),
  join(sdk.folder, 'node_modules/standardwebhooks'),
)
const receiverPort = await freePort()

/** Replaces the placeholders of a page: the URL of the service, account ids and keys. */
function asHere(text: string): string {
  return text
    .replaceAll(/https?:\/\/(localhost:3000|(your-)?probity\.example\.com)/g, instance.api.url)
    .replaceAll('localhost:3000', instance.api.url.slice('http://'.length))
    .replaceAll('8080', String(receiverPort))
    .replaceAll('--account ID', `--account ${testing.accountId}`)
    .replaceAll('--resume ACCOUNT', `--resume ${testing.accountId}`)
    .replaceAll('pb_test_…', testing.key)
    .replaceAll('pb_live_…', live.key)
    .replaceAll('pb_pub_…', String(published))
}

const env = { ...instance.settings, PROBITY_BASE_URL: instance.api.url }
const pages = listPages().filter((path) => !OTHERS.includes(path))

/** A block that another test shows, that the release workflow runs (deploy/release/blocks.ts), that is checked below, or that is a drawing. */
function isMarked({ marker }: Block): boolean {
  return ['test', 'body', 'config', 'diagram', 'release'].includes(marker?.kind ?? '')
}

/** Whether a block shows the output of the block before it. */
function isOutput(block: Block, before: Block | undefined): boolean {
  return ['json', 'text', 'csv'].includes(block.language) && !block.marker && before !== undefined && isRun(before)
}

test('every block of every page is run, compared with what was printed, or shown by the test that it names', () => {
  const tests = globSync('{api,cli,docs,operations,web}/**/*.test.ts', { cwd: END_TO_END })
  const shown = new Set(
    [...tests.map((file) => join(END_TO_END, file)), ...OTHER_TESTS.map((file) => join(ROOT, file))].flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/test: ([a-z-]+) -->/g)].map(([, name]) => name),
    ),
  )
  const odd = pages.flatMap((path) => {
    const blocks = readBlocks(path)
    return blocks.filter((block, n) => {
      if (block.marker?.kind === 'test') return !shown.has(block.marker.value)
      if (block.marker?.kind === 'release') return block.marker.value !== 'docker' || block.language !== 'sh'
      if (isMarked(block) || block.marker?.kind === 'file' || isRun(block) || isOutput(block, blocks[n - 1]))
        return false
      const isBesideShown = block.language === 'text' && blocks[n - 1]?.marker?.kind === 'test'
      return !isBesideShown && block.text.trim() !== PUBLIC_SANDBOX_KEY
    })
  })
  expect(odd.map((block) => `${block.page}:${block.line} ${block.language}`)).toEqual([])
})

const OTHER_TESTS = [
  ...['mcp/mcp', 'feedback/feedback', 'accounts/overview', 'accounts/policies/policies'].map(
    (name) => `apps/api/src/${name}.test.ts`,
  ),
  'packages/database/src/system/schema-files.test.ts',
  'benchmarks/report/table.test.ts',
  'deploy/docker-page.test.ts',
  'deploy/kubernetes.test.ts',
]

const marked = pages.flatMap((path) => readBlocks(path)).filter(({ marker }) => marker !== undefined)
const withMarker = (kind: string, value?: string) =>
  marked.filter(({ marker }) => marker?.kind === kind && (value === undefined || marker.value === value))

test.each(withMarker('body'))('$page:$line is used unchanged', async ({ marker, text }) => {
  const [method = '', path = ''] = marker?.value.split(' ') ?? []
  const answer = await live.call(method, path.replace('/api/v1', ''), JSON.parse(text))
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)])
})

test.each(withMarker('config', 'mcp'))('$page:$line connects an agent to its tools', async ({ language, text }) => {
  if (language === 'json') JSON.parse(text)
  const [, url = ''] = /(https:[^" ]*\/mcp)/.exec(text) ?? []
  const [, named] = /X-API-Key"?: "?(pb_[a-z]+_…|\$\{input:probity-key\})/.exec(text) ?? []
  expect(named).toBeDefined()
  const answer = await callApi(
    asHere(url),
    'POST',
    { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    {
      'x-api-key': testing.key,
      accept: 'application/json, text/event-stream',
    },
  )
  expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('validate_email')])
})

test('the services started by docker are at the default URLs', () => {
  expect(withMarker('config', 'compose').map(({ page: path }) => path)).toEqual(['README.md'])
  const compose = readFileSync(join(ROOT, 'compose.yaml'), 'utf8')
  const config = readFileSync(join(ROOT, 'packages/settings/src/admin-settings.ts'), 'utf8')
  expect(config).toContain('postgres://probity:probity@127.0.0.1:5432/probity')
  expect(config).toContain('redis://127.0.0.1:6379')
  for (const part of [
    "127.0.0.1:5432:5432'",
    "127.0.0.1:6379:6379'",
    'POSTGRES_USER: probity',
    'POSTGRES_PASSWORD: probity',
  ])
    expect(compose).toContain(part)
})

test.each(withMarker('config', 'settings'))('$page:$line names existing settings', ({ text }) => {
  const names = [...text.matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name)
  expect(names.length).toBeGreaterThan(0)
  for (const name of names) expect(readPage('docs/settings.md')).toMatch(new RegExp(`\\| \`(PROBITY_)?${name}\` \\|`))
})

test.each(pages.filter((path) => path.startsWith('docs/')))('%s begins with a title and its definition', (path) => {
  const [title = '', empty, sentence = ''] = readPage(path).split('\n')
  expect([title, empty]).toEqual([expect.stringMatching(/^# \S/), ''])
  expect(sentence).toMatch(/^[`A-Z]/)
})

test('the diagram and the table of docs/jobs.md have every state of a job', () => {
  const [diagram] = withMarker('diagram', 'job states')
  const [, table = ''] = readPage('docs/jobs.md').split('| `status` | meaning | you can |\n')
  const rows = [...table.slice(0, table.indexOf('\n\n')).matchAll(/^\| `(\w+)` \| (.*?) \|/gm)]
  expect(Object.fromEntries(rows.map(([, state, meaning]) => [state, `${meaning}.`]))).toEqual(JOB_STATES)
  for (const state of Object.keys(JOB_STATES)) expect(diagram?.text).toMatch(new RegExp(`\\b${state}\\b`))
})

test('every route on a page exists', async () => {
  const { paths } = (await callApi(`${instance.api.url}/api/v1/openapi.json`, 'GET')).body as {
    paths: Record<string, Record<string, object>>
  }
  const known = new Set(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/^\/api\/v1/, '')}`),
    ),
  )
  const named = pages.concat(OTHERS).flatMap((page) =>
    [...readPage(page).matchAll(/`(GET|POST|PATCH|DELETE|PUT) (\/[^ `?]*)/g)]
      .filter(([, , path = '']) => !/^\/(v2|app\/api)\//.test(path)) // those of other services and of the web app
      .map(([, method, path = '']) => ({ page, route: `${method} ${path.replace('/api/v1', '')}` })),
  )
  expect(named.length).toBeGreaterThan(30)
  expect(named.filter(({ route }) => !known.has(route))).toEqual([])
})

test.each(['zerobounce', 'kickbox'])('every field in the migration guide from %s exists in a result', (service) => {
  const [, table = ''] = /^## Fields\n(.*?)^## /ms.exec(readPage(`docs/guides/migrate-from-${service}.md`)) ?? []
  const fields = [...table.matchAll(/\| ([^|]*) \|$/gm)].flatMap(([, ours = '']) =>
    [...ours.matchAll(/`([a-z_.]{3,})`/g)].map(([, field = '']) => field),
  )
  expect(fields.length).toBeGreaterThan(8)
  for (const field of fields.filter((name) => name !== 'mx')) {
    const [outer = '', inner] = field.split('.')
    const schema = ValidationResult.properties[outer as keyof typeof ValidationResult.properties] as TSchema
    expect([field, inner === undefined ? schema : (schema as TObject).properties[inner]]).toEqual([
      field,
      expect.anything(),
    ])
  }
})

test.each(withMarker('config', 'webhook'))('$page:$line has the headers of a real request', ({ text }) => {
  const [head = '', body = ''] = text.split('\n\n')
  const names = [...head.matchAll(/^([\w-]+): /gm)].map(([, name = '']) => name.toLowerCase())
  const sent = sentHeaders({ eventId: 'x', signedAt: new Date(), signature: 'x' })
  expect(names.toSorted()).toEqual(['host', ...Object.keys(sent)].toSorted())
  expect(head).toContain(`User-Agent: ${sent['user-agent']}`)
  expect(Object.keys(JSON.parse(body))).toEqual(['id', 'type', 'api_version', 'timestamp', 'livemode', 'data'])
})

test.each(pages)('%s: the page works as described', { timeout: 150_000 }, async (path) => {
  const blocks = readBlocks(path)
  const isOurs = (block: Block) => !isMarked(block) || isRunTwice(block)
  const printed = await runPage(blocks.filter(isOurs), { sdk, env, asHere })
  for (const [n, block] of blocks.entries()) {
    const out = printed.get(blocks[n - 1] as Block)
    if (out !== undefined && isOutput(block, blocks[n - 1])) expectPrinted(block, out)
  }
})

/** Checked elsewhere and cheap: they also run here, so that the output below them can be compared. */
const RUN_HERE_TOO = new Set(['policies', 'feedback', 'mcp'])

function isRunTwice({ marker }: Block): boolean {
  return marker?.kind === 'test' && RUN_HERE_TOO.has(marker.value)
}

function expectPrinted(block: Block, out: string): void {
  const where = `${block.page}:${block.line}`
  if (block.language === 'json') expect(JSON.parse(out), where).toMatchObject(varying(JSON.parse(block.text)))
  else expect(out, where).toMatch(patternOf(block.text))
}

/** Values that change with time are only checked for presence and type. */
const VARIES = new Set([
  'id',
  'request_id',
  'timestamp',
  'response_time_ms',
  'checked_at',
  'duration_ms',
  'retry_at',
  'upload_id',
  'key',
])

function varying(shown: unknown): object {
  return Object.fromEntries(
    Object.entries(shown as object).map(([name, value]) => [name, VARIES.has(name) ? anyLike(value) : deeper(value)]),
  )
}

const deeper = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(deeper)
  return typeof value === 'object' && value !== null ? expect.objectContaining(varying(value)) : value
}

function anyLike(value: unknown): unknown {
  return value === null ? null : expect.any(typeof value === 'number' ? Number : String)
}

/** The text with `…` in place of differences. A `…` line in the page allows any lines in the output. */
function patternOf(text: string): RegExp {
  const lines = text.trimEnd().split('\n')
  const patterns = lines.map((line) =>
    line === '…' ? '(?:.*\\n)*' : `${line.split('…').map(literally).join('.*')} *\\r?\\n`,
  )
  return new RegExp(`^${patterns.join('')}$`)
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
