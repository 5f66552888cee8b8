import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { buildDocs, buildWeb } from '@probity/admin/build'
import { startPostgres } from '@probity/lab/services/postgres'
import { startRedis } from '@probity/lab/services/redis'
import { type BrowserContext, chromium } from 'playwright-core'
import { type Demo, startDemo } from './product.ts'
import { seedAccount } from './seed/seed.ts'

/** Creates the screenshots that pages of the repository show, from the demo data of `pnpm dev --seed`, and removes all others. */
const FOLDER = join(import.meta.dirname, '../docs/screenshots')
const SIZE = { width: 1440, height: 900 }
const BYTES_MAX = 220_000

type Shot = {
  name: string
  /** The list whose page is shown. */
  filename: string
}

const SHOTS: Shot[] = [{ name: 'list-finished-desktop', filename: 'customers.csv' }]

const write = (line: string) => void process.stdout.write(`${line}\n`)
await Promise.all([buildWeb({}, write), buildDocs({}, write)])
const [postgres, redis] = await Promise.all([startPostgres(), startRedis()])
const place = { databaseUrl: postgres.url, redisUrl: redis.url }
const demo = await startDemo(place, { port: 0, seed: seedAccount, write })
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium-headless-shell',
  args: ['--no-sandbox', '--disable-gpu'],
})
try {
  await mkdir(FOLDER, { recursive: true })
  const context = await browser.newContext({ baseURL: demo.url, locale: 'en-US', timezoneId: 'UTC', viewport: SIZE })
  const jobs = await signIn(context, demo)
  const taken: string[] = []
  for (const shot of SHOTS) taken.push(...(await takeBoth(context, shot, `/app/lists/${idOf(jobs, shot.filename)}`)))
  for (const name of await readdir(FOLDER)) if (!taken.includes(name)) await rm(join(FOLDER, name))
} finally {
  await browser.close()
  await demo.stop()
  await Promise.all([postgres.stop(), redis.stop()])
}

type Job = { id: string; filename: string }

/** Signs in as the user of the demo and lists the jobs of its account. */
async function signIn(context: BrowserContext, { url, user }: Demo): Promise<Job[]> {
  const headers = { origin: url, 'probity-app': '1' }
  await context.request.post('/app/api/auth/sign-in/email', { headers, data: user, failOnStatusCode: true })
  const session = await context.request.get('/app/api/session', { headers, failOnStatusCode: true })
  const { memberships } = (await session.json()) as { memberships: { account_id: string }[] }
  const jobs = await context.request.get('/app/api/bulk/jobs', {
    headers: { ...headers, 'probity-account': String(memberships[0]?.account_id) },
    failOnStatusCode: true,
  })
  return (await jobs.json()) as Job[]
}

function idOf(jobs: Job[], filename: string): string {
  const job = jobs.find((one) => one.filename === filename)
  if (job === undefined) throw new Error(`the demo data has no list ${filename}`)
  return job.id
}

async function takeBoth(context: BrowserContext, { name }: Shot, path: string): Promise<string[]> {
  const page = await context.newPage()
  const taken: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    const file = `${name}-${colorScheme}.png`
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.goto(path)
    await page.locator('h1').waitFor()
    await page.locator('.skeleton, [aria-busy="true"]').first().waitFor({ state: 'detached' })
    await page.screenshot({ path: join(FOLDER, file), caret: 'hide' })
    const { size: bytes } = await stat(join(FOLDER, file))
    write(`${file} ${bytes} bytes`)
    if (bytes > BYTES_MAX) throw new Error(`${file} is larger than ${BYTES_MAX} bytes`)
    taken.push(file)
  }
  await page.close()
  return taken
}
