import { randomInt, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Role } from '@probity/contract/constants/users'
import { asOwner } from '@probity/database/connection/connect'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { sql } from 'kysely'
import { expect, vi } from 'vitest'
import { callApp, startTestApi, type TestApi, type TestResponse } from './test-api.ts'

export const PASSWORD = 'correct horse battery staple'

/** A browser with the web application open: it stores cookies and sends the headers of our pages. */
export type Browser = {
  /** An IP address of its own, so that tests do not use up each other's limits. */
  ip: string
  cookies: Map<string, string>
  call(request: InjectOptions): Promise<TestResponse>
  post(url: string, payload?: object, headers?: Record<string, string>): Promise<TestResponse>
  get(url: string, headers?: Record<string, string>): Promise<TestResponse>
}

/** The API with Redis connected: without Redis a process counts limits locally and more strictly. */
export async function startUsersApi(options: Parameters<typeof startTestApi>[0] = {}): Promise<TestApi> {
  const api = await startTestApi(options)
  await vi.waitFor(() => api.services.redis.ping(), 10_000)
  return api
}

export function openBrowser(app: FastifyInstance): Browser {
  const ip = `10.${[1, 2, 3].map(() => randomInt(256)).join('.')}`
  const cookies = new Map<string, string>()

  async function call(request: InjectOptions): Promise<TestResponse> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const ours = { 'sec-fetch-site': 'same-origin', 'probity-app': '1', ...(cookie && { cookie }) }
    const answer = await callApp(app, { remoteAddress: ip, ...request, headers: { ...ours, ...request.headers } })
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) keep(cookies, line)
    return answer
  }

  return {
    ip,
    cookies,
    call,
    post: (url, payload = {}, headers = {}) => call({ method: 'POST', url: `/app/api${url}`, payload, headers }),
    get: (url, headers = {}) => call({ method: 'GET', url: `/app/api${url}`, headers }),
  }
}

function keep(cookies: Map<string, string>, line: string): void {
  const [pair = ''] = line.split(';')
  const at = pair.indexOf('=')
  if (/max-age=0/i.test(line)) cookies.delete(pair.slice(0, at))
  else cookies.set(pair.slice(0, at), pair.slice(at + 1))
}

export type SignedIn = Browser & { email: string; personId: string }

/** A user who has signed up, confirmed the address and is signed in. */
export async function signUp(api: TestApi, email = `ada-${randomUUID()}@example.com`): Promise<SignedIn> {
  const browser = openBrowser(api.app)
  const before = listLinks(api, 'verification').length
  expect((await browser.post('/auth/sign-up/email', { name: 'Ada', email, password: PASSWORD })).status).toBe(200)
  const token = await nextToken(api, 'verification', before)
  const signedIn = await browser.post('/verify-email', { token, password: PASSWORD })
  expect([signedIn.status, signedIn.text]).toEqual([200, expect.stringContaining(email)])
  const { body } = await browser.get('/session')
  return { ...browser, email, personId: (body['person'] as { id: string }).id }
}

/** Creates an account for the user, and returns the header that selects it. */
export async function openNewAccount(owner: SignedIn, name = 'Engines'): Promise<{ 'probity-account': string }> {
  const { status, body } = await owner.post('/accounts', { name })
  expect(status).toBe(201)
  return { 'probity-account': String(body['account_id']) }
}

/** Adds a member without an invitation. */
export async function addMember({ db }: TestApi, accountId: string, { personId }: SignedIn, role: Role): Promise<void> {
  await asOwner(db, (trx) =>
    sql`insert into members (account_id, user_id, role) values (${accountId}, ${personId}, ${role})`.execute(trx),
  )
}

/** Links in emails of one kind. Without an SMTP relay they are in the log. */
export function listLinks({ logFile }: Pick<TestApi, 'logFile'>, kind: string): string[] {
  const lines = readFileSync(logFile, 'utf8').split('\n').slice(0, -1)
  const logged = lines.map((line) => JSON.parse(line) as { kind?: string; link?: string })
  return logged.flatMap((line) => (line.kind === kind && line.link ? [line.link] : []))
}

/** The part after the `=` of the next link: the token or the id. */
export async function nextToken(api: TestApi, kind: string, before: number): Promise<string> {
  const link = await vi.waitFor(() => {
    const found = listLinks(api, kind).at(before)
    expect(found).toBeDefined()
    return found as string
  })
  return link.slice(link.indexOf('=') + 1)
}
