import { randomInt } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { openBrowser, PASSWORD, type SignedIn, signUp, startUsersApi } from '../../testing/test-browser.ts'
import { limitUser } from './user-limits.ts'

const api = await startUsersApi()

/** A /64 that no other test and no earlier run uses. */
const ipv6Prefix = () => `2001:db8:${randomInt(0xffff).toString(16)}:${randomInt(0xffff).toString(16)}`
const block = randomInt(256)
const prefix48 = `2001:db8:${randomInt(0xffff).toString(16)}`
const newNetwork = () => openBrowser(api.app).ip

/** Counts an attempt without checking a password, which takes long on a busy machine, and returns whether it was allowed. */
async function attempt(ip: string, email?: string, cookies = new Map<string, string>()): Promise<boolean> {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const request = { ip, headers: { ...(cookie && { cookie }) } } as FastifyRequest
  return limitUser(api.services, request, 'password', email).then(
    () => true,
    (error: unknown) => {
      expect(error).toMatchObject({ code: 'rate_limited' })
      return false
    },
  )
}

const signIn = ({ email }: Pick<SignedIn, 'email'>, remoteAddress: string, browser = openBrowser(api.app)) =>
  browser.call({
    method: 'POST',
    url: '/app/api/auth/sign-in/email',
    payload: { email, password: PASSWORD },
    remoteAddress,
  })

test('the addresses of an IPv6 /64 share one sign-in limit', async () => {
  const ada = await signUp(api)
  const prefix = ipv6Prefix()
  const allowed: boolean[] = []
  for (let n = 1; n <= 40; n++) allowed.push(await attempt(`${prefix}::${n.toString(16)}`, `user${n}@example.com`))
  expect(allowed[0]).toBe(true)
  expect(allowed).toContain(false)
  expect((await signIn(ada, `${prefix}:1:2:3:4`)).status).toBe(429)
  expect((await signIn(ada, `${ipv6Prefix()}::1`)).status).toBe(200)
})

test.each([
  ['IPv4 /24', (n: number) => `198.18.${block}.${n}`, (n: number) => `198.19.${block}.${n}`],
  ['IPv6 /48', (n: number) => `${prefix48}:${n.toString(16)}::1`, () => `${ipv6Prefix()}::1`],
])('the networks of an %s share one sign-in limit of 200 a minute', async (_wide, within, outside) => {
  const allowed: boolean[] = []
  for (let n = 1; n <= 250; n++) allowed.push(await attempt(within(n), `user${n}@example.com`))
  const refused = allowed.indexOf(false)
  expect(refused).toBeGreaterThanOrEqual(200)
  // The limit refills while the requests are counted.
  expect(refused).toBeLessThan(240)
  expect(await attempt(outside(1), 'other@example.com')).toBe(true)
})

test('attempts from many networks leave each network one attempt, and the user can sign in from any other', async () => {
  const ada = await signUp(api)
  const networks = Array.from({ length: 80 }, newNetwork)
  for (const network of networks) expect(await attempt(network, ada.email)).toBe(true)
  // The limit for the address is used up. Networks that have had an attempt wait for a minute.
  for (const network of networks.slice(-5)) expect(await attempt(network, ada.email)).toBe(false)
  expect((await signIn(ada, newNetwork())).status).toBe(200)
})

test('a browser that the user has signed in with is not limited by others in the same network', async () => {
  const ada = await signUp(api)
  const allowed: boolean[] = []
  for (let n = 0; n < 40; n++) allowed.push(await attempt(ada.ip, ada.email))
  expect(allowed).toContain(false)
  expect((await signIn(ada, ada.ip)).status).toBe(429)
  expect((await signIn(ada, ada.ip, ada)).status).toBe(200)
})

test('the device cookie of a user is of no use for another address, and has a limit too', async () => {
  const [ada, eve] = [await signUp(api), await signUp(api)]
  for (const { email } of [ada, eve]) {
    const allowed: boolean[] = []
    for (let n = 0; n < 20; n++) allowed.push(await attempt(eve.ip, email, eve.cookies))
    expect(allowed).toContain(false)
  }
})
