import { once } from 'node:events'
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PUBLIC_SANDBOX_KEY } from '@probity/contract/sandbox'
import { freePort } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { expect, test, vi } from 'vitest'
import { borrowProduct } from './test-borrowed.ts'
import { openHome } from './test-cli.ts'
import { openCustomer } from './test-product.ts'

/** Keys, credits, settings and the doctor, against the running service. */
const product = await borrowProduct()
const { api } = product
const customer = await openCustomer(product, { credits: 1_234 })
const live = openHome({ PROBITY_BASE_URL: api.url, PROBITY_API_KEY: customer.key })

test('shows what the account has', async () => {
  expect((await live.run(['credits'])).stdout).toBe('available  1,234\nreserved   0\nused       0\nplan       scale\n')
  const { stdout } = await live.run(['credits', '-o', 'json'])
  expect(JSON.parse(stdout)).toMatchObject({ available: 1_234, reserved: 0, used: 0, unlimited: false })
  const narrow = await openCustomer(product, { key: { scopes: ['validations:write'] } })
  const refused = await live.run(['credits'], { env: { PROBITY_API_KEY: narrow.key } })
  expect(refused.code).toBe(3)
  expect(refused.stderr).toMatch(/code missing_scope, req_/)
})

test('lists requests and goes on with new ones as they come', async () => {
  const someone = await openCustomer(product, { key: { mode: 'test' } })
  const env = { PROBITY_API_KEY: someone.key }
  const { headers } = await someone.call('POST', '/validation/single', { email: 'mailbox-full@example.com' })
  await someone.call('POST', '/validation/single', { email: 7 })
  await vi.waitFor(
    async () => expect((await live.run(['requests', '-o', 'jsonl'], { env })).stdout).toContain('"code"'),
    20_000,
  )
  const { stdout } = await live.run(['requests', '--class', 'client_error'], { env })
  expect(stdout).toMatch(
    /^when \(UTC\) .*\n\S+ \S+ +400 invalid_request +POST \/api\/v1\/validation\/single +\d+ ms +req_\S+\n$/,
  )
  expect((await live.run(['requests', '--class', 'success'], { env })).stdout).toContain(
    String(headers.get('request-id')),
  )

  const following = live.start(['requests', '--follow', '--code', 'not_found', '-o', 'jsonl'], env)
  await someone.call('GET', '/bulk/jobs/00000000-0000-4000-8000-000000000000')
  await vi.waitFor(() => expect(following.ran.stdout).toContain('"code":"not_found"'), 20_000)
  following.kill('SIGINT')
  const [code] = await once(following, 'close')
  expect(code).toBe(130)
  expect(following.ran.stdout.trim().split('\n')).toHaveLength(1)
})

test('makes a key that is shown once, lists it by its hint, and ends it when that was agreed to', async () => {
  const args = [
    'keys',
    'create',
    '--name',
    'Form',
    '--mode',
    'test',
    '--scopes',
    'validations:write',
    '--monthly-cap',
    '50',
  ]
  const made = await live.run(args)
  expect(made.stdout).toMatch(/^pb_test_[0-9A-Za-z]{38}\n$/)
  const key = made.stdout.trim()
  expect(made.stderr).not.toContain(key)
  expect((await live.run(['validate', 'valid@example.com'], { env: { PROBITY_API_KEY: key } })).code).toBe(0)

  const listed = JSON.parse((await live.run(['keys', 'ls', '-o', 'json'])).stdout)
  expect(listed[0]).toMatchObject({
    name: 'Form',
    livemode: false,
    scopes: ['validations:read', 'validations:write'],
    monthly_cap: 50,
  })
  const { id } = listed[0]
  expect((await live.run(['keys', 'ls'])).stdout).toMatch(
    new RegExp(`${id} +pb_test_…${key.slice(-4)} +active +validations:read,validations:write `),
  )

  const refused = await live.run(['keys', 'revoke', id])
  expect(refused.code).toBe(7)
  expect(refused.stderr).toContain('nobody is here to ask: add --yes.')
  expect((await live.run(['keys', 'revoke', id, '--yes'])).stdout).toContain('revoked')
  expect((await live.run(['validate', 'valid@example.com'], { env: { PROBITY_API_KEY: key } })).code).toBe(3)
  expect((await live.run(['keys', 'create', '--name', 'x', '--scopes', 'nonsense'])).code).toBe(4)
})

test('a key that was kept by login is used, is in a file for its owner alone, and is gone after logout', async () => {
  const home = openHome({ PROBITY_BASE_URL: undefined })
  const file = home.path('.config/probity/config.json')
  const kept = await home.run(['login', '--base-url', api.url], { stdin: `${customer.key}\n` })
  expect([kept.code, kept.stdout]).toEqual([0, ''])
  expect(kept.stderr).toContain('the plan is scale')
  expect(kept.stderr).not.toContain(customer.key)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ api_key: customer.key, base_url: api.url })
  expect((await home.run(['credits'])).code).toBe(0)

  chmodSync(file, 0o644)
  const open = await home.run(['credits'])
  expect([open.code, open.stderr]).toEqual([3, expect.stringContaining(`next:  chmod 600 ${file}`)])
  expect((await home.run(['logout'])).code).toBe(0)
  expect(existsSync(file)).toBe(false)
  expect((await home.run(['credits'])).code).toBe(3)
})

test('a key that does not work is not kept', async () => {
  const home = openHome({ PROBITY_BASE_URL: api.url })
  const unknown = 'pb_test_PublicSandboxPublicSandboxPublic2NO9Jy'
  for (const stdin of ['nonsense', unknown, '', 'x'.repeat(100_000)]) {
    expect((await home.run(['login'], { stdin })).code).toBe(3)
  }
  const { key } = await openCustomer(product, { key: { expiresAt: new Date(Date.now() - 1_000) } })
  expect((await home.run(['login'], { stdin: key })).code).toBe(3)
  expect(existsSync(home.path('.config/probity'))).toBe(false)
})

test('a flag goes before the environment, and that before what was kept', async () => {
  const home = openHome()
  await home.run(['login', '--base-url', 'http://127.0.0.1:1', '--no-verify'], { stdin: PUBLIC_SANDBOX_KEY })
  expect((await home.run(['credits'])).code).toBe(6)
  const byEnvironment = { PROBITY_BASE_URL: api.url, PROBITY_API_KEY: customer.key }
  expect((await home.run(['credits'], { env: byEnvironment })).code).toBe(0)
  const flag = ['credits', '--base-url', api.url]
  expect((await home.run(flag, { env: { ...byEnvironment, PROBITY_BASE_URL: 'http://127.0.0.1:1' } })).code).toBe(0)

  writeFileSync(home.path('key.txt'), `${customer.key}\n`)
  expect((await home.run(flag, { env: { PROBITY_API_KEY_FILE: 'key.txt' } })).code).toBe(0)
  const missing = await home.run(flag, { env: { PROBITY_API_KEY_FILE: 'none.txt' } })
  expect([missing.code, missing.stderr]).toEqual([3, expect.stringContaining('cannot be read (ENOENT)')])
})

test('the doctor finds all in order, and says what the key may do', async () => {
  const { code, stdout, stderr } = await live.run(['doctor'])
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^ +what +found\nfine +version +probity 0\.1\.0, Node 24\./)
  expect(stdout).toContain(`pb_live_…${customer.key.slice(-4)}, live mode, from PROBITY_API_KEY`)
  expect(stdout).toMatch(/fine +service +answers in \d+ ms\n/)
  expect(stdout).toMatch(/fine +clock +agrees with the service\n/)
  expect(stdout).toMatch(
    /plan scale, 1,234 credits\nfine +scopes +validations:read, validations:write, jobs:read, jobs:write, account:read, keys:read,/,
  )
  expect(stdout).not.toContain(customer.key)
})

test('the doctor names what is wrong, and ends with its code', async () => {
  const broken = await live.run(['doctor'], { env: { PROBITY_API_KEY: 'nonsense' } })
  expect([broken.code, broken.stdout]).toEqual([
    3,
    expect.stringMatching(/wrong +key +What is in PROBITY_API_KEY is not/),
  ])
  const noKey = await live.run(['doctor', '-o', 'json'], { env: { PROBITY_API_KEY: undefined } })
  expect(noKey.code).toBe(3)
  expect(JSON.parse(noKey.stdout)).toContainEqual({
    what: 'key',
    state: 'wrong',
    detail: 'there is none',
    exit_code: 3,
    next: 'probity login',
  })
  const url = `http://127.0.0.1:${await freePort()}`
  const away = await live.run(['doctor'], { env: { PROBITY_BASE_URL: url } })
  expect(away.code).toBe(6)
  expect(away.stdout).toContain('cannot be reached (ECONNREFUSED)')
  const proxied = await live.run(['doctor'], { env: { https_proxy: 'http://127.0.0.1:1' } })
  expect(proxied.stdout).toMatch(/note +proxy +HTTPS_PROXY: not used without NODE_USE_ENV_PROXY=1/)
  const { key } = await openCustomer(product, { key: { expiresAt: new Date(Date.now() - 1_000) } })
  const expired = await live.run(['doctor'], { env: { PROBITY_API_KEY: key } })
  expect(expired.code).toBe(3)
  expect(expired.stdout).toMatch(/wrong +account +the service refuses the key \(expired_api_key\)/)
})

test('the doctor sees by how much the clocks differ', async () => {
  const server = createServer((_request, response) => {
    response.setHeader('date', new Date(Date.now() - 3_600_000).toUTCString())
    response.end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  whenDone(() => {
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { code, stdout } = await live.run(['doctor'], { env: { PROBITY_BASE_URL: url } })
  expect(stdout).toMatch(/note +clock +3,(599|600|601) s ahead of the service\n/)
  expect(stdout).toContain('what answers there is not this service')
  expect(code).toBe(6)
})
