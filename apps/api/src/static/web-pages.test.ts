import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { expect, test } from 'vitest'
import { callApp, startTestApi } from '../testing/test-api.ts'

const webFolder = makeFolder('probity-web')
whenDone(() => removeFolder(webFolder))
mkdirSync(join(webFolder, 'assets/fonts'), { recursive: true })
for (const name of ['index.html', 'assets/main.js', 'assets/fonts/sans.woff2']) {
  writeFileSync(join(webFolder, name), name)
}
const { app } = await startTestApi({ config: { webFolder } })

test.each(['main.js', 'fonts/sans.woff2'])('the asset %s is kept by browsers', async (name) => {
  const { status, text, headers } = await callApp(app, { url: `/app/assets/${name}` })
  expect([status, text]).toEqual([200, `assets/${name}`])
  expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
})

test.each([
  '',
  'missing.js',
  'fonts',
  'fonts/',
  'fonts//sans.woff2',
  '..%2findex.html',
  '..%5cindex.html',
  'a%00',
  'a%0d%0ab',
  'x'.repeat(5_000),
])('the asset path "%s" is 404', async (path) => {
  const { status, headers } = await callApp(app, { url: `/app/assets/${path}` })
  expect([status, headers['content-type']]).toEqual([404, 'application/problem+json'])
})

test.each(['/app', '/app/', '/app/reports', '/app/assets/main.js', '/app/api/session'])(
  'search engines do not index %s',
  async (url) => {
    expect((await callApp(app, { url })).headers['x-robots-tag']).toBe('noindex')
  },
)

test.each(['/livez', '/docs', '/api/v1/openapi.json'])('search engines may index %s', async (url) => {
  expect((await callApp(app, { url })).headers['x-robots-tag']).toBeUndefined()
})
