import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { join } from 'node:path'
import { freePort } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { chromium } from 'playwright-core'
import { expect, test } from 'vitest'
import { ROOT } from './programs.ts'
import { borrowProduct } from './test-borrowed.ts'
import { openCustomer } from './test-product.ts'
import { compile, installSdk, run, runTool } from './test-sdk-package.ts'

/** The client library as those have it who install it: packed, installed in a folder of its own, and used from there. */
const product = await borrowProduct()
const { key } = await openCustomer(product)
const installed = installSdk()
const { folder, tarball, entry } = installed
const settings = { PROBITY_API_KEY: key, PROBITY_BASE_URL: product.api.url }

const README = readFileSync(join(ROOT, 'packages/sdk/README.md'), 'utf8')
const snippets = [...README.matchAll(/<!-- test: sdk -->\s*```ts\n(.*?)```/gs)].map(([, code = '']) => code).join('\n')
const LIST = 'name,email\nAda,ada@no-such-domain.example\nBob,bob..@example.com\n'

const NODE = { module: 'nodenext', target: 'es2022', types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] }
const BROWSER = { module: 'esnext', moduleResolution: 'bundler', target: 'es2022', lib: ['es2022', 'dom'], types: [] }

test('holds what was built and nothing else, and needs nothing', () => {
  const files = run('tar', ['-tzf', tarball], folder).trim().split('\n').toSorted()
  expect(files).toEqual(
    ['LICENSE', 'README.md', 'package.json', 'probity.d.ts', 'probity.js'].map((file) => `package/${file}`),
  )
  const manifest = JSON.parse(readFileSync(join(folder, 'node_modules/@probity/sdk/package.json'), 'utf8'))
  expect(manifest).toMatchObject({ name: '@probity/sdk', license: 'Apache-2.0', engines: { node: '>=20' } })
  for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies'])
    expect(manifest).not.toHaveProperty(kind)
  expect(readFileSync(join(ROOT, 'packages/sdk/LICENSE'), 'utf8')).toBe(readFileSync(join(ROOT, 'LICENSE'), 'utf8'))
})

test('those who know how packages go wrong find nothing', () => {
  expect(runTool('publint', ['run', tarball, '--strict'])).toContain('All good!')
  expect(runTool('attw', [tarball, '--profile', 'esm-only', '--no-color'])).toMatch(/from ESM\) │ 🟢/)
})

test('the one file imports nothing, from Node or from anywhere else', () => {
  const code = readFileSync(entry, 'utf8').replace(/\/\*.*?\*\//gs, '')
  expect(code).not.toMatch(/\bimport\b|\brequire\b|node:/)
})

test('the README does what it says, compiled and run in Node', () => {
  expect(snippets.match(/^import /gm)?.length).toBeGreaterThanOrEqual(5)
  compile(installed, { name: 'readme', files: { 'readme.ts': snippets }, compilerOptions: NODE })
  writeFileSync(join(folder, 'readme.ts'), `${snippets}\n${TRY_RECEIVER}`)
  writeFileSync(join(folder, 'list.csv'), LIST)
  const out = run(process.execPath, ['readme.ts'], folder, settings)
  for (const said of [
    'invalid syntax_error',
    'The address contains a character that is not allowed at that position.',
    "[ 'name', 'email' ] 2",
    'completed { valid: 0, invalid: 2, risky: 0, unknown: 0 }',
    '2 ada@no-such-domain.example invalid domain_not_found',
    'no such list req_',
    'invalid 1 ',
    'quota: ',
    'msg_1 newsletter.csv',
    'received 204',
  ]) {
    expect(out).toContain(said)
  }
  expect(readFileSync(join(folder, 'clean.csv'), 'utf8')).toMatch(/^"name","email","probity_status"/)
})

const TRY_RECEIVER = `
const secret = 'whsec_' + btoa('a secret of twenty-four+')
const sent = JSON.stringify({ type: 'job.completed', data: { filename: 'newsletter.csv' } })
const headers = await webhooks.sign(sent, secret, 'msg_1')
const answer = await receive(new Request('http://localhost/', { method: 'POST', body: sent, headers }), secret)
console.log('received', answer.status)
`

const CONSUMER = `
import { type BulkJob, Probity, ProbityProblem, type ValidationStatus, type ValidationResult } from '@probity/sdk'

const key: string | undefined = undefined as string | undefined
const probity = new Probity({ apiKey: key, baseUrl: key })
export const known: ValidationStatus = 'valid'
export const added: ValidationStatus = 'a status of next year'

export async function use(file: Blob): Promise<string> {
  const result: ValidationResult = await probity.validate('ada@example.com', { signal: AbortSignal.timeout(1_000) })
  for await (const { event, job } of probity.lists.events('id')) if (event === 'end') return job.status
  const jobs: BulkJob[] = await probity.lists.list({ limit: 5 })
  const stream: ReadableStream<Uint8Array> = await probity.lists.download('id', { format: 'ndjson' })
  const { response } = await probity.lists.preview(file).withResponse()
  // @ts-expect-error: an address is a text
  await probity.validate(1)
  // @ts-expect-error: the format must be said
  await probity.lists.download('id', {})
  // @ts-expect-error: options are in camelCase
  await probity.lists.confirm({ upload_id: 'id', email_column: 'email' })
  switch (result.sub_status) {
    case 'catch_all':
      return result.details.domain
    default:
      return String([jobs, stream, response.requestId])
  }
}

export function explain(error: unknown): string {
  return error instanceof ProbityProblem && error.code === 'rate_limited' ? String(error.retryAfterS) : ''
}
`

test('its types hold for programs of Node and for pages, declarations included', () => {
  compile(installed, { name: 'node', files: { 'consumer.ts': CONSUMER }, compilerOptions: NODE })
  compile(installed, { name: 'page', files: { 'consumer.ts': CONSUMER }, compilerOptions: BROWSER })
  const wrong = { 'wrong.ts': CONSUMER.replace('// @ts-expect-error: an address is a text', '') }
  expect(() => compile(installed, { name: 'wrong', files: wrong, compilerOptions: NODE })).toThrow(/wrong\.ts/)
})

/** A site with a page, the library, and the service behind it, as a reverse proxy would put them together. */
async function startSite(): Promise<string> {
  const port = await freePort()
  const site = createServer((incoming, reply) => {
    const { method, url = '/', headers } = incoming
    if (url === '/') return void reply.setHeader('content-type', 'text/html').end('<title>A page</title>')
    if (url === '/probity.js') return void reply.setHeader('content-type', 'text/javascript').end(readFileSync(entry))
    const onward = request(product.api.url + url, { method, headers }, (answer) => {
      reply.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(reply)
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

/** Runs in the page, so it is text to us. */
const inPage = (apiKey: string, csv: string) => `(async () => {
  const { Probity, ProbityProblem, webhooks } = await import('/probity.js')
  const probity = new Probity({ apiKey: ${JSON.stringify(apiKey)}, baseUrl: location.origin })
  const { status } = await probity.validate('ada@example,com')
  const file = new Blob([${JSON.stringify(csv)}]).stream()
  const { filename, upload_id: uploadId } = await probity.lists.preview(file, { filename: 'page.csv' })
  const { id } = await probity.lists.confirm({ uploadId, emailColumn: 'email' })
  const list = await probity.lists.wait(id)
  const rows = []
  for await (const { row } of probity.lists.results(id)) rows.push(row)
  const sheet = await new Response(await probity.lists.download(id, { format: 'csv' })).text()
  const problem = await probity.lists.get('nonsense').catch((error) => error)
  const secret = 'whsec_' + btoa('a secret of twenty-four+')
  const message = await webhooks.verify('{}', await webhooks.sign('{}', secret, 'msg_1'), secret)
  const code = problem instanceof ProbityProblem ? problem.code : String(problem)
  return { status, filename, end: list.status, rows, columns: sheet.slice(0, 31), code, message: message.id }
})()`

test('works in a browser as it is', async () => {
  const site = await startSite()
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium-headless-shell',
    args: ['--no-sandbox', '--disable-gpu'],
  })
  try {
    const page = await browser.newPage()
    await page.goto(site)
    expect(await page.evaluate(inPage(key, LIST))).toEqual({
      status: 'invalid',
      filename: 'page.csv',
      end: 'completed',
      rows: [2, 3],
      columns: '"name","email","probity_status"',
      code: 'invalid_request',
      message: 'msg_1',
    })
  } finally {
    await browser.close()
  }
})
