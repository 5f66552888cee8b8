import { mkdir, stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { buildDocs, buildWeb } from '@probity/admin/build'
import { startPostgres } from '@probity/lab/services/postgres'
import { startRedis } from '@probity/lab/services/redis'
import { type BrowserContext, chromium } from 'playwright-core'
import { furnish } from './furnish.ts'
import { startDemo } from './product.ts'
import { SHOTS, type Shot } from './shots.ts'

/** Creates the images of docs/screenshots: the service with the lab's simulation. */
const FOLDER = fileURLToPath(new URL('../docs/screenshots/', import.meta.url))
const SIZES = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } }
const BYTES_MAX = 220_000
/** Large enough for a list that is in progress until all its screenshots are taken. */
const WORLD = { seed: 1, domains: 300, addresses: 25_000 }

const write = (line: string) => void process.stdout.write(`${line}\n`)
await Promise.all([buildWeb({}, write), buildDocs({}, write)])
const [postgres, redis] = await Promise.all([startPostgres(), startRedis()])
const demo = await startDemo({ databaseUrl: postgres.url, redisUrl: redis.url }, { port: 0, size: WORLD, write })
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium-headless-shell',
  args: ['--no-sandbox', '--disable-gpu'],
})
try {
  await mkdir(FOLDER, { recursive: true })
  const options = { baseURL: demo.url, locale: 'en-GB', timezoneId: 'UTC' }
  const [signedIn, anonymous] = [await browser.newContext(options), await browser.newContext(options)]
  const places = await furnish(demo, signedIn)
  for (const shot of SHOTS) await takeAll(shot.signedOut ? anonymous : signedIn, shot, shot.path(places))
} finally {
  await browser.close()
  await demo.stop()
  await Promise.all([postgres.stop(), redis.stop()])
}

async function takeAll(context: BrowserContext, shot: Shot, path: string): Promise<void> {
  for (const size of ['desktop', 'phone'] as const) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const name = `${shot.name}-${size}-${colorScheme}.png`
      const page = await context.newPage()
      await page.setViewportSize(SIZES[size])
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.goto(path)
      await page.locator('h1').waitFor()
      await page.locator('.skeleton, [aria-busy="true"]').first().waitFor({ state: 'detached' })
      await shot.prepare?.(page, demo)
      await page.screenshot({ path: `${FOLDER}${name}`, caret: 'hide' })
      await page.close()
      const { size: bytes } = await stat(`${FOLDER}${name}`)
      write(`${name} ${bytes} bytes`)
      if (bytes > BYTES_MAX) throw new Error(`${name} is larger than ${BYTES_MAX} bytes`)
    }
  }
}
