import { PUBLIC_SANDBOX_KEY } from '@probity/contract/constants/sandbox'
import { PUBLIC_MAIL } from '@probity/lab/dns/data/public-mail'
import { startLyingResolver } from '@probity/lab/dns/lying'
import { startDns } from '@probity/lab/dns/start'
import { freePort } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { expect, test } from 'vitest'
import { createApiClient } from '../environment/instance.ts'
import { useSharedInstance } from '../environment/shared-instance.ts'
import { openHome } from './run-cli.ts'

/** `probity validate` and errors, against the running service. */
const instance = await useSharedInstance()
const { api } = instance
const apiClient = await createApiClient(instance)
const closedPort = await freePort()
const tester = await createApiClient(instance, { key: { mode: 'test' } })
const sandbox = openHome({ PROBITY_BASE_URL: api.url, PROBITY_API_KEY: tester.key })
const live = openHome({ PROBITY_BASE_URL: api.url, PROBITY_API_KEY: apiClient.key })

async function available(): Promise<number> {
  const { body } = await apiClient.call('GET', '/account')
  return (body['credits'] as { available: number }).available
}

test('validate prints a table without colors and nothing on stderr', async () => {
  const { code, stdout, stderr } = await sandbox.run(['validate', 'mailbox-full@example.com'])
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(
    /^address +status +reason +confidence +meaning\nmailbox-full@example.com +Risky +Mailbox full /,
  )
  expect(stdout).not.toContain('\u001b')
})

test('--json is one object for one address and one array for several, in their order', async () => {
  const one = await sandbox.run(['validate', 'valid@example.com', '--json'])
  expect(JSON.parse(one.stdout)).toMatchObject({ email: 'valid@example.com', status: 'valid', livemode: false })
  expect(JSON.parse(one.stdout).evidence).not.toEqual([])

  const emails = ['valid@example.com', 'typo@example.com', 'disposable@example.com']
  const many = await sandbox.run(['validate', ...emails, '--format', 'json'])
  const results: { email: string; sub_status: string }[] = JSON.parse(many.stdout)
  expect(results.map(({ email, sub_status }) => [email, sub_status])).toEqual([
    ['valid@example.com', ''],
    ['typo@example.com', expect.any(String)],
    ['disposable@example.com', 'disposable'],
  ])
  const piped = await sandbox.run(['validate', '-', '--json'], { stdin: 'valid@example.com\n' })
  expect(JSON.parse(piped.stdout)).toMatchObject([{ email: 'valid@example.com' }])
})

test('--policy adds a decision in every format', async () => {
  const args = ['validate', 'disposable@example.com', 'valid@example.com', '--policy', 'signup']
  const { stdout } = await sandbox.run(args)
  expect(stdout).toMatch(
    /^address +status +reason +confidence +decision +decided by\ndisposable@example.com .* block +Disposable email/,
  )
  const sheet = await sandbox.run([...args, '--format', 'csv'])
  expect(sheet.stdout.split('\n').slice(0, 2)).toEqual([
    'email,status,sub_status,confidence,is_valid,decision,reason,depth',
    expect.stringMatching(/,block,Disposable email addresses are not accepted\.,smtp$/),
  ])
  const lines = await sandbox.run([...args, '--format', 'jsonl'])
  expect(
    lines.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).policy.decision),
  ).toEqual(['block', 'allow'])

  const unknown = await sandbox.run(['validate', 'valid@example.com', '--policy', 'missing'])
  expect([unknown.code === 0, unknown.stdout]).toEqual([false, ''])
  const offline = await sandbox.run(['validate', 'valid@example.com', '--policy', 'signup', '--offline'])
  expect([offline.code, offline.stderr]).toEqual([2, expect.stringContaining('cannot be used with --offline')])
})

test('the public sandbox key validates more addresses than its concurrency limit', async () => {
  const emails = Array.from({ length: 20 }, (_, n) => `person${n}+valid@example.com`)
  const env = { PROBITY_API_KEY: PUBLIC_SANDBOX_KEY }
  const { code, stdout } = await sandbox.run(['validate', ...emails, '--format', 'csv'], { env })
  expect(code).toBe(0)
  expect(stdout.match(/,valid,/g)).toHaveLength(20)
})

test('validate reads addresses from stdin, skips duplicates, and writes JSON lines or CSV', async () => {
  const stdin = 'valid@example.com\n\nVALID@example.com\r\n  risky@example.com\nno address\n'
  const lines = await sandbox.run(['validate', '-', '--format', 'jsonl'], { stdin })
  expect(lines.stderr).toBe('1 duplicate skipped.\n')
  expect(
    lines.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).status),
  ).toEqual(['valid', 'risky', 'unknown'])

  const sheet = await sandbox.run(['validate', '--format', 'csv', '--quiet'], { stdin })
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

test('validate sends many addresses in bulk, in order, with progress on stderr', async () => {
  const emails = Array.from({ length: 450 }, (_, n) => `person${n}+${n % 3 === 0 ? 'invalid' : 'valid'}@example.com`)
  const args = ['validate', '-', '--format', 'jsonl', '--timeout', '30']
  const { code, stdout, stderr } = await sandbox.run(args, { stdin: emails.join('\n') })
  expect(code).toBe(0)
  const results = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(results.map(({ email }) => email)).toEqual(emails)
  expect(results.filter(({ status }) => status === 'invalid')).toHaveLength(150)
  expect(stderr.trim().split('\n')).toEqual([
    'More than 50 addresses are validated in bulk: the results contain no evidence.',
    ...[0, 45, 90, 135, 180, 225, 270, 315, 360, 405, 450].map((n) => `${n}/450 (${n / 4.5} %)`),
  ])
})

test('--timeout above the maximum of single requests is accepted for few and many addresses', async () => {
  const emails = Array.from({ length: 60 }, (_, n) => `person${n}+valid@example.com`)
  for (const args of [emails, emails.slice(0, 2)]) {
    const { code, stdout } = await sandbox.run(['validate', ...args, '--timeout', '55', '--format', 'csv', '--quiet'])
    expect([code, stdout.match(/,valid,/g)?.length]).toEqual([0, args.length])
  }
  expect((await sandbox.run(['validate', 'valid@example.com', '--timeout', '56'])).code).toBe(2)
})

test('--fail-on exits with 8 after the results if a limit is exceeded', async () => {
  const emails = ['valid@example.com', 'invalid@example.com', 'risky@example.com']
  const matched = await sandbox.run(['validate', ...emails, '--fail-on', 'invalid>2%', '--format', 'csv'])
  expect(matched.code).toBe(8)
  expect(matched.stdout.trim().split('\n')).toHaveLength(4)
  expect(matched.stderr).toContain('1 of 3 are invalid: --fail-on invalid>2%.')
  const limits = ['--fail-on', 'invalid>1', '--fail-on', 'catch_all>50%']
  expect((await sandbox.run(['validate', ...emails, ...limits])).code).toBe(0)
  expect((await sandbox.run(['validate', ...emails, '--fail-on', 'invald>1'])).code).toBe(2)
})

test('validate charges a few typed addresses directly and asks for confirmation otherwise', async () => {
  const before = await available()
  expect((await live.run(['validate', 'ada@example,com'])).code).toBe(0)
  expect(await available()).toBe(before - 1)

  const stdin = 'bob@example,com\ncarl@example,com\n'
  const refused = await live.run(['validate', '-'], { stdin })
  expect([refused.code, refused.stdout]).toEqual([9, ''])
  expect(refused.stderr).toMatch(
    /costs 2 credits\. Confirmation required: pass --yes or --max-credits 2\. Nothing was charged\./,
  )
  expect((await live.run(['validate', '-', '--max-credits', '1'], { stdin })).code).toBe(7)
  const typed = ['validate', ...Array.from({ length: 11 }, (_, n) => `p${n}@example,com`)]
  expect((await live.run(typed)).code).toBe(9)
  expect((await live.run(['validate', 'dora@example,com', '--max-credits', '0'])).code).toBe(7)
  expect(await available()).toBe(before - 1)

  expect((await live.run(['validate', '-', '--dry-run'], { stdin })).stdout).toMatch(
    /^rows +2\nunique +2\ncredits +2\nbalance +999\n$/,
  )
  expect(JSON.parse((await live.run(['validate', '-', '--dry-run', '--json'], { stdin })).stdout)).toEqual({
    rows: 2,
    unique: 2,
    credits: 2,
    available: 999,
    unlimited: false,
  })
  expect((await live.run(['validate', '-', '--max-credits', '2'], { stdin })).code).toBe(0)
  expect(await available()).toBe(before - 3)
})

test('validate fails before the confirmation if the balance is too low', async () => {
  const poor = await createApiClient(instance, { credits: 1 })
  const env = { PROBITY_API_KEY: poor.key }
  const { code, stderr } = await live.run(['validate', '-', '--yes'], {
    env,
    stdin: 'bob@example,com\ncarl@example,com\n',
  })
  expect(code).toBe(7)
  expect(stderr).toBe(
    'probity: This costs 2 credits, and 1 are available. Nothing was charged.\n  next:  probity usage\n  (code credits, exit 7)\n',
  )
})

test('every error has its exit code, a sentence, a cause, a next step and the request id', async () => {
  const cases: [args: string[], env: Record<string, string | undefined>, code: number, text: RegExp][] = [
    [['vaildate'], {}, 2, /unknown command 'vaildate'\. Did you mean validate\?/],
    [['validate', '--ofline', 'a@example.com'], {}, 2, /Did you mean --offline\?/],
    [['validate', '--api-key', apiClient.key, 'a@example.com'], {}, 2, /keys are not accepted there/],
    [['validate', `--api-key=${apiClient.key}`, 'a@example.com'], {}, 2, /keys are not accepted there/],
    [['validate', 'a@example.com'], { PROBITY_API_KEY: undefined }, 3, /No API key: .*\n {2}next: {2}probity login/],
    [
      ['validate', 'a@example.com'],
      { PROBITY_API_KEY: 'nonsense' },
      3,
      /PROBITY_API_KEY does not contain a complete API key/,
    ],
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
    [['validate', 'a@example.com', '--base-url', 'nonsense'], {}, 2, /--base-url is not a URL/],
  ]
  for (const [args, env, code, text] of cases) {
    const ran = await sandbox.run(args, { env })
    expect([args, ran.code, ran.stdout]).toEqual([args, code, ''])
    expect(ran.stderr).toMatch(text)
    expect(ran.stderr).not.toContain(apiClient.key)
    expect(ran.stderr).not.toContain('@example.com')
  }
})

test('errors are JSON objects on stderr with --json and --format jsonl', async () => {
  const refused = await sandbox.run(['--quiet', 'validate', 'error-402@example.com', '--json'])
  expect(JSON.parse(refused.stderr)).toMatchObject({
    status: 402,
    code: 'insufficient_credits',
    request_id: expect.stringMatching(/^req_/),
    exit_code: 7,
    next: 'probity usage',
  })
  const unknown = await sandbox.run(['validate', '--nonsense', '--format=jsonl'])
  expect(JSON.parse(unknown.stderr)).toMatchObject({ code: 'usage', exit_code: 2 })
})

test('--offline needs no key and no service, and returns not_probed or dns_failed for unknown mailboxes', async () => {
  const dns = await startDns({
    names: {
      ...PUBLIC_MAIL,
      'accepts-mail.example': { mx: [[10, 'mx.accepts-mail.example']] },
      'mx.accepts-mail.example': { a: ['192.0.2.1'] },
    },
    faults: {},
  })
  whenDone(() => dns.stop())
  const offline = openHome({ PROBITY_BASE_URL: 'http://127.0.0.1:9', PROBITY_API_KEY: 'nonsense' })
  const emails = ['ada@accepts-mail.example', 'ada@no-such-domain.example', 'ada@example,com']
  const probed = await offline.run([
    'validate',
    '--offline',
    '--dns',
    `127.0.0.1:${dns.port}`,
    '--format',
    'jsonl',
    ...emails,
  ])
  expect(probed.code).toBe(0)
  const reasons = probed.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).sub_status)
  expect(reasons).toEqual(['not_probed', 'domain_not_found', 'syntax_error'])

  const resolver = await startLyingResolver(dns.port, 'nxdomain')
  whenDone(() => resolver.stop())
  const lied = await offline.run(['validate', '--offline', '--dns', resolver.server, '--format', 'csv', ...emails])
  expect(lied.stdout).toContain('ada@no-such-domain.example,unknown,dns_failed')

  const withoutDns = await offline.run(['validate', '--offline', '--dns', '127.0.0.1:9', '--format', 'csv', ...emails])
  expect(withoutDns.stdout).toContain('ada@accepts-mail.example,unknown,dns_failed')
  expect(withoutDns.stdout).toContain('"ada@example,com",invalid,syntax_error')
})

test('colors follow NO_COLOR, FORCE_COLOR, TERM and --no-color, and control codes of addresses are replaced', async () => {
  const address = 'valid@example.com'
  const forced = await sandbox.run(['validate', address], { env: { FORCE_COLOR: '1' } })
  expect(forced.stdout).toContain('\u001b[32mValid\u001b[39m')
  for (const env of [{ NO_COLOR: '1', FORCE_COLOR: '1' }, { TERM: 'dumb' }]) {
    expect((await sandbox.run(['validate', address], { env })).stdout).not.toContain('\u001b')
  }
  expect((await sandbox.run(['validate', address, '--no-color'], { env: { FORCE_COLOR: '1' } })).stdout).not.toContain(
    '\u001b',
  )
  expect((await sandbox.run(['validate', '\u001b[2Jada@example.com'])).stdout).not.toContain('\u001b')
})

test('--verbose logs requests and their ids without addresses and keys', async () => {
  const { stderr } = await sandbox.run(['validate', 'valid@example.com', '--verbose'])
  expect(stderr).toMatch(/^POST \/api\/v1\/validation\/single 200 req_[0-9a-f-]+, \d+ ms\n$/)
})

test('--help starts with the usage and ends with the exit codes', async () => {
  const { code, stdout } = await sandbox.run(['--help'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^Usage: probity /)
  expect(stdout).toMatch(/Exit codes:\n {4}0 {2}.*\n {2}130 {2}[^\n]+\n\n?$/s)
  expect((await sandbox.run(['-V'])).stdout).toBe('0.1.0\n')
})

test('a missing command prints the help on stderr and exits with 2', async () => {
  for (const args of [[], ['jobs'], ['webhooks']]) {
    const { code, stdout, stderr } = await sandbox.run(args)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^Usage: probity/)
    expect(stderr).not.toMatch(/probity: |outputHelp/)
  }
})
