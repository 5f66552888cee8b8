import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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

test('no file outside the folder is served', async () => {
  const { app } = await startWithDocs()
  for (const path of ['..%2fpackage.json', '%2e%2e/%2e%2e/package.json', '..%5cpackage.json', 'x%00.md', '.hidden']) {
    expect((await callApp(app, { url: `/docs/${path}` })).status, path).toBe(404)
  }
})
