import { randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { type Browser, openBrowser, PASSWORD, signUp, startPeopleApi } from './test-browser.ts'

const api = await startPeopleApi()

/** A prefix that no other test and no earlier run uses. */
const ipv6Prefix = () => `2001:db8:${randomInt(0xffff).toString(16)}:${randomInt(0xffff).toString(16)}`

const guess = (browser: Browser, email: string, remoteAddress = browser.ip) =>
  browser.call({
    method: 'POST',
    url: '/app/api/auth/sign-in/email',
    payload: { email, password: 'not the right password' },
    remoteAddress,
  })

test('the addresses of an IPv6 /64 share one sign-in limit', async () => {
  const prefix = ipv6Prefix()
  const statuses: number[] = []
  for (let n = 0; n < 30; n++) {
    const { status } = await guess(openBrowser(api.app), `user${n}@example.com`, `${prefix}::${(n + 1).toString(16)}`)
    statuses.push(status)
  }
  expect(statuses.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 401))
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(5)
})

test('attempts from many networks leave each network one attempt, and the user gets in from any other', async () => {
  const { email } = await signUp(api)
  const attackers = Array.from({ length: 40 }, () => openBrowser(api.app))
  for (const attacker of attackers) expect((await guess(attacker, email)).status).toBe(401)
  // The limit for the address is used up. Networks that have had an attempt wait for a minute.
  const again = await Promise.all(attackers.slice(-5).map((attacker) => guess(attacker, email)))
  expect(again.map(({ status }) => status)).toEqual([429, 429, 429, 429, 429])

  const user = openBrowser(api.app)
  expect((await user.post('/auth/sign-in/email', { email, password: PASSWORD })).status).toBe(200)
})

test('a browser that the user has signed in with is not held up by others in the same network', async () => {
  const ada = await signUp(api)
  const neighbor = openBrowser(api.app)
  let last = 401
  for (let n = 0; n < 30 && last !== 429; n++) last = (await guess(neighbor, ada.email, ada.ip)).status
  expect(last).toBe(429)

  const stranger = openBrowser(api.app)
  const credentials = { email: ada.email, password: PASSWORD }
  const request = { method: 'POST', url: '/app/api/auth/sign-in/email', payload: credentials } as const
  expect((await stranger.call({ ...request, remoteAddress: ada.ip })).status).toBe(429)
  expect((await ada.call(request)).status).toBe(200)
})

test('the device cookie of a user is of no use for another address, and has a limit too', async () => {
  const [ada, eve] = [await signUp(api), await signUp(api)]
  const statuses: number[] = []
  for (let n = 0; n < 9; n++) statuses.push((await guess(eve, ada.email)).status)
  expect(statuses.at(-1)).toBe(429)
  const own: number[] = []
  for (let n = 0; n < 9; n++) own.push((await guess(eve, eve.email)).status)
  expect(own.at(-1)).toBe(429)
})
