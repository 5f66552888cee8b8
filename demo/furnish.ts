import { setTimeout as sleep } from 'node:timers/promises'
import type { BrowserContext } from 'playwright-core'
import type { Demo } from './product.ts'

/** The ids of the demo data. */
export type Places = { finished: string; running: string }

/** The simulated addresses of each list. The first is shown in detail. */
const FINISHED = [
  { filename: 'customers-2026.csv', from: 0, count: 400 },
  { filename: 'trade-fair-contacts.csv', from: 400, count: 75 },
  { filename: 'webinar-guests.csv', from: 500, count: 180 },
]
const RUNNING = { filename: 'newsletter-autumn.csv', from: 1_000, count: 20_000 }
const DRAFT = { filename: 'members-export.csv', from: 700, count: 120 }
/** Servers that reject connections or delay replies, and thereby every job until its last row. */
const SLOW = new Set(['greylisting', 'temporary_for_ever', 'mx_silent', 'tarpit', 'sometimes_busy', 'greet_pause'])
/** The share of the running job that is complete before the screenshots. */
const SHARE_DONE = 0.1
const FINISHES_WITHIN_MS = 600_000

type Ask = (path: string, body?: object) => Promise<Record<string, unknown>>

/**
 * Signs in as the user of the demo, creates keys and webhooks and validates two lists: one is completed, one in
 * progress.
 */
export async function furnish(demo: Demo, context: BrowserContext): Promise<Places> {
  const ask = await signIn(demo, context)
  await makeKeys(demo, ask)
  for (const webhook of WEBHOOKS) await ask('/webhooks', webhook)
  const finished: string[] = []
  for (const list of FINISHED) finished.push(await startList(demo, context, ask, list))
  for (const id of finished) await reach(ask, id, Number.POSITIVE_INFINITY)
  await upload(demo, context, ask, DRAFT)
  const running = await startList(demo, context, ask, RUNNING)
  await reach(ask, running, RUNNING.count * SHARE_DONE)
  return { finished: String(finished[0]), running }
}

const KEYS = [
  ['Production, sign-up form', 'live'],
  ['Continuous integration', 'test'],
  ['Newsletter import', 'live'],
] as const

/** Creates the keys, of which the first two are used. */
async function makeKeys(demo: Demo, ask: Ask): Promise<void> {
  for (const [n, [name, mode]] of KEYS.entries()) {
    const { key } = await ask('/keys', { name, livemode: mode === 'live', scopes: ['validations:write', 'jobs:write'] })
    if (n > 1) continue
    const headers = { 'x-api-key': String(key), 'content-type': 'application/json' }
    const body = JSON.stringify({ email: 'valid@example.com' })
    const answer = await fetch(`${demo.url}/api/v1/validation/single`, { method: 'POST', headers, body })
    if (!answer.ok) throw new Error(`a key was answered with ${answer.status}`)
  }
}

/** Event types that do not occur during the screenshots: the demo's worker sends to its own receiver only. */
const WEBHOOKS = [
  { url: 'https://hooks.example.com/credits', description: 'Top up in time', events: ['credits.low'] },
  { url: 'https://hooks.example.com/trouble', description: 'On-call', events: ['job.failed', 'webhook.disabled'] },
]

async function signIn({ url, user }: Demo, context: BrowserContext): Promise<Ask> {
  let account = ''
  const ask: Ask = async (path, body) => {
    const answer = await context.request.fetch(`/app/api${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { origin: url, 'probity-app': '1', ...(account && { 'probity-account': account }) },
      ...(body && { data: body }),
    })
    if (!answer.ok()) throw new Error(`${path} was answered with ${answer.status()}: ${await answer.text()}`)
    return answer.json()
  }
  await ask('/auth/sign-in/email', user)
  const { memberships } = (await ask('/session')) as { memberships: { account_id: string }[] }
  account = String(memberships[0]?.account_id)
  return ask
}

type NewList = { filename: string; from: number; count: number }

async function startList(demo: Demo, context: BrowserContext, ask: Ask, list: NewList): Promise<string> {
  const upload_id = await upload(demo, context, ask, list)
  const { id } = await ask('/bulk/upload/confirm', { upload_id, email_column: 'email' })
  return String(id)
}

async function upload(demo: Demo, context: BrowserContext, ask: Ask, list: NewList): Promise<string> {
  const { filename, from, count } = list
  const prompt = demo.simulation.simulation.addresses.filter(({ behaviour }) => !SLOW.has(behaviour))
  const chosen = prompt.slice(from, from + count)
  const csv = `id,email\n${chosen.map(({ email }, n) => `${n + 1},"${email.replaceAll('"', '""')}"\n`).join('')}`
  const { memberships } = (await ask('/session')) as { memberships: { account_id: string }[] }
  const preview = await context.request.post('/app/api/bulk/upload/preview', {
    headers: { origin: demo.url, 'probity-app': '1', 'probity-account': String(memberships[0]?.account_id) },
    multipart: { file: { name: filename, mimeType: 'text/csv', buffer: Buffer.from(csv) } },
  })
  const { upload_id } = (await preview.json()) as { upload_id: string }
  return upload_id
}

/** Waits until this many rows of a list are complete, or all of them. */
async function reach(ask: Ask, id: string, rows: number): Promise<void> {
  const deadline = Date.now() + FINISHES_WITHIN_MS
  while (Date.now() < deadline) {
    const { status, done_count } = await ask(`/bulk/jobs/${id}`)
    if (status === 'completed' || Number(done_count) >= rows) return
    await sleep(500)
  }
  throw new Error(`list ${id} was not there in time`)
}
