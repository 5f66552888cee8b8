import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { expect, test } from 'vitest'
import { callApp, startTestApi } from '../testing/test-api.ts'

/** The API with a docs folder of one page, so that the test needs no build of the docs. */
async function startWithDocs() {
  const docsFolder = makeFolder('probity-docs')
  whenDone(() => removeFolder(docsFolder))
  mkdirSync(join(docsFolder, 'webhooks'))
  for (const file of ['webhooks/index.html', '404.html']) writeFileSync(join(docsFolder, file), `<h1>${file}</h1>`)
  return startTestApi({ config: { docsFolder } })
}

test('without a docs build the response explains how to build them, and the other routes work', async () => {
  const empty = makeFolder('probity-docs')
  whenDone(() => removeFolder(empty))
  const { app } = await startTestApi({ config: { docsFolder: empty } })
  for (const url of ['/docs', '/docs/webhooks', '/llms.txt']) {
    const { status, text } = await callApp(app, { url })
    expect([status, text], url).toEqual([503, expect.stringContaining('pnpm --filter @probity/docs build')])
  }
  expect((await callApp(app, { url: '/livez' })).status).toBe(200)
})

test('a client with a current page gets 304', async () => {
  const { app } = await startWithDocs()
  const { status, headers } = await callApp(app, { url: '/docs/webhooks' })
  expect(status).toBe(200)
  const again = await callApp(app, { url: '/docs/webhooks', headers: { 'if-none-match': headers['etag'] ?? '' } })
  expect([again.status, again.text]).toEqual([304, ''])
})

test('no response gets so many listeners that Node warns of a leak', async () => {
  const { app } = await startWithDocs()
  const warnings: string[] = []
  const note = ({ message }: Error) => void warnings.push(message)
  process.on('warning', note)
  whenDone(() => process.off('warning', note))
  expect((await callApp(app, { url: '/docs/webhooks' })).status).toBe(200) // sends a file, which needs most listeners
  await nextTurn()
  expect(warnings).toEqual([])
})

test('no file outside the folder is served', async () => {
  const { app } = await startWithDocs()
  for (const path of ['..%2fpackage.json', '%2e%2e/%2e%2e/package.json', '..%5cpackage.json', 'x%00.md', '.hidden']) {
    expect((await callApp(app, { url: `/docs/${path}` })).status, path).toBe(404)
  }
})

test('a path with a trailing slash is redirected to the same path without it', async () => {
  const { app } = await startWithDocs()
  const redirects = { '': '/docs', 'webhooks/': '/docs/webhooks', '%E2%98%83/': '/docs/%E2%98%83', 'a/b/': '/docs/a/b' }
  for (const [path, location] of Object.entries(redirects)) {
    const { status, headers } = await callApp(app, { url: `/docs/${path}` })
    expect([status, headers['location']], path).toEqual([301, location])
  }
})

test.each([
  ['an empty segment', 'webhooks//'],
  ['another host', '/example.com/'],
  ['an encoded line break', 'x%0d%0aSet-Cookie:a=b/'],
  ['an encoded DEL', 'x%7f/'],
  ['301 characters', `${'a'.repeat(300)}/`],
])('a path with %s is 404', async (_, path) => {
  const { app } = await startWithDocs()
  const { status, headers } = await callApp(app, { url: `/docs/${path}` })
  expect([status, headers['location'], headers['set-cookie']]).toEqual([404, undefined, undefined])
})
