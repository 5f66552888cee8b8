/** @module-tag timed */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import type { FastifyInstance } from 'fastify'
import { expect, test } from 'vitest'
import { startTestApi } from '../testing/test-api.ts'

/** With the method, the version and a few headers this fits into the 16 KiB that the server reads. */
const PATH_UNITS = 15_000
const CPU_MS_MAX = 20
const RUNS = 5

/** Runs of characters that a pattern could read more than once, with an end that does not match. */
const FILLS = ['/', '/a', '.', './', '%2f', '%E2%98%83', '%00', '%20', '-', 'a', 'ab/', '@', '+', ':', '~']
const ENDS = ['', 'a', 'a/', '.']

const folder = makeFolder('probity-pages')
whenDone(() => removeFolder(folder))
mkdirSync(join(folder, 'assets'))
for (const file of ['index.html', '404.html', 'form.js', 'mark.svg']) writeFileSync(join(folder, file), file)

const urls = new Set<string>()
const collect = (message: unknown) => {
  const { fastify } = message as { fastify: FastifyInstance }
  fastify.addHook('onRoute', ({ method, url }) => {
    if ([method].flat().includes('GET')) urls.add(url)
  })
}
subscribe('fastify.initialization', collect)
const { app } = await startTestApi({ config: { webFolder: folder, docsFolder: folder } })
await app.ready()
unsubscribe('fastify.initialization', collect)

/** The path of a route with a long text in place of its last parameter or wildcard, or after a fixed path. */
function longPath(url: string, fill: string, end: string): string {
  const [, head = ''] = /^(.*?)(?::\w+|\*)?$/.exec(url.replaceAll(/:\w+(?=\/)/g, 'x')) ?? []
  const room = PATH_UNITS - head.length - end.length
  return head + fill.repeat(Math.floor(room / fill.length)) + end
}

let clients = 0

/** From another network each time, so that no rate limit answers in place of the route. */
async function measureCpuMs(url: string): Promise<number> {
  const n = clients++
  const remoteAddress = `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`
  const before = process.cpuUsage()
  const { statusCode } = await app.inject({ url, remoteAddress })
  const { user, system } = process.cpuUsage(before)
  expect(statusCode, url.slice(0, 60)).toBeLessThan(500)
  return (user + system) / 1_000
}

test('the routes include the pages', () => {
  expect([...urls]).toEqual(expect.arrayContaining(['/docs/*', '/app/*', '/app/assets/*', '/livez', '/llms.txt']))
})

test('no GET route takes more than 20 ms of CPU for a path of 15,000 characters', async () => {
  const slow: string[] = []
  for (const url of urls) {
    for (const fill of FILLS) {
      for (const end of ENDS) {
        const path = longPath(url, fill, end)
        let lowest = Number.POSITIVE_INFINITY
        for (let run = 0; run < RUNS && lowest > CPU_MS_MAX / 2; run++) {
          lowest = Math.min(lowest, await measureCpuMs(path))
        }
        if (lowest > CPU_MS_MAX) slow.push(`${lowest.toFixed(1)} ms: ${url} with ${fill} and ${end}`)
      }
    }
  }
  expect(slow).toEqual([])
})
