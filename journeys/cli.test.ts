import { PUBLIC_SANDBOX_KEY } from '@probity/contract/sandbox'
import { startDns } from '@probity/lab/dns/start'
import { freePort } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { expect, test } from 'vitest'
import { borrowProduct } from './test-borrowed.ts'
import { openHome } from './test-cli.ts'
import { openCustomer } from './test-product.ts'

/** The command line against the running service. What it costs to start a process is most of the time these take. */
const product = await borrowProduct()
const { api } = product
const customer = await openCustomer(product)
const closedPort = await freePort()
const tester = await openCustomer(product, { key: { mode: 'test' } })
const sandbox = openHome({ PROBITY_BASE_URL: api.url, PROBITY_API_KEY: tester.key })
const live = openHome({ PROBITY_BASE_URL: api.url, PROBITY_API_KEY: customer.key })

async function available(): Promise<number> {
  const { body } = await customer.call('GET', '/account')
  return (body['credits'] as { available: number }).available
}

test('validates an address and shows the verdict as a table, without colours and with nothing on stderr', async () => {
  const { code, stdout, stderr } = await sandbox.run(['validate', 'mailbox-full@example.com'])
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(
    /^address +status +reason +confidence +what it means\nmailbox-full@example.com +risky +mailbox_full /,
  )
  expect(stdout).not.toContain('\u001b')
})

test('one address in JSON is one object with its evidence, several are a line each in their order', async () => {
  const one = await sandbox.run(['validate', 'valid@example.com', '-o', 'json'])
  expect(JSON.parse(one.stdout)).toMatchObject({ email: 'valid@example.com', status: 'valid', livemode: false })
  expect(JSON.parse(one.stdout).evidence).not.toEqual([])

  const emails = ['valid@example.com', 'typo@example.com', 'disposable@example.com']
  const many = await sandbox.run(['validate', ...emails, '-o', 'json'])
  const lines = many.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.map(({ email, sub_status }) => [email, sub_status])).toEqual([
    ['valid@example.com', ''],
    ['typo@example.com', expect.any(String)],
    ['disposable@example.com', 'disposable'],
  ])
})

test('--policy says what to do with each address, as a table, in CSV and in JSON', async () => {
  const asked = ['validate', 'disposable@example.com', 'valid@example.com', '--policy', 'signup']
  const { stdout } = await sandbox.run(asked)
  expect(stdout).toMatch(
    /^address +status +reason +confidence +decision +why\ndisposable@example.com .* block +Addresses of this/,
  )
  const sheet = await sandbox.run([...asked, '-o', 'csv'])
  expect(sheet.stdout.split('\n').slice(0, 2)).toEqual([
    'email,status,sub_status,confidence,is_valid,decision,reason,depth',
    expect.stringMatching(/,block,Addresses of this domain are thrown away after use\.,smtp$/),
  ])
  const lines = await sandbox.run([...asked, '-o', 'jsonl'])
  expect(
    lines.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).policy.decision),
  ).toEqual(['block', 'allow'])

  const unknown = await sandbox.run(['validate', 'valid@example.com', '--policy', 'nobodys'])
  expect([unknown.code === 0, unknown.stdout]).toEqual([false, ''])
  const offline = await sandbox.run(['validate', 'valid@example.com', '--policy', 'signup', '--offline'])
  expect([offline.code, offline.stderr]).toEqual([2, expect.stringContaining('--policy does not go with --offline')])
})

test('the public sandbox key does for a first try, also of more addresses than it may ask for at once', async () => {
  const emails = Array.from({ length: 20 }, (_, n) => `person${n}+valid@example.com`)
  const env = { PROBITY_API_KEY: PUBLIC_SANDBOX_KEY }
  const { code, stdout } = await sandbox.run(['validate', ...emails, '-o', 'csv'], { env })
  expect(code).toBe(0)
  expect(stdout.match(/,valid,/g)).toHaveLength(20)
})

test('reads addresses from stdin, asks for each once, and writes JSON line by line or CSV', async () => {
  const stdin = 'valid@example.com\n\nVALID@example.com\r\n  risky@example.com\nno address\n'
  const lines = await sandbox.run(['validate', '-', '-o', 'jsonl'], { stdin })
  expect(lines.stderr).toBe('1 repeated address left out.\n')
  expect(
    lines.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).status),
  ).toEqual(['valid', 'risky', 'unknown'])

  const sheet = await sandbox.run(['validate', '-o', 'csv', '--quiet'], { stdin })
  expect(sheet).toEqual({
    code: 0,
    stderr: '',
    stdout: [
      'email,status,sub_status,confidence,is_valid,depth',
      'valid@example.com,valid,,0.985,true,smtp',
      'risky@example.com,risky,catch_all,0.8,false,smtp',
      'no address,unknown,sandbox_unmapped,0.5,false,dns',
      '',
    ].join('\n'),
  })
})

test('many addresses go as lists: all are answered in order, and how far it is stands on stderr alone', async () => {
  const emails = Array.from({ length: 450 }, (_, n) => `person${n}+${n % 3 === 0 ? 'invalid' : 'valid'}@example.com`)
  const { code, stdout, stderr } = await sandbox.run(['validate', '-', '-o', 'jsonl'], { stdin: emails.join('\n') })
  expect(code).toBe(0)
  const results = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(results.map(({ email }) => email)).toEqual(emails)
  expect(results.filter(({ status }) => status === 'invalid')).toHaveLength(150)
  expect(stderr.trim().split('\n')).toEqual(
    [0, 45, 90, 135, 180, 225, 270, 315, 360, 405, 450].map((n) => `${n}/450 (${n / 4.5} %)`),
  )
})

test('--fail-on ends with 8 after the results, and not while the bound holds', async () => {
  const emails = ['valid@example.com', 'invalid@example.com', 'risky@example.com']
  const matched = await sandbox.run(['validate', ...emails, '--fail-on', 'invalid>2%', '-o', 'csv'])
  expect(matched.code).toBe(8)
  expect(matched.stdout.trim().split('\n')).toHaveLength(4)
  expect(matched.stderr).toContain('1 of 3 are invalid: --fail-on invalid>2%.')
  const bounds = ['--fail-on', 'invalid>1', '--fail-on', 'catch_all>50%']
  expect((await sandbox.run(['validate', ...emails, ...bounds])).code).toBe(0)
  expect((await sandbox.run(['validate', ...emails, '--fail-on', 'invald>1'])).code).toBe(2)
})

test('a few typed addresses are paid for by typing them; what comes in by a pipe is agreed to first', async () => {
  const before = await available()
  expect((await live.run(['validate', 'ada@example,com'])).code).toBe(0)
  expect(await available()).toBe(before - 1)

  const stdin = 'bob@example,com\ncarl@example,com\n'
  const refused = await live.run(['validate', '-'], { stdin })
  expect([refused.code, refused.stdout]).toEqual([7, ''])
  expect(refused.stderr).toMatch(
    /costs 2 credits, and nobody is here to ask: add --yes, or --max-credits 2\. Nothing was spent\./,
  )
  expect((await live.run(['validate', '-', '--max-credits', '1'], { stdin })).code).toBe(7)
  const typed = ['validate', ...Array.from({ length: 11 }, (_, n) => `p${n}@example,com`)]
  expect((await live.run(typed)).code).toBe(7)
  expect((await live.run(['validate', 'dora@example,com', '--max-credits', '0'])).code).toBe(7)
  expect(await available()).toBe(before - 1)

  expect((await live.run(['validate', '-', '--dry-run'], { stdin })).stdout).toMatch(
    /^rows +2\nunique +2\ncredits +2\nbalance +999\n$/,
  )
  expect((await live.run(['validate', '-', '--max-credits', '2'], { stdin })).code).toBe(0)
  expect(await available()).toBe(before - 3)
})

test('who has too few credits is told so before anything is asked', async () => {
  const poor = await openCustomer(product, { credits: 1 })
  const env = { PROBITY_API_KEY: poor.key }
  const { code, stderr } = await live.run(['validate', '-', '--yes'], {
    env,
    stdin: 'bob@example,com\ncarl@example,com\n',
  })
  expect(code).toBe(7)
  expect(stderr).toBe(
    'probity: This costs 2 credits and 1 are left. Nothing was spent.\n  next:  probity credits\n  (code credits, exit 7)\n',
  )
})

test('every refusal ends with its own code, in one sentence with a cause, a next step and the id of the request', async () => {
  const cases: [args: string[], env: Record<string, string | undefined>, code: number, said: RegExp][] = [
    [['vaildate'], {}, 2, /unknown command 'vaildate'\. Did you mean validate\?/],
    [['validate', '--ofline', 'a@example.com'], {}, 2, /Did you mean --offline\?/],
    [['validate', '--api-key', customer.key, 'a@example.com'], {}, 2, /does not belong on the command line/],
    [['validate', `--api-key=${customer.key}`, 'a@example.com'], {}, 2, /does not belong on the command line/],
    [
      ['validate', 'a@example.com'],
      { PROBITY_API_KEY: undefined },
      3,
      /There is no API key.*\n {2}next: {2}probity login/,
    ],
    [['validate', 'a@example.com'], { PROBITY_API_KEY: 'nonsense' }, 3, /not a whole API key/],
    [['validate', 'error-402@example.com'], {}, 7, /code insufficient_credits, req_/],
    [['validate', 'error-429@example.com'], {}, 5, /Too many requests\.\n.*cause.*\n.*code rate_limited, req_/s],
    [['validate', 'error-500@example.com'], {}, 6, /code internal_error, req_/],
    [['validate', 'error-503@example.com'], {}, 6, /code service_unavailable, req_/],
    [
      ['validate', 'a@example.com'],
      { PROBITY_BASE_URL: `http://127.0.0.1:${closedPort}` },
      6,
      /cause: ECONNREFUSED\n {2}next: {2}probity doctor/,
    ],
    [['validate', 'a@example.com', '--base-url', 'nonsense'], {}, 2, /--base-url is not an address/],
  ]
  for (const [args, env, code, said] of cases) {
    const ran = await sandbox.run(args, { env })
    expect([args, ran.code, ran.stdout]).toEqual([args, code, ''])
    expect(ran.stderr).toMatch(said)
    expect(ran.stderr).not.toContain(customer.key)
    expect(ran.stderr).not.toContain('@example.com')
  }
})

test('with -o json the problem stands on stderr as an object', async () => {
  const refused = await sandbox.run(['validate', 'error-402@example.com', '-o', 'json'])
  expect(JSON.parse(refused.stderr)).toMatchObject({
    status: 402,
    code: 'insufficient_credits',
    request_id: expect.stringMatching(/^req_/),
    exit_code: 7,
    next: 'probity credits',
  })
  const unwritten = await sandbox.run(['validate', '--nonsense', '-o', 'jsonl'])
  expect(JSON.parse(unwritten.stderr)).toMatchObject({ code: 'usage', exit_code: 2 })
})

test('offline needs no key and no service: a domain that takes mail leaves the mailbox open, and no DNS is said to be none', async () => {
  const dns = await startDns({
    names: {
      'takes-mail.example': { mx: [[10, 'mx.takes-mail.example']] },
      'mx.takes-mail.example': { a: ['192.0.2.1'] },
    },
    faults: {},
  })
  whenDone(() => dns.stop())
  const nobody = openHome({ PROBITY_BASE_URL: 'http://127.0.0.1:9', PROBITY_API_KEY: 'nonsense' })
  const emails = ['ada@takes-mail.example', 'ada@no-such-domain.example', 'ada@example,com']
  const asked = await nobody.run(['validate', '--offline', '--dns', `127.0.0.1:${dns.port}`, '-o', 'jsonl', ...emails])
  expect(asked.code).toBe(0)
  const reasons = asked.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).sub_status)
  expect(reasons).toEqual(['not_probed', 'domain_not_found', 'syntax_error'])

  const alone = await nobody.run(['validate', '--offline', '--dns', '127.0.0.1:9', '-o', 'csv', ...emails])
  expect(alone.stdout).toContain('ada@takes-mail.example,unknown,dns_failed')
  expect(alone.stdout).toContain('"ada@example,com",invalid,syntax_error')
})

test('colours only where they are wanted, and codes for the terminal in an address are never sent to it', async () => {
  const address = 'valid@example.com'
  const forced = await sandbox.run(['validate', address], { env: { FORCE_COLOR: '1' } })
  expect(forced.stdout).toContain('\u001b[32mvalid\u001b[39m')
  for (const env of [{ NO_COLOR: '1', FORCE_COLOR: '1' }, { TERM: 'dumb' }]) {
    expect((await sandbox.run(['validate', address], { env })).stdout).not.toContain('\u001b')
  }
  expect((await sandbox.run(['validate', address, '--no-color'], { env: { FORCE_COLOR: '1' } })).stdout).not.toContain(
    '\u001b',
  )
  expect((await sandbox.run(['validate', '\u001b[2Jada@example.com'])).stdout).not.toContain('\u001b')
})

test('--verbose shows requests and their ids, and neither addresses nor keys', async () => {
  const { stderr } = await sandbox.run(['validate', 'valid@example.com', '--verbose'])
  expect(stderr).toMatch(/^POST \/api\/v1\/validation\/single 200 req_[0-9a-f-]+, \d+ ms\n$/)
})

test('help begins with examples and ends with the exit codes', async () => {
  const { code, stdout } = await sandbox.run(['--help'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^Examples:\n {2}probity validate/)
  expect(stdout).toMatch(/Exit codes:\n {4}0 {2}.*\n {2}130 {2}[^\n]+\n\n?$/s)
  expect((await sandbox.run(['validate', '--help'])).stdout).toMatch(/^Examples:\n/)
})

test('without a command there is the help, and nothing else', async () => {
  for (const args of [[], ['list'], ['webhooks']]) {
    const { code, stdout, stderr } = await sandbox.run(args)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^Examples:\n/)
    expect(stderr).not.toMatch(/probity: |outputHelp/)
  }
})
