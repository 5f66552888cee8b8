import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { join } from 'node:path'
import { KEY_SCOPES, type KeyScope } from '@probity/contract/constants/keys'
import { freePort } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { chromium } from 'playwright-core'
import { expect, test } from 'vitest'
import { createApiClient } from '../../environment/instance.ts'
import { ROOT } from '../../environment/programs.ts'
import { run } from '../../environment/run.ts'
import { useSharedInstance } from '../../environment/shared-instance.ts'
import { compile, installSdk, runTool } from './install.ts'
import { installRuntime } from './runtimes.ts'

/** The SDK as a user has it: packed, installed in another folder, and used from there. */
const instance = await useSharedInstance()
const { key } = await createApiClient(instance, { key: { scopes: Object.keys(KEY_SCOPES) as KeyScope[] } })
const installed = installSdk()
const { folder, tarball, entries } = installed
const settings = { PROBITY_API_KEY: key, PROBITY_BASE_URL: instance.api.url }

const README = readFileSync(join(ROOT, 'packages/sdk/README.md'), 'utf8')
const snippets = [...README.matchAll(/<!-- test: sdk -->\s*```ts\n(.*?)```/gs)].map(([, code = '']) => code).join('\n')
const CSV = 'name,email\nAda,ada@no-such-domain.example\nBob,bob..@example.com\n'

const TYPES = { types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] }
const NODE = { module: 'nodenext', target: 'es2022', ...TYPES }
const BROWSER = { module: 'esnext', moduleResolution: 'bundler', target: 'es2022', lib: ['es2022', 'dom'], types: [] }

test('the package contains the build and has no dependencies', () => {
  const files = run('tar', ['-tzf', tarball], folder).trim().split('\n').toSorted()
  const built = ['probity.cjs', 'probity.d.cts', 'probity.d.ts', 'probity.js']
  expect(files).toEqual(['LICENSE', 'README.md', 'package.json', ...built].map((file) => `package/${file}`))
  const manifest = JSON.parse(readFileSync(join(folder, 'node_modules/@probity/sdk/package.json'), 'utf8'))
  expect(manifest).toMatchObject({ name: '@probity/sdk', license: 'Apache-2.0', engines: { node: '>=20' } })
  for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies', 'devDependencies', 'scripts'])
    expect(manifest).not.toHaveProperty(kind)
  expect(readFileSync(join(ROOT, 'packages/sdk/LICENSE'), 'utf8')).toBe(readFileSync(join(ROOT, 'LICENSE'), 'utf8'))
})

test('publint and attw find no problem, for ES modules and CommonJS', () => {
  expect(runTool('publint', ['run', tarball, '--strict'])).toContain('All good!')
  const report = runTool('attw', [tarball, '--no-color'])
  expect(report).toContain('No problems found')
  expect(report).toMatch(/from CJS\) │ 🟢 \(CJS\)/)
  expect(report).toMatch(/from ESM\) │ 🟢 \(ESM\)/)
})

test('the builds import nothing', () => {
  for (const file of Object.values(entries)) {
    const code = readFileSync(file, 'utf8').replace(/\/\*.*?\*\//gs, '')
    expect(code).not.toMatch(/\bimport\b|\brequire\b|node:/)
  }
})

test('the code of the README compiles and runs', () => {
  expect(snippets.match(/^import /gm)?.length).toBeGreaterThanOrEqual(5)
  compile(installed, { name: 'readme', files: { 'readme.ts': snippets }, compilerOptions: NODE })
  writeFileSync(join(folder, 'readme.ts'), `${snippets}\n${TRY_RECEIVER}`)
  writeFileSync(join(folder, 'list.csv'), CSV)
  const out = run(process.execPath, ['readme.ts'], folder, settings)
  for (const line of [
    'invalid syntax_error\nada@example.com\n',
    '1 bob@ invalid',
    "[ 'name', 'email' ] 2",
    'completed { valid: 0, invalid: 2, risky: 0, unknown: 0 }',
    '1 false 1',
    '2 ada@no-such-domain.example invalid domain_not_found',
    'overrides added: 1',
    'no such job req_',
    'invalid 1 ',
    'quota: ',
    'evt_1 newsletter.csv',
    'received 204',
    'GET /api/v1/usage 200 true',
  ]) {
    expect(out).toContain(line)
  }
  expect(readFileSync(join(folder, 'clean.csv'), 'utf8')).toMatch(/^"name","email","probity_status"/)
})

const TRY_RECEIVER = `
const { signWebhook } = await import('@probity/sdk')
const secret = 'whsec_' + btoa('a secret of twenty-four+')
const payload = JSON.stringify({ id: 'evt_1', type: 'job.completed', data: { filename: 'newsletter.csv' } })
const headers = await signWebhook({ payload, secret, id: 'evt_1' })
const received = await receive(new Request('http://localhost/', { method: 'POST', body: payload, headers }), secret)
console.log('received', received.status)
`

const CONSUMER = `
import { type BulkJob, Probity, RateLimitError, type ValidationStatus, type ValidationResult, verifyWebhook } from '@probity/sdk'

const key: string | undefined = undefined as string | undefined
const probity = new Probity({ apiKey: key, baseUrl: key })
export const known: ValidationStatus = 'valid'
export const added: ValidationStatus = 'a status of next year'

export async function use(file: Blob): Promise<string> {
  const result: ValidationResult = await probity.validate('ada@example.com', { signal: AbortSignal.timeout(1_000) })
  for await (const { type, job } of probity.jobs.events('id')) if (type === 'end') return job.status
  const jobs: BulkJob[] = (await probity.jobs.list({ limit: 5 })).data
  for await (const job of probity.jobs.list()) return job.status
  const stream: ReadableStream<Uint8Array> = await probity.jobs.results.download('id', { format: 'ndjson' })
  const { response } = await probity.uploads.create(file).withResponse()
  // @ts-expect-error: an address is a string
  await probity.validate(1)
  // @ts-expect-error: the format is required
  await probity.jobs.results.download('id', {})
  // @ts-expect-error: options are in camelCase
  await probity.jobs.create('id', { email_column: 'email' })
  const event = await verifyWebhook({ payload: '', headers: {}, secret: '' })
  if (event.type === 'credits.low') return String(event.data.threshold)
  switch (result.sub_status) {
    case 'catch_all':
      return result.details.domain
    default:
      return String([jobs, stream, response.requestId])
  }
}

export function explain(error: unknown): string {
  return error instanceof RateLimitError ? String(error.retryAfterSeconds) : ''
}
`

test('the types compile for ES modules, CommonJS and web pages', () => {
  compile(installed, { name: 'node', files: { 'consumer.ts': CONSUMER }, compilerOptions: NODE })
  compile(installed, { name: 'commonjs', files: { 'consumer.cts': CONSUMER }, compilerOptions: NODE })
  compile(installed, { name: 'page', files: { 'consumer.ts': CONSUMER }, compilerOptions: BROWSER })
  const wrong = { 'wrong.ts': CONSUMER.replace('// @ts-expect-error: an address is a string', '') }
  expect(() => compile(installed, { name: 'wrong', files: wrong, compilerOptions: NODE })).toThrow(/wrong\.ts/)
})

/** Uses requests, uploads, streams, pages, errors and Web Crypto, and prints what it found. The SDK is `sdk`. */
const PROGRAM = `
async function useSdk({ Probity, NotFoundError, signWebhook, verifyWebhook }, options) {
  const probity = new Probity(options)
  const { status } = await probity.validate('ada@example,com')
  const all = []
  for await (const { index } of probity.validateAll(['ada@example,com', 'bob@'])) all.push(index)
  const file = new Blob([${JSON.stringify(CSV)}]).stream()
  const { filename, id: uploadId } = await probity.uploads.create(file, { filename: 'list.csv' })
  const { id } = await probity.jobs.create(uploadId, { emailColumn: 'email' })
  const job = await probity.jobs.wait(id)
  const rows = []
  for await (const { row } of probity.jobs.results.list(id)) rows.push(row)
  const { total } = await probity.jobs.results.list(id, { limit: 1 })
  const csv = await new Response(await probity.jobs.results.download(id, { format: 'csv' })).text()
  const error = await probity.jobs.get('0198f2d1-93a8-7b05-8f17-04e5d6c2b9a1').catch((reason) => reason)
  const secret = 'whsec_' + btoa('a secret of twenty-four+')
  const payload = '{"id":"evt_1","type":"webhook.test"}'
  const headers = await signWebhook({ payload, secret, id: 'evt_1' })
  const event = await probity.webhooks.verify({ payload, headers, secret })
  const again = await verifyWebhook({ payload, headers: new Headers(headers), secret })
  const code = error instanceof NotFoundError ? error.code : String(error)
  const types = [event.type, again.type]
  return { status, all, filename, end: job.status, rows, total, columns: csv.slice(0, 31), code, types }
}
`

const FOUND = {
  status: 'invalid',
  all: [0, 1],
  filename: 'list.csv',
  end: 'completed',
  rows: [2, 3],
  total: 2,
  columns: '"name","email","probity_status"',
  code: 'not_found',
  types: ['webhook.test', 'webhook.test'],
}

const PRINT = `
const clients = new Set()
const onRequest = ({ headers }) => clients.add(headers.get('x-probity-client'))
useSdk(sdk, { onRequest }).then((found) => console.log(JSON.stringify({ ...found, client: [...clients].join() })))
`

const FILES = {
  'program.mjs': `import * as sdk from '@probity/sdk'\n${PROGRAM}${PRINT}`,
  'program.cjs': `const sdk = require('@probity/sdk')\n${PROGRAM}${PRINT}`,
}

test.each([
  ['node-20', 'program.mjs', /^js\/0\.1\.0 \(node 20\./],
  ['node-20', 'program.cjs', /^js\/0\.1\.0 \(node 20\./],
  ['node-22', 'program.mjs', /^js\/0\.1\.0 \(node 22\./],
  ['node-22', 'program.cjs', /^js\/0\.1\.0 \(node 22\./],
  ['node-24', 'program.mjs', /^js\/0\.1\.0 \(node 24\./],
  ['node-24', 'program.cjs', /^js\/0\.1\.0 \(node 24\./],
  ['bun', 'program.mjs', /^js\/0\.1\.0 \(bun \d/],
  ['bun', 'program.cjs', /^js\/0\.1\.0 \(bun \d/],
  ['deno', 'program.mjs', /^js\/0\.1\.0 \(deno \d/],
  ['deno', 'program.cjs', /^js\/0\.1\.0 \(deno \d/],
] as const)('the package runs on %s: %s', { tags: ['long'], timeout: 180_000 }, (runtime, file, client) => {
  const program = runtime === 'node-24' ? process.execPath : installRuntime(runtime)
  writeFileSync(join(folder, file), FILES[file])
  // Deno denies network and environment by default.
  const flags = runtime === 'deno' ? ['run', '--allow-net', '--allow-env', '--allow-read', '--no-lock'] : []
  const { client: found, ...rest } = JSON.parse(run(program, [...flags, file], folder, settings))
  expect(rest).toEqual(FOUND)
  expect(found).toMatch(client)
})

/** A site with a page, the SDK, and the service, as a reverse proxy would combine them. */
async function startSite(): Promise<string> {
  const port = await freePort()
  const site = createServer((incoming, reply) => {
    const { method, url = '/', headers } = incoming
    if (url === '/') return void reply.setHeader('content-type', 'text/html').end('<title>A page</title>')
    if (url === '/probity.js')
      return void reply.setHeader('content-type', 'text/javascript').end(readFileSync(entries.esm))
    const onward = request(instance.api.url + url, { method, headers }, (response) => {
      reply.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(reply)
    })
    onward.on('error', () => reply.destroy())
    reply.on('close', () => onward.destroy())
    incoming.pipe(onward)
  })
  site.listen(port, '127.0.0.1')
  whenDone(() => {
    site.closeAllConnections()
    site.close()
  })
  return `http://127.0.0.1:${port}`
}

/** Evaluated in the page. */
const inPage = (apiKey: string, publishableKey: string) => `(async () => {
  ${PROGRAM}
  const sdk = await import('/probity.js')
  const options = { apiKey: ${JSON.stringify(apiKey)}, baseUrl: location.origin }
  let guard
  try { new sdk.Probity(options) } catch (error) { guard = error.name }
  const found = await useSdk(sdk, { ...options, allowSecretKeyInBrowser: true })
  const elsewhere = { apiKey: ${JSON.stringify(publishableKey)}, baseUrl: ${JSON.stringify(instance.api.url)} }
  const { decision } = await new sdk.Probity(elsewhere).decide('ada@example,com', { policy: 'signup' })
  return { ...found, guard, decision }
})()`

test('the package runs in Chromium, with a secret key only if allowed, and decides across origins', async () => {
  const site = await startSite()
  const { call } = await createApiClient(instance)
  const publishable = { name: 'page', type: 'publishable', allowed_origins: [site] }
  const publishableKey = String((await call('POST', '/keys', publishable)).body['key'])
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium-headless-shell',
    args: ['--no-sandbox', '--disable-gpu'],
  })
  try {
    const page = await browser.newPage()
    await page.goto(site)
    expect(await page.evaluate(inPage(key, publishableKey))).toEqual({
      ...FOUND,
      guard: 'ProbityError',
      decision: 'block',
    })
  } finally {
    await browser.close()
  }
})
