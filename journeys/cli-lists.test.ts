import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { WITHOUT_PROBING } from '@probity/contract/probing-words'
import { expect, test, vi } from 'vitest'
import { borrowProduct } from './test-borrowed.ts'
import { openHome } from './test-cli.ts'
import { openCustomer } from './test-product.ts'

/** Lists by the command line, against the running service. Test keys where it is not about money. */
const product = await borrowProduct()
const tester = await openCustomer(product, { key: { mode: 'test' } })

/** A home with this file in it, whose owner has a test key unless another is given. */
function openDesk(csv: string, key = tester.key) {
  const desk = openHome({ PROBITY_BASE_URL: product.api.url, PROBITY_API_KEY: key })
  writeFileSync(desk.path('list.csv'), csv)
  const stateFolder = desk.path('.local/state/probity/lists')
  return {
    ...desk,
    read: (name: string) => readFileSync(desk.path(name), 'utf8'),
    states: () => readdirSync(stateFolder).map((name) => join(stateFolder, name)),
  }
}

async function payer(credits = 1_000) {
  const customer = await openCustomer(product, { credits })
  return { ...customer, credits: async () => (await customer.call('GET', '/account')).body['credits'] }
}

const rowsOf = (count: number) =>
  `name,email\n${Array.from({ length: count }, (_, n) => `Person ${n},person${n}@no-such-domain.example\n`).join('')}`

const PEOPLE = [
  'id;E-Mail;note',
  '1;valid@example.com;"a ""quoted"" note; with a delimiter"',
  '2;invalid@example.com;',
  '3;role@example.com;',
  '4;catch-all@example.com;"two\nlines"',
  '5;;no address',
  '6;blocked@example.com;',
  '7;provider-unverifiable@example.com;',
  '8;VALID@example.com;again',
  '9;disposable@example.com;',
  '',
].join('\n')

test.each([
  ['strict', ['1', '8']],
  ['balanced', ['1', '3', '4', '7', '8']],
  ['lenient', ['1', '3', '4', '6', '7', '8', '9']],
])(
  'clean --preset %s keeps the rows it promises, in their order, with their own columns first',
  async (preset, kept) => {
    const desk = openDesk(PEOPLE)
    const { code, stdout, stderr } = await desk.run(['clean', 'list.csv', '-o', 'out.csv', '--preset', preset])
    expect([code, stdout]).toEqual([0, ''])
    expect(stderr).toContain(`${kept.length} of 9 rows kept (${preset}).`)
    const lines = desk.read('out.csv').split('\r\n')
    expect(lines[0]).toMatch(/^"id";"E-Mail";"note";"probity_status";"probity_sub_status";/)
    expect(lines.slice(1, -1).map((line) => line.split('"')[1])).toEqual(kept)
    expect(lines[1]).toMatch(/^"1";"valid@example.com";"a ""quoted"" note; with a delimiter";"valid";"";/)
    if (preset !== 'strict') expect(desk.read('out.csv')).toContain('"4";"catch-all@example.com";"two\nlines";"risky"')
    expect(readdirSync(desk.home).filter((name) => name.includes('probity-'))).toEqual([])
    expect(statSync(desk.path('out.csv')).mode & 0o777).toBe(0o600)
  },
)

test('nothing is spent by a list that nobody agreed to', async () => {
  const customer = await payer()
  const desk = openDesk(rowsOf(3), customer.key)
  for (const args of [
    ['clean', 'list.csv', '-o', 'out.csv'],
    ['clean', 'list.csv', '-o', 'out.csv', '--max-credits', '2'],
    ['list', 'create', 'list.csv'],
  ]) {
    const { code, stderr } = await desk.run(args)
    expect([args, code]).toEqual([args, 7])
    expect(stderr).toMatch(/costs 3 credits.* Nothing was spent\./)
  }
  const estimate = await desk.run(['list', 'estimate', 'list.csv', '-o', 'json'])
  expect(JSON.parse(estimate.stdout)).toEqual({
    column: 'email',
    rows: 3,
    unique: 3,
    credits: 3,
    at_most: false,
    available: 1_000,
    unlimited: false,
  })
  for (const args of [
    ['clean', 'list.csv', '-o', 'out.csv', '--dry-run'],
    ['list', 'create', 'list.csv', '--dry-run'],
  ]) {
    expect((await desk.run(args)).stdout).toMatch(/rows +3\nunique +3\ncredits +3\nbalance +1,000\n$/)
  }
  expect(await customer.credits()).toMatchObject({ available: 1_000, reserved: 0 })
  expect((await customer.call('GET', '/bulk/jobs')).body).toEqual([])
})

test('the same command again finds its list and pays nothing; --fresh begins another', async () => {
  const customer = await payer()
  const desk = openDesk(rowsOf(4), customer.key)
  const args = ['clean', 'list.csv', '-o', 'out.csv', '--preset', 'lenient', '--max-credits', '4']
  const first = await desk.run(args)
  expect(first.code).toBe(0)
  // No worker here has a way out, which is said before anything is paid.
  expect(first.stderr).toMatch(/^Reading list\.csv\.\n(?:.+\n)+?List [0-9a-f-]{36}\n/)
  expect(first.stderr).toContain(WITHOUT_PROBING)
  expect(await customer.credits()).toMatchObject({ available: 996 })

  const again = await desk.run(args.slice(0, -2))
  expect(again.code).toBe(0)
  expect(again.stderr).toMatch(
    /This file is list [0-9a-f-]{36} already, which is completed: nothing is charged again\./,
  )
  expect(await customer.credits()).toMatchObject({ available: 996 })

  expect((await desk.run([...args, '--fresh'])).code).toBe(0)
  expect(await customer.credits()).toMatchObject({ available: 992 })
})

test('two who send the same file at once pay for one list', async () => {
  const customer = await payer()
  const desk = openDesk(rowsOf(5), customer.key)
  const create = () => desk.run(['list', 'create', 'list.csv', '--yes', '--quiet'])
  const ids = await Promise.all([create(), create(), create()])
  expect(ids.map(({ code }) => code)).toEqual([0, 0, 0])
  expect(new Set(ids.map(({ stdout }) => stdout)).size).toBe(1)
  expect(await customer.credits()).toMatchObject({ available: 995 })
})

test('what is remembered is for its owner alone and holds no address and no key', async () => {
  const desk = openDesk('valid@example.com\nrisky@example.com\n')
  await desk.run(['list', 'create', 'list.csv'])
  await desk.run(['list', 'estimate', 'list.csv', '--column', 'column_1'])
  expect(desk.states()).toHaveLength(2)
  for (const path of desk.states()) {
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const text = readFileSync(path, 'utf8')
    expect(text).not.toContain('@')
    expect(text).not.toContain(tester.key.slice(8))
  }
})

test('a list is begun, looked at, read and found again by its id', async () => {
  const desk = openDesk('name,email\nAda,valid@example.com\nBob,invalid@example.com\nCy,risky@example.com\n')
  const created = await desk.run(['list', 'create', 'list.csv'])
  expect(created.stdout).toMatch(/^[0-9a-f-]{36}\n$/)
  const id = created.stdout.trim()

  const watched = await desk.run(['list', 'watch', id, '--fail-on', 'invalid>50%'])
  expect(watched.code).toBe(0)
  expect(watched.stderr).toContain('3/3 (100 %); valid 1, invalid 1, risky 1, unknown 0')
  expect(watched.stdout).toMatch(
    /status +completed\ndone +3 of 3 \(100 %\)\nresults +valid 1, invalid 1, risky 1, unknown 0\n/,
  )
  expect((await desk.run(['list', 'watch', id, '--fail-on', 'invalid'])).code).toBe(8)
  expect(JSON.parse((await desk.run(['list', 'status', id, '-o', 'json'])).stdout)).toMatchObject({ id, progress: 1 })
  expect((await desk.run(['list', 'ls'])).stdout).toMatch(new RegExp(`${id} +completed +3/3 .* list\\.csv\\n`))

  const sheet = await desk.run(['list', 'results', id])
  expect(sheet.stdout.split('\r\n')[2]).toMatch(/^"Bob","invalid@example.com","invalid","mailbox_not_found"/)
  const lines = await desk.run(['list', 'results', id, '-o', 'jsonl', '--status', 'valid,risky'])
  const results = lines.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(results.map(({ email, row }) => [email, row])).toEqual([
    ['valid@example.com', 2],
    ['risky@example.com', 4],
  ])
  await desk.run(['list', 'results', id, '-o', 'json', '--status', 'valid', '--evidence', '--out', 'valid.json'])
  expect(JSON.parse(desk.read('valid.json'))).toMatchObject([
    { email: 'valid@example.com', evidence: [{ check: 'sandbox' }] },
  ])

  expect((await desk.run(['list', 'cancel', id])).code).toBe(4)
  expect((await desk.run(['list', 'status', crypto.randomUUID()])).code).toBe(4)
  expect((await desk.run(['list', 'results', id, '--status', 'vaild'])).code).toBe(2)
})

test('Ctrl-C ends the looking on and not the list, and the same command goes on with it', async () => {
  // In test mode a greylisted row keeps its list under way for half a minute.
  const desk = openDesk('email\nvalid@example.com\ngreylisted@example.com\n')
  const child = desk.start(['clean', 'list.csv', '-o', 'out.csv', '--preset', 'lenient'])
  const left = new Promise((resolve) => child.once('close', resolve))
  await vi.waitFor(() => expect(child.ran.stderr).toContain('waiting for 1 greylisted until '), { timeout: 20_000 })
  child.kill('SIGINT')
  expect(await left).toBe(130)
  const [, id] = /still running: probity list watch ([0-9a-f-]{36})\n$/.exec(child.ran.stderr) ?? []
  expect(readdirSync(desk.home)).not.toContain('out.csv')

  const again = await desk.run(['clean', 'list.csv', '-o', 'out.csv', '--preset', 'lenient'])
  expect(again.code).toBe(0)
  expect(again.stderr).toContain(`This file is list ${id} already, which is processing`)
  expect(desk.read('out.csv')).toMatch(/"greylisted@example.com","valid"/)
})

test('a canceled list is no result, and its file can be begun anew', async () => {
  const desk = openDesk('email\ngreylisted@example.com\n')
  const { stdout } = await desk.run(['list', 'create', 'list.csv'])
  const id = stdout.trim()
  expect((await desk.run(['list', 'cancel', id, '-o', 'json'])).code).toBe(0)
  const watched = await desk.run(['list', 'watch', id])
  expect(watched.code).toBe(1)
  expect(watched.stderr).toMatch(
    /The list is canceled: its results are not whole\.\n {2}next: {2}probity list results /,
  )
  expect((await desk.run(['list', 'create', 'list.csv'])).stdout.trim()).not.toBe(id)
})

test('a CSV may come by a pipe, and its rows go to stdout', async () => {
  const desk = openDesk('')
  const stdin = 'email\nvalid@example.com\ninvalid@example.com\n'
  const { code, stdout } = await desk.run(['clean', '-', '-o', '-', '--quiet'], { stdin })
  expect(code).toBe(0)
  expect(stdout.split('\r\n').map((line) => line.split(',')[0])).toEqual(['"email"', '"valid@example.com"', ''])
})

test('another column than the suggested one costs at most what is filled, and one that is not there costs nothing', async () => {
  const customer = await payer()
  const csv = 'first,second\na@no-such-domain.example,c@no-such-domain.example\nb@no-such-domain.example,\n'
  const desk = openDesk(csv, customer.key)
  const estimate = await desk.run(['list', 'estimate', 'list.csv', '--column', 'second', '-o', 'json'])
  expect(JSON.parse(estimate.stdout)).toMatchObject({ column: 'second', credits: 1, at_most: true, unique: null })
  const wrong = await desk.run(['list', 'create', 'list.csv', '--column', 'third', '--yes'])
  expect(wrong.code).toBe(4)
  expect(wrong.stderr).toContain('The file has no column third. It has first, second. Nothing was spent.')
  expect((await desk.run(['list', 'create', 'list.csv', '--column', 'second', '--max-credits', '1'])).code).toBe(0)
  expect(await customer.credits()).toMatchObject({ available: 999 })
})

test('a file that cannot be read or written is said to be so, and nothing is begun', async () => {
  const customer = await openCustomer(product, { key: { mode: 'test' } })
  const desk = openDesk('email\nvalid@example.com\n', customer.key)
  expect(await desk.run(['clean', 'none.csv', '-o', 'out.csv', '--quiet'])).toEqual({
    code: 4,
    stdout: '',
    stderr: 'probity: none.csv cannot be read (ENOENT).\n  (code input, exit 4)\n',
  })
  expect((await desk.run(['clean', 'list.csv', '-o', './list.csv'])).code).toBe(2)
  expect((await desk.run(['clean', 'list.csv'])).code).toBe(2)
  expect((await desk.run(['clean', 'list.csv', '-o', 'no/such/folder/out.csv'])).code).toBe(4)
  expect((await customer.call('GET', '/bulk/jobs')).body).toEqual([])
})
