import { once } from 'node:events'
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PUBLIC_SANDBOX_KEY } from '@probity/contract/constants/sandbox'
import { freePort } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { expect, test, vi } from 'vitest'
import { createApiClient } from '../environment/instance.ts'
import { useSharedInstance } from '../environment/shared-instance.ts'
import { openHome } from './run-cli.ts'

/** Keys, webhooks, requests, usage, erasures, `api`, profiles and the doctor, against the running service. */
const instance = await useSharedInstance()
const { api } = instance
const apiClient = await createApiClient(instance, { credits: 1_234 })
const live = openHome({ PROBITY_BASE_URL: api.url, PROBITY_API_KEY: apiClient.key })

/** Runs a command with --json and parses its result. */
async function runJson(args: string[]) {
  const { code, stdout, stderr } = await live.run([...args, '--json'])
  expect([args, code, stderr]).toEqual([args, 0, expect.any(String)])
  return JSON.parse(stdout)
}

async function startServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  whenDone(() => {
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('usage prints the balance and the usage by day and by key', async () => {
  const payer = await createApiClient(instance, { credits: 1_234 })
  const env = { PROBITY_API_KEY: payer.key }
  expect((await live.run(['validate', 'ada@example,com'], { env })).code).toBe(0)
  const { stdout } = await live.run(['usage'], { env })
  expect(stdout).toMatch(/^available +1,233\nreserved +0\nused +1\nplan +scale\n\nday \(UTC\) +requests +credits used/)
  const usage = JSON.parse((await live.run(['usage', '--by', 'key', '--json'], { env })).stdout)
  expect(usage).toMatchObject({ plan: 'scale', credits: { available: 1_233 }, total: { credits_used: 1 } })
  expect(usage.keys).toHaveLength(1)
  const csv = await live.run(['usage', '--from', '2026-01-01', '--to', '2026-01-02', '--format', 'csv'], { env })
  expect(csv.stdout).toBe('occurred_on,requests,credits_used,credits_refunded\n2026-01-01,0,0,0\n2026-01-02,0,0,0\n')
  const narrow = await createApiClient(instance, { key: { scopes: ['validations:write'] } })
  const rejected = await live.run(['usage'], { env: { PROBITY_API_KEY: narrow.key } })
  expect([rejected.code, rejected.stderr]).toEqual([3, expect.stringMatching(/code missing_scope, req_/)])
})

test('requests lists, views and follows requests', async () => {
  const tester = await createApiClient(instance, { key: { mode: 'test' } })
  const env = { PROBITY_API_KEY: tester.key }
  const { headers } = await tester.call('POST', '/validation/single', { email: 'mailbox-full@example.com' })
  const id = String(headers.get('request-id'))
  await tester.call('POST', '/validation/single', { email: 7 })
  await vi.waitFor(
    async () => expect((await live.run(['requests', '--format', 'jsonl'], { env })).stdout).toContain('"code":"'),
    20_000,
  )
  const { stdout } = await live.run(['requests', '--class', 'client_error'], { env })
  expect(stdout).toMatch(
    /^time \(UTC\) .*\n\S+ \S+ +400 invalid_request +POST \/api\/v1\/validation\/single +\d+ ms +req_\S+\n$/,
  )
  expect((await live.run(['requests', 'list', '--class', 'success'], { env })).stdout).toContain(id)
  expect((await live.run(['requests', 'view', id], { env })).stdout).toMatch(/result +risky, mailbox_full\n/)
  expect(JSON.parse((await live.run(['requests', 'view', id, '--json'], { env })).stdout)).toMatchObject({ id })

  const following = live.start(['requests', '--follow', '--code', 'not_found', '--json'], env)
  await tester.call('GET', '/bulk/jobs/00000000-0000-4000-8000-000000000000')
  await vi.waitFor(() => expect(following.ran.stdout).toContain('"code": "not_found"'), 20_000)
  following.kill('SIGINT')
  expect(await once(following, 'close')).toEqual([130, null])
  expect(JSON.parse(following.ran.stdout)).toMatchObject([{ code: 'not_found' }])
})

test('keys are created, viewed, updated, paused, rotated and revoked', async () => {
  const options = ['--mode', 'test', '--scopes', 'validations:write', '--monthly-cap', '50']
  const created = await live.run(['keys', 'create', '--name', 'Form', ...options])
  expect(created.stdout).toMatch(/^pb_test_[0-9A-Za-z]{38}\n$/)
  const key = created.stdout.trim()
  expect(created.stderr).not.toContain(key)
  const validate = async () =>
    (await live.run(['validate', 'valid@example.com'], { env: { PROBITY_API_KEY: key } })).code
  expect(await validate()).toBe(0)

  const [first] = await runJson(['keys', 'list', '--limit', '1'])
  const scopes = ['validations:read', 'validations:write']
  expect(first).toMatchObject({ name: 'Form', livemode: false, scopes, monthly_cap: 50 })
  const { id } = first
  expect((await live.run(['keys', 'list'])).stdout).toMatch(
    new RegExp(`${id} +pb_test_…${key.slice(-4)} +active +validations:read,validations:write `),
  )
  expect((await live.run(['keys', 'view', id])).stdout).toMatch(/status +active\n[\s\S]*monthly cap +50\n/)
  const changes = ['--name', 'Sign-up', '--monthly-cap', 'none', '--expires', '2100-01-31']
  expect(await runJson(['keys', 'update', id, ...changes])).toMatchObject({ name: 'Sign-up', monthly_cap: null })
  expect((await live.run(['keys', 'update', id])).code).toBe(2)
  expect(await runJson(['keys', 'pause', id])).toMatchObject({ status: 'paused' })
  expect(await validate()).toBe(3)
  expect(await runJson(['keys', 'resume', id])).toMatchObject({ status: 'active' })

  const rotated = await runJson(['keys', 'rotate', id, '--overlap', '3600'])
  expect(rotated).toMatchObject({ name: 'Sign-up', replaces_key_id: id, key: expect.stringMatching(/^pb_test_/) })
  const declined = await live.run(['keys', 'revoke', id])
  expect([declined.code, declined.stderr]).toEqual([9, expect.stringContaining('Confirmation required: pass --yes.')])
  expect(await validate()).toBe(0)
  expect((await live.run(['keys', 'revoke', id, '--yes'])).stdout).toMatch(/status +revoked\n/)
  expect(await validate()).toBe(3)
  expect((await live.run(['keys', 'create', '--name', 'x', '--scopes', 'nonsense'])).code).toBe(4)
})

test('webhooks are created, updated, tested, resent, rotated and deleted', async () => {
  const none = await live.run(['webhooks', 'test'])
  expect([none.code, none.stderr]).toEqual([4, expect.stringContaining('has no webhook')])

  const created = await live.run(['webhooks', 'create', 'https://hooks.example.com/p', '--events', 'job.completed'])
  expect(created.stdout).toMatch(/^whsec_\S+\n$/)
  const [{ id }] = await runJson(['webhooks', 'list'])
  expect((await live.run(['webhooks', 'list'])).stdout).toMatch(
    new RegExp(`^id .*\\n${id}  (enabled|failing) +job.completed  https://hooks.example.com/p\\n$`),
  )
  const sent = await runJson(['webhooks', 'test'])
  expect(sent).toMatchObject({ webhook_id: id, type: 'webhook.test' })
  expect((await live.run(['webhooks', 'deliveries'])).stdout).toMatch(/webhook\.test/)

  // Disabling a webhook fails its pending deliveries.
  const restart = async () => {
    expect(await runJson(['webhooks', 'update', id, '--disable'])).toMatchObject({ enabled: false })
    expect(await runJson(['webhooks', 'update', id, '--enable'])).toMatchObject({ enabled: true })
  }
  await restart()
  expect((await live.run(['webhooks', 'deliveries', id, '--status', 'failed'])).stdout).toContain(sent.id)
  expect((await live.run(['webhooks', 'resend', sent.id])).stdout).toMatch(/status +pending\ntype +webhook\.test\n/)
  await restart()
  expect((await live.run(['webhooks', 'resend', '--since', '2026-01-01'])).stdout).toBe('Resending 1 delivery\n')

  const changes = ['--events', '*', '--description', 'Production']
  expect(await runJson(['webhooks', 'update', id, ...changes])).toMatchObject({
    events: ['*'],
    description: 'Production',
  })
  expect((await live.run(['webhooks', 'update', id])).code).toBe(2)
  expect((await live.run(['webhooks', 'view', id])).stdout).toMatch(/description +Production\n/)
  const secret = (await live.run(['webhooks', 'rotate', id])).stdout
  expect([/^whsec_\S+\n$/.test(secret), secret === created.stdout]).toEqual([true, false])

  const other = await runJson(['webhooks', 'create', 'https://hooks.example.com/q'])
  const several = await live.run(['webhooks', 'test'])
  expect([several.code, several.stderr]).toEqual([2, expect.stringContaining('several webhooks')])
  expect((await live.run(['webhooks', 'test', id])).code).toBe(0)
  expect((await live.run(['webhooks', 'resend'])).code).toBe(2)
  expect((await live.run(['webhooks', 'delete', other.id])).code).toBe(9)
  expect(await runJson(['webhooks', 'delete', other.id, '--yes'])).toEqual({ id: other.id, deleted: true })
  expect(await runJson(['webhooks', 'list'])).toHaveLength(1)
})

test('erase deletes the data of an address after a confirmation', async () => {
  const owner = await createApiClient(instance, {
    credits: 10,
    key: { scopes: ['validations:write', 'account:write'] },
  })
  const env = { PROBITY_API_KEY: owner.key }
  const validated = JSON.parse((await live.run(['validate', 'ada@example,com', '--json'], { env })).stdout)
  const declined = await live.run(['erase', 'ada@example,com'], { env })
  expect([declined.code, declined.stderr]).toEqual([9, expect.stringContaining('Confirmation required: pass --yes.')])
  const { stdout } = await live.run(['erase', 'ada@example,com', '--yes', '--json'], { env })
  expect(JSON.parse(stdout)).toMatchObject({ counts: { validations: 1 } })
  expect((await live.run(['api', 'GET', `/validations/${validated.id}`], { env })).code).toBe(4)
  expect((await live.run(['erase', 'ada@example,com', '--yes'], { env })).stdout).toMatch(/^validations +0\n/)
})

test('api sends any request and prints the response in every format', async () => {
  expect(await runJson(['api', 'get', 'account'])).toMatchObject({ credits: { unlimited: false } })
  const list = ['api', 'GET', '/api/v1/policies']
  const names = (await runJson(list)).map(({ name }: { name: string }) => name)
  expect(names).toContain('signup')
  expect((await live.run([...list, '--format', 'table'])).stdout).toMatch(/^id +name .*\n/)
  expect((await live.run([...list, '--format', 'jsonl'])).stdout.trim().split('\n')).toHaveLength(names.length)

  const created = await runJson([
    'api',
    'POST',
    'keys',
    '-f',
    'name=From api',
    '-F',
    'livemode=false',
    '-F',
    'monthly_cap=7',
  ])
  expect(created).toMatchObject({ name: 'From api', livemode: false, monthly_cap: 7 })
  const [newest] = await runJson(['api', 'GET', 'keys', '-F', 'limit=1'])
  expect(newest.id).toBe(created.id)
  const { stdout } = await live.run(['api', 'PATCH', `keys/${created.id}`, '--input', '-', '--format', 'table'], {
    stdin: '{"name":"Renamed"}',
  })
  expect(stdout).toMatch(/^id +\S+\nname +Renamed\n/)
  expect((await live.run(['api', 'DELETE', `/keys/${created.id}`, '-o', 'revoked.json'])).stdout).toBe('')
  expect(JSON.parse(readFileSync(live.path('revoked.json'), 'utf8'))).toMatchObject({ status: 'revoked' })
  expect((await live.run(['api', 'GET', '/ledger', '-f', 'format=csv'])).stdout).toMatch(/^"?id"?,/)

  const missing = await live.run(['api', 'GET', '/nothing', '--verbose'])
  expect([missing.code, missing.stderr]).toEqual([
    4,
    expect.stringMatching(/^GET \/api\/v1\/nothing 404[\s\S]*code not_found/),
  ])
  const invalid = await live.run(['api', 'POST', '/validation/single', '-F', 'email=7', '--json'])
  expect([invalid.code, JSON.parse(invalid.stderr)]).toEqual([4, expect.objectContaining({ code: 'invalid_request' })])
  for (const args of [
    ['FETCH', '/account'],
    ['GET', '../../livez'],
    ['POST', '/keys', '-F', 'a=b'],
    ['GET', '/x', '-f', 'a'],
  ]) {
    expect((await live.run(['api', ...args])).code).toBe(2)
  }
  const url = `http://127.0.0.1:${await freePort()}`
  expect((await live.run(['api', 'GET', '/account'], { env: { PROBITY_BASE_URL: url } })).code).toBe(6)
})

test('api does not follow redirects, which would receive the key', async () => {
  const requests: (string | undefined)[] = []
  const url = await startServer(({ url: path }, response) => {
    requests.push(path)
    response.writeHead(302, { location: '/elsewhere' }).end()
  })
  const { code, stderr } = await live.run(['api', 'GET', '/account'], { env: { PROBITY_BASE_URL: url } })
  expect([code, requests]).toEqual([6, ['/api/v1/account']])
  expect(stderr).toContain('The service responded with 302.')
})

test('login saves a key for its owner only, whoami shows it, and logout removes it', async () => {
  const home = openHome({ PROBITY_BASE_URL: undefined })
  const file = home.path('.config/probity/config.json')
  const saved = await home.run(['login', '--base-url', api.url], { stdin: `${apiClient.key}\n` })
  expect(saved.code).toBe(0)
  expect(saved.stdout).toMatch(/^profile +default\nbase URL +http\S+\nkey +pb_live_…[\s\S]*, plan scale\n$/)
  expect(saved.stdout + saved.stderr).not.toContain(apiClient.key)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    current_profile: 'default',
    profiles: { default: { api_key: apiClient.key, base_url: api.url } },
  })
  expect(JSON.parse((await home.run(['whoami', '--json'])).stdout)).toMatchObject({
    profile: 'default',
    base_url: api.url,
    key: { hint: `pb_live_…${apiClient.key.slice(-4)}`, livemode: true, from: 'profile default' },
    account: { plan: 'scale' },
  })

  chmodSync(file, 0o644)
  const exposed = await home.run(['whoami'])
  expect([exposed.code, exposed.stderr]).toEqual([3, expect.stringContaining(`next:  chmod 600 ${file}`)])
  expect((await home.run(['logout'])).stdout).toBe('Removed profile default\n')
  expect(existsSync(file)).toBe(false)
  expect((await home.run(['whoami'])).code).toBe(3)
  expect((await home.run(['logout'])).code).toBe(3)
})

test('login does not save a key that does not work', async () => {
  const home = openHome({ PROBITY_BASE_URL: api.url })
  const unknown = 'pb_test_PublicSandboxPublicSandboxPublic2NO9Jy'
  for (const stdin of ['nonsense', unknown, '', 'x'.repeat(100_000)]) {
    expect((await home.run(['login'], { stdin })).code).toBe(3)
  }
  const { key } = await createApiClient(instance, { key: { expiresAt: new Date(Date.now() - 1_000) } })
  expect((await home.run(['login'], { stdin: key })).code).toBe(3)
  expect(existsSync(home.path('.config/probity'))).toBe(false)
})

test('profiles are added, listed, changed and chosen by flag, environment and config use', async () => {
  const home = openHome({ PROBITY_BASE_URL: undefined })
  const tester = await createApiClient(instance, { key: { mode: 'test' } })
  for (const [profile, key] of [['live', apiClient.key] as const, ['test', tester.key] as const]) {
    await home.run(['login', '--profile', profile, '--base-url', api.url], { stdin: key })
  }
  const modeOf = async (args: string[] = [], env: Record<string, string> = {}) => {
    const { code, stdout } = await home.run(['whoami', '--json', ...args], { env })
    return code === 0 ? JSON.parse(stdout).key.livemode : code
  }
  expect(await modeOf()).toBe(3)
  expect((await home.run(['config', 'use', 'live'])).stdout).toBe('Using profile live\n')
  expect(await modeOf()).toBe(true)
  expect(await modeOf([], { PROBITY_PROFILE: 'test' })).toBe(false)
  expect(await modeOf(['--profile', 'test'], { PROBITY_API_KEY: apiClient.key, PROBITY_PROFILE: 'live' })).toBe(false)
  expect(await modeOf(['--profile', 'missing'])).toBe(3)
  expect((await home.run(['config', 'use', 'missing'])).code).toBe(3)

  expect((await home.run(['config', 'list'])).stdout).toMatch(
    /^profile +base URL +key\nlive \* +http\S+ +pb_live_…\S{4}\ntest +http\S+ +pb_test_…\S{4}\n$/,
  )
  expect((await home.run(['config', 'get', 'api_key'])).stdout).toBe(`pb_live_…${apiClient.key.slice(-4)}\n`)
  expect((await home.run(['config', 'set', 'base_url', 'http://127.0.0.1:1'])).code).toBe(0)
  expect((await home.run(['config', 'get', 'base_url'])).stdout).toBe('http://127.0.0.1:1\n')
  expect(await modeOf()).toBe(6)
  expect((await home.run(['config', 'set', 'base_url', 'nonsense'])).code).toBe(2)
  expect((await home.run(['config', 'set', 'api_key', apiClient.key])).code).toBe(2)
  expect((await home.run(['config', 'unset', 'base_url', '--json'])).stdout).toContain('"base_url": null')
  const listed = await home.run(['config', 'list', '--json'])
  expect(listed.stdout).not.toContain(apiClient.key)
  await home.run(['logout', '--profile', 'live'])
  expect(await modeOf(['--profile', 'test'])).toBe(false)
})

test('settings are read from flags, then from the environment, then from the profile', async () => {
  const home = openHome()
  await home.run(['login', '--base-url', 'http://127.0.0.1:1', '--no-verify'], { stdin: PUBLIC_SANDBOX_KEY })
  expect((await home.run(['usage'])).code).toBe(6)
  const env = { PROBITY_BASE_URL: api.url, PROBITY_API_KEY: apiClient.key }
  expect((await home.run(['usage'], { env })).code).toBe(0)
  const flag = ['usage', '--base-url', api.url]
  expect((await home.run(flag, { env: { ...env, PROBITY_BASE_URL: 'http://127.0.0.1:1' } })).code).toBe(0)

  writeFileSync(home.path('key.txt'), `${apiClient.key}\n`)
  expect((await home.run(flag, { env: { PROBITY_API_KEY_FILE: 'key.txt' } })).code).toBe(0)
  const missing = await home.run(flag, { env: { PROBITY_API_KEY_FILE: 'none.txt' } })
  expect([missing.code, missing.stderr]).toEqual([3, expect.stringContaining('PROBITY_API_KEY_FILE (ENOENT)')])
})

test('doctor passes and shows the scopes of the key', async () => {
  const { code, stdout, stderr } = await live.run(['doctor'])
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^status +check +detail\npass +version +probity 0\.1\.0, Node 24\./)
  expect(stdout).toContain(`pb_live_…${apiClient.key.slice(-4)}, live mode, from PROBITY_API_KEY`)
  expect(stdout).toMatch(/pass +service +responded in \d+ ms\n/)
  expect(stdout).toMatch(/pass +clock +in sync with the service\n/)
  expect(stdout).toMatch(/plan scale, [\d,]+ credits\npass +scopes +validations:read, validations:write, jobs:read,/)
  expect(stdout).not.toContain(apiClient.key)
})

test('doctor prints failed checks and exits with the code of the first', async () => {
  const broken = await live.run(['doctor'], { env: { PROBITY_API_KEY: 'nonsense' } })
  expect([broken.code, broken.stdout]).toEqual([
    3,
    expect.stringMatching(/fail +key +PROBITY_API_KEY does not contain/),
  ])
  const noKey = await live.run(['doctor', '--json'], { env: { PROBITY_API_KEY: undefined } })
  expect(noKey.code).toBe(3)
  const finding = { check: 'key', status: 'fail', detail: 'not set', exit_code: 3, next: 'probity login' }
  expect(JSON.parse(noKey.stdout)).toContainEqual(finding)
  const url = `http://127.0.0.1:${await freePort()}`
  const unreachable = await live.run(['doctor'], { env: { PROBITY_BASE_URL: url } })
  expect([unreachable.code, unreachable.stdout]).toEqual([6, expect.stringContaining('is unreachable (ECONNREFUSED)')])
  const proxied = await live.run(['doctor'], { env: { https_proxy: 'http://127.0.0.1:1' } })
  expect(proxied.stdout).toMatch(/warn +proxy +HTTPS_PROXY: not used without NODE_USE_ENV_PROXY=1/)
  const { key } = await createApiClient(instance, { key: { expiresAt: new Date(Date.now() - 1_000) } })
  const expired = await live.run(['doctor'], { env: { PROBITY_API_KEY: key } })
  expect(expired.code).toBe(3)
  expect(expired.stdout).toMatch(/fail +account +the service rejected the key \(expired_api_key\)/)
})

test('doctor finds a clock offset, another server and a newer version', async () => {
  const url = await startServer((_request, response) => {
    response.setHeader('date', new Date(Date.now() - 3_600_000).toUTCString())
    response.end('{}')
  })
  const registry = await startServer(({ url: path }, response) => {
    response.statusCode = path === '/@probity%2fcli/latest' ? 200 : 404
    response.end('{"version":"9.9.9"}')
  })
  const { code, stdout } = await live.run(['doctor'], { env: { PROBITY_BASE_URL: url, npm_config_registry: registry } })
  expect(stdout).toMatch(/warn +clock +3,(599|600|601) s ahead of the service\n/)
  expect(stdout).toMatch(/warn +version +probity 0\.1\.0, .*; 9\.9\.9 is available: npm install -g @probity\/cli\n/)
  expect(stdout).toContain('the response is not from a Probity service')
  expect(code).toBe(6)
})
