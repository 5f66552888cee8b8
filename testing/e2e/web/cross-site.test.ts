import { createServer } from 'node:http'
import { freePort } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import type { Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { startBrowser } from '../browser/browser.ts'
import { signUpUser, type TestUser } from '../browser/users.ts'
import { useSharedInstance } from '../environment/shared-instance.ts'

/** A page of another site, open in the browser of a signed-in user. The browser and the service reject its requests. */
const instance = await useSharedInstance()
const browser = await startBrowser()
const person = await signUpUser(browser, instance)
const app = instance.api.url

const elsewhere = await startElsewhere()
/** Another port is another origin but the same site, so cookies are sent; another name is another site. */
const ORIGINS = {
  'another port': `http://127.0.0.1:${elsewhere}`,
  'another site': `http://localhost:${elsewhere}`,
}

async function startElsewhere(): Promise<number> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end('<!doctype html><title>elsewhere</title><h1>elsewhere</h1>')
  })
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  whenDone(() => server.close())
  return port
}

/** The goals of an attacker: create a key, create an account, end the session, change the name. */
async function look({ sendRequest }: TestUser) {
  const [session, keys] = [await sendRequest('GET', '/session'), await sendRequest('GET', '/keys')]
  expect([session.status, keys.status]).toEqual([200, 200])
  return { session: session.body, keys: keys.text }
}

const TARGETS = [
  ['/app/api/keys', { name: 'stolen', livemode: true, scopes: ['validations:write'] }],
  ['/app/api/accounts', { name: 'stolen' }],
  ['/app/api/auth/update-user', { name: 'stolen' }],
  ['/app/api/auth/sign-out', {}],
  ['/app/api/setup', { token: 'x', name: 'x', email: 'x@example.com', password: 'x', organisation: 'x' }],
] as const

const FORMS = ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain']

/** The same session in a window without extra headers: an additional header would cause a CORS preflight request. */
const plain = await browser.newContext({ storageState: await person.context.storageState() })

async function openElsewhere(origin: string): Promise<Page> {
  const page = await plain.newPage()
  whenDone(() => page.close())
  await page.goto(origin)
  return page
}

/** Submits a form as any page can. A text/plain form can send JSON: its name and value are the two ends of it. */
async function submitForm(page: Page, path: string, fields: object, enctype: string): Promise<void> {
  await page.evaluate(
    ({ action, fields, enctype }) => {
      const form = document.createElement('form')
      Object.assign(form, { action, method: 'post', enctype })
      const json = JSON.stringify({ ...fields, padding: '' })
      const pairs = enctype === 'text/plain' ? [[json.slice(0, -2), json.slice(-2)]] : Object.entries(fields)
      for (const [name, value] of pairs) {
        const input = document.createElement('input')
        Object.assign(input, { name, value: String(value) })
        form.append(input)
      }
      document.body.append(form)
      form.submit()
    },
    { action: `${app}${path}`, fields, enctype },
  )
  await page.waitForURL(`${app}${path}`)
}

/** Response statuses of the requests other than GET, read from the log after the given length. */
function listAnswers(since: number): number[] {
  const lines = instance.api
    .readLog()
    .slice(since)
    .split('\n')
    .filter((line) => line.includes('"route":"/app/api/'))
  const answered = lines.map((line) => JSON.parse(line) as { method: string; status: number })
  return answered.filter(({ method }) => method !== 'GET').map(({ status }) => status)
}

test.each(Object.entries(ORIGINS))('no form of %s changes data', async (_what, origin) => {
  const before = await look(person)
  const since = instance.api.readLog().length
  const page = await openElsewhere(origin)
  for (const [path, fields] of TARGETS) {
    for (const enctype of FORMS) {
      await submitForm(page, path, fields, enctype)
      expect(await page.textContent('body')).toContain('cross_site_request')
      await page.goto(origin)
    }
  }
  expect(listAnswers(since)).toEqual(Array(TARGETS.length * FORMS.length).fill(403))
  expect(await look(person)).toEqual(before)
})

type Call = Pick<RequestInit, 'method' | 'mode' | 'credentials'> & { body?: string; headers?: Record<string, string> }

/** Sends a request as a script of that page, and returns whether the script could read the response. */
function canRead(page: Page, path: string, init: Call): Promise<boolean> {
  return page.evaluate(
    async ({ url, init }) => {
      try {
        return (await fetch(url, init)).type !== 'opaque'
      } catch {
        return false
      }
    },
    { url: `${app}${path}`, init },
  )
}

test.each(Object.entries(ORIGINS))('no script of %s changes data or reads a response', async (_what, origin) => {
  const before = await look(person)
  const since = instance.api.readLog().length
  const page = await openElsewhere(origin)
  const read: string[] = []
  const call = async (path: string, init: Call) => (await canRead(page, path, init)) && read.push(path)
  for (const [path, fields] of TARGETS) {
    const post = { method: 'POST', body: JSON.stringify(fields), credentials: 'include' } as const
    const text = { 'content-type': 'text/plain' }
    const ours = { 'content-type': 'application/json', 'probity-app': '1', 'probity-account': person.accountId }
    await call(path, { ...post, mode: 'no-cors', headers: text })
    await call(path, { ...post, headers: text })
    await call(path, { ...post, headers: ours }) // the browser sends a preflight request first, and never the request
    await call(path, { ...post, headers: ours, method: 'DELETE' })
  }
  for (const path of ['/app/api/session', '/app/api/keys', '/app/api/account', '/app/api/bulk/jobs']) {
    await call(path, { credentials: 'include' })
  }
  expect(read).toEqual([])
  expect(listAnswers(since)).toEqual(Array(TARGETS.length * 2).fill(403))
  expect(await look(person)).toEqual(before)
})

test('a beacon and an image change no data', async () => {
  const before = await look(person)
  const page = await openElsewhere(ORIGINS['another port'])
  await page.evaluate(
    async ({ app, targets }) => {
      const tries = targets.map(([path, fields]) => {
        navigator.sendBeacon(`${app}${path}`, JSON.stringify(fields))
        return new Promise((resolve) => {
          const image = new Image()
          image.onload = image.onerror = resolve
          image.src = `${app}${path}?${new URLSearchParams(fields as unknown as Record<string, string>)}`
        })
      })
      await Promise.all(tries)
    },
    { app, targets: TARGETS as unknown as [string, object][] },
  )
  expect(await look(person)).toEqual(before)
})

test.each(Object.entries(ORIGINS))('%s cannot show the application in a frame', async (_what, origin) => {
  const page = await openElsewhere(origin)
  for (const path of ['/app/', '/app/sign-in', '/docs/api']) {
    await page.evaluate(
      (src) =>
        new Promise((resolve) => {
          const frame = document.createElement('iframe')
          frame.onload = resolve
          frame.src = src
          document.body.replaceChildren(frame)
        }),
      `${app}${path}`,
    )
    await vi.waitFor(() => {
      const inside = page.frames().filter((one) => one !== page.mainFrame())
      expect([path, inside.map((one) => one.url())]).toEqual([path, ['chrome-error://chromewebdata/']])
    })
  }
})

test('cookies are not accessible to scripts and other sites', async () => {
  const cookies = await person.context.cookies(app)
  expect(cookies.length).toBeGreaterThan(0)
  for (const { name, httpOnly, sameSite, path, domain } of cookies) {
    expect({ name, httpOnly, sameSite, path, domain }).toEqual({
      name,
      httpOnly: true,
      sameSite: expect.stringMatching(/^(Lax|Strict)$/),
      path: '/',
      domain: '127.0.0.1',
    })
  }
  const page = await person.context.newPage()
  whenDone(() => page.close())
  await page.goto(`${app}/app/quick-start`)
  expect(await page.evaluate(() => document.cookie)).toBe('')
})

test('a session is not accepted as a key, and a key not as a session', async () => {
  const made = await person.sendRequest('POST', '/keys', { name: 'mine', livemode: true, scopes: ['account:read'] })
  const key = String(made.body['key'] ?? made.body['secret'])
  const [cookie] = (await person.context.cookies(app)).map(({ name, value }) => `${name}=${value}`)
  const bySession = await fetch(`${app}/api/v1/account`, { headers: { cookie: String(cookie) } })
  const byKey = await fetch(`${app}/app/api/account`, {
    headers: { 'x-api-key': key, 'probity-account': person.accountId },
  })
  expect([bySession.status, byKey.status]).toEqual([401, 401])
})
