import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { WITHOUT_PROBING } from '@probity/contract/constants/system'
import { writeTestWorkbook } from '@probity/uploads/test-workbook'
import { expect, test, vi } from 'vitest'
import { createApiClient } from '../environment/instance.ts'
import { useSharedInstance } from '../environment/shared-instance.ts'
import { openHome } from './run-cli.ts'

/** Jobs on the command line, against the running service. Test keys where credits do not matter. */
const instance = await useSharedInstance()
const tester = await createApiClient(instance, { key: { mode: 'test' } })

/** A home folder with this file, and with a test key by default. */
function openFolder(csv: string, key = tester.key) {
  const folder = openHome({ PROBITY_BASE_URL: instance.api.url, PROBITY_API_KEY: key })
  writeFileSync(folder.path('list.csv'), csv)
  const stateFolder = folder.path('.local/state/probity/jobs')
  return {
    ...folder,
    read: (name: string) => readFileSync(folder.path(name), 'utf8'),
    states: () => readdirSync(stateFolder).map((name) => join(stateFolder, name)),
  }
}

async function openPayer(credits = 1_000) {
  const apiClient = await createApiClient(instance, { credits })
  return { ...apiClient, credits: async () => (await apiClient.call('GET', '/account')).body['credits'] }
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
])('clean --preset %s keeps the documented rows in their order, with their own columns first', async (preset, kept) => {
  const folder = openFolder(PEOPLE)
  const { code, stdout, stderr } = await folder.run(['clean', 'list.csv', '-o', 'out.csv', '--preset', preset])
  expect([code, stdout]).toEqual([0, ''])
  expect(stderr).toContain(`${kept.length} of 9 rows kept (${preset}).`)
  const lines = folder.read('out.csv').split('\r\n')
  expect(lines[0]).toMatch(/^"id";"E-Mail";"note";"probity_status";"probity_sub_status";/)
  expect(lines.slice(1, -1).map((line) => line.split('"')[1])).toEqual(kept)
  expect(lines[1]).toMatch(/^"1";"valid@example.com";"a ""quoted"" note; with a delimiter";"valid";"";/)
  if (preset !== 'strict') expect(folder.read('out.csv')).toContain('"4";"catch-all@example.com";"two\nlines";"risky"')
  expect(readdirSync(folder.home).filter((name) => name.includes('probity-'))).toEqual([])
  expect(statSync(folder.path('out.csv')).mode & 0o777).toBe(0o600)
})

test('clean reads the sheet of a workbook and writes an import file, as CSV and as a workbook', async () => {
  const folder = openFolder('')
  const rows = [
    ['name', 'email'],
    ['Ada', 'Ada <valid@example.com>'],
    ['Ada again', 'VALID@example.com'],
    ['Bob', 'invalid@example.com'],
  ]
  const sheets = [
    { name: 'Old', rows: [['email'], ['old@example.com']] },
    { name: 'New', rows },
  ]
  writeFileSync(folder.path('list.xlsx'), await writeTestWorkbook({ sheets }))
  const args = ['clean', 'list.xlsx', '--sheet', 'New', '--unique', '--own-columns']
  const { code, stderr } = await folder.run([...args, '-o', 'keep.csv'])
  expect([code, stderr]).toEqual([0, expect.stringContaining('1 of 2 addresses kept (balanced).')])
  expect(folder.read('keep.csv')).toBe('\uFEFF"name","email"\r\n"Ada","valid@example.com"\r\n')
  expect((await folder.run([...args, '--format', 'xlsx', '-o', 'keep.xlsx'])).code).toBe(0)
  expect(folder.read('keep.xlsx').startsWith('PK')).toBe(true)
  const wrong = await folder.run(['clean', 'list.xlsx', '--sheet', 'None', '-o', 'out.csv'])
  expect(wrong.stderr).toContain('The file has no sheet None. Its sheets: Old, New. Nothing was charged.')
  const json = await folder.run([...args, '--json'])
  expect([json.code, json.stderr]).toEqual([2, expect.stringContaining('--own-columns needs')])
})

test('a job without a confirmation charges nothing', async () => {
  const apiClient = await openPayer()
  const folder = openFolder(rowsOf(3), apiClient.key)
  const cases: [args: string[], code: number][] = [
    [['clean', 'list.csv', '-o', 'out.csv'], 9],
    [['clean', 'list.csv', '-o', 'out.csv', '--max-credits', '2'], 7],
    [['jobs', 'create', 'list.csv'], 9],
  ]
  for (const [args, expected] of cases) {
    const { code, stderr } = await folder.run(args)
    expect([args, code]).toEqual([args, expected])
    expect(stderr).toMatch(/costs 3 credits.* Nothing was charged\./)
  }
  const estimate = await folder.run(['jobs', 'estimate', 'list.csv', '--json'])
  expect(JSON.parse(estimate.stdout)).toEqual({
    column: 'email',
    rows: 3,
    unique: 3,
    credits: 3,
    available: 1_000,
    unlimited: false,
  })
  for (const args of [
    ['clean', 'list.csv', '-o', 'out.csv', '--dry-run'],
    ['jobs', 'create', 'list.csv', '--dry-run'],
  ]) {
    expect((await folder.run(args)).stdout).toMatch(/rows +3\nunique +3\ncredits +3\nbalance +1,000\n$/)
  }
  expect(readdirSync(folder.home)).not.toContain('out.csv')
  expect(await apiClient.credits()).toMatchObject({ available: 1_000, reserved: 0 })
  expect((await apiClient.call('GET', '/bulk/jobs')).body).toEqual([])
})

test('the same command again finds its job and charges nothing; --fresh creates another', async () => {
  const apiClient = await openPayer()
  const folder = openFolder(rowsOf(4), apiClient.key)
  const args = ['clean', 'list.csv', '-o', 'out.csv', '--preset', 'lenient', '--max-credits', '4']
  const first = await folder.run(args)
  expect(first.code).toBe(0)
  // No worker of this test can probe, which is printed before the charge.
  expect(first.stderr).toMatch(/^Reading list\.csv\.\n(?:.+\n)+?Job [0-9a-f-]{36}\n/)
  expect(first.stderr).toContain(WITHOUT_PROBING)
  expect(first.stderr).toMatch(/Cost of the job: 4 credits charged\.\n$/)
  expect(await apiClient.credits()).toMatchObject({ available: 996 })

  const again = await folder.run(args.slice(0, -2))
  expect(again.code).toBe(0)
  expect(again.stderr).toMatch(/This file already has job [0-9a-f-]{36} \(completed\)\. Nothing is charged again\./)
  expect(await apiClient.credits()).toMatchObject({ available: 996 })

  expect((await folder.run([...args, '--fresh'])).code).toBe(0)
  expect(await apiClient.credits()).toMatchObject({ available: 992 })
})

test('processes that upload the same file at once create one job', async () => {
  const apiClient = await openPayer()
  const folder = openFolder(rowsOf(5), apiClient.key)
  const create = () => folder.run(['jobs', 'create', 'list.csv', '--yes', '--quiet'])
  const ids = await Promise.all([create(), create(), create()])
  expect(ids.map(({ code }) => code)).toEqual([0, 0, 0])
  expect(new Set(ids.map(({ stdout }) => stdout)).size).toBe(1)
  expect(await apiClient.credits()).toMatchObject({ available: 995 })
})

test('saved state is readable by its owner only and contains no address and no key', async () => {
  const folder = openFolder('valid@example.com\nrisky@example.com\n')
  await folder.run(['jobs', 'create', 'list.csv'])
  await folder.run(['jobs', 'estimate', 'list.csv', '--column', 'column_1'])
  expect(folder.states()).toHaveLength(2)
  for (const path of folder.states()) {
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const text = readFileSync(path, 'utf8')
    expect(text).not.toContain('@')
    expect(text).not.toContain(tester.key.slice(8))
  }
})

test('a job is created, watched, viewed, listed, read and deleted', async () => {
  const folder = openFolder('name,email\nAda,valid@example.com\nBob,invalid@example.com\nCy,risky@example.com\n')
  const created = await folder.run(['jobs', 'create', 'list.csv'])
  expect(created.stdout).toMatch(/^[0-9a-f-]{36}\n$/)
  const id = created.stdout.trim()

  const watched = await folder.run(['jobs', 'watch', id, '--fail-on', 'invalid>50%'])
  expect(watched.code).toBe(0)
  expect(watched.stderr).toContain('3/3 (100 %); valid 1, invalid 1, risky 1, unknown 0')
  expect(watched.stdout).toMatch(
    /status +completed\ndone +3 of 3 \(100 %\)\nresults +valid 1, invalid 1, risky 1, unknown 0\ncost +free in test mode\n/,
  )
  expect((await folder.run(['jobs', 'watch', id, '--fail-on', 'invalid'])).code).toBe(8)
  expect(JSON.parse((await folder.run(['jobs', 'view', id, '--json'])).stdout)).toMatchObject({ id, progress: 1 })
  expect((await folder.run(['jobs', 'list'])).stdout).toMatch(new RegExp(`${id} +completed +3/3 .* list\\.csv\\n`))
  const listed = await folder.run(['jobs', 'list', '--status', 'completed', '--limit', '1', '--format', 'csv'])
  expect(listed.stdout).toMatch(new RegExp(`^id,.*\\n${id},.*\\n$`))

  const sheet = await folder.run(['jobs', 'results', id])
  expect(sheet.stdout.split('\r\n')[2]).toMatch(/^"Bob","invalid@example.com","invalid","mailbox_not_found"/)
  const lines = await folder.run(['jobs', 'results', id, '--format', 'jsonl', '--status', 'valid,risky'])
  const results = lines.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(results.map(({ email, row }) => [email, row])).toEqual([
    ['valid@example.com', 2],
    ['risky@example.com', 4],
  ])
  await folder.run(['jobs', 'results', id, '--json', '--status', 'valid', '--evidence', '-o', 'valid.json'])
  expect(JSON.parse(folder.read('valid.json'))).toMatchObject([
    { email: 'valid@example.com', evidence: [{ check: 'sandbox' }] },
  ])

  const table = await folder.run(['jobs', 'results', id, '--format', 'table', '--status', 'valid'])
  expect(table.stdout).toMatch(/^address +status +reason +confidence +meaning\nvalid@example.com +Valid /)

  expect((await folder.run(['jobs', 'cancel', id, '--yes'])).code).toBe(4)
  expect((await folder.run(['jobs', 'view', crypto.randomUUID()])).code).toBe(4)
  expect((await folder.run(['jobs', 'results', id, '--status', 'vaild'])).code).toBe(2)
  const kept = await folder.run(['jobs', 'delete', id])
  expect([kept.code, kept.stderr]).toEqual([9, expect.stringContaining('Confirmation required: pass --yes.')])
  const deleted = await folder.run(['jobs', 'delete', id, '--yes', '--json'])
  expect(JSON.parse(deleted.stdout)).toEqual({ id, deleted: true })
  expect((await folder.run(['jobs', 'view', id])).code).toBe(4)
})

test('Ctrl-C ends the command and not the job, and the same command resumes with it', async () => {
  // In test mode a greylisted row is deferred for half a minute.
  const folder = openFolder('email\nvalid@example.com\ngreylisted@example.com\n')
  const child = folder.start(['clean', 'list.csv', '-o', 'out.csv', '--preset', 'lenient'])
  const exited = new Promise((resolve) => child.once('close', resolve))
  await vi.waitFor(
    () => expect(child.ran.stderr).toContain('1 address waits for greylisting servers, at the latest '),
    { timeout: 20_000 },
  )
  child.kill('SIGINT')
  expect(await exited).toBe(130)
  const [, id] = /The job continues\. To watch it: probity jobs watch ([0-9a-f-]{36})\n$/.exec(child.ran.stderr) ?? []
  expect(readdirSync(folder.home)).not.toContain('out.csv')

  const again = await folder.run(['clean', 'list.csv', '-o', 'out.csv', '--preset', 'lenient'])
  expect(again.code).toBe(0)
  expect(again.stderr).toContain(`This file already has job ${id} (processing)`)
  expect(folder.read('out.csv')).toMatch(/"greylisted@example.com","valid"/)
})

test('a job is paused, resumed and canceled, and its file can be started again', async () => {
  const folder = openFolder('email\ngreylisted@example.com\n')
  const { stdout } = await folder.run(['jobs', 'create', 'list.csv'])
  const id = stdout.trim()
  expect((await folder.run(['jobs', 'pause', id])).stdout).toMatch(/status +paused\n/)
  const resumed = JSON.parse((await folder.run(['jobs', 'resume', id, '--json'])).stdout)
  expect(resumed.status).not.toBe('paused')
  const declined = await folder.run(['jobs', 'cancel', id])
  expect([declined.code, declined.stderr]).toEqual([9, expect.stringContaining('Confirmation required: pass --yes.')])
  expect(JSON.parse((await folder.run(['jobs', 'cancel', id, '--yes', '--json'])).stdout)).toMatchObject({
    id,
    status: 'canceled',
  })
  const watched = await folder.run(['jobs', 'watch', id])
  expect(watched.code).toBe(1)
  expect(watched.stderr).toMatch(
    /The job is canceled, so its results are incomplete\.\n {2}next: {2}probity jobs results /,
  )
  expect((await folder.run(['jobs', 'create', 'list.csv'])).stdout.trim()).not.toBe(id)
})

test('jobs update renames and tags a job, and jobs list finds it by a tag', async () => {
  const folder = openFolder('email\nvalid@example.com\n')
  const id = (await folder.run(['jobs', 'create', 'list.csv'])).stdout.trim()
  expect((await folder.run(['jobs', 'update', id])).code).toBe(2)
  const updated = await folder.run(['jobs', 'update', id, '--name', 'Customers', '--tags', 'vip, europe'])
  expect(updated.stdout).toMatch(/name +Customers\ntags +vip, europe\n/)
  const found = await folder.run(['jobs', 'list', '--tag', 'europe', '--json'])
  expect(JSON.parse(found.stdout)).toMatchObject([{ id, tags: ['vip', 'europe'] }])
  const bare = JSON.parse((await folder.run(['jobs', 'update', id, '--tags', 'none', '--json'])).stdout)
  expect(bare).toMatchObject({ name: 'Customers', tags: [] })
})

test('jobs rerun, share and compare work on a job that has ended', async () => {
  const folder = openFolder('email\nvalid@example.com\nunknown@example.com\n')
  const created = await folder.run(['jobs', 'create', 'list.csv', '--watch', '--json'])
  const { id } = JSON.parse(created.stdout)
  const again = (await folder.run(['jobs', 'rerun', id, '--rows', 'unknown'])).stdout.trim()
  const job = JSON.parse((await folder.run(['jobs', 'view', again, '--json'])).stdout)
  expect(job).toMatchObject({ rerun_of: id, rerun_rows: 'unknown', unique_count: 1 })
  const whole = JSON.parse((await folder.run(['jobs', 'rerun', id, '--watch', '--json'])).stdout)
  expect(whole).toMatchObject({ rerun_of: id, rerun_rows: 'all', unique_count: 2, status: 'completed' })
  const url = (await folder.run(['jobs', 'share', id, '--days', '7'])).stdout
  expect(url).toMatch(/\/app\/report#[\w-]{43}\n$/)
  const [link] = JSON.parse((await folder.run(['jobs', 'links', id, '--json'])).stdout)
  expect((await folder.run(['jobs', 'unshare', id, link.id, '--yes'])).stdout).toBe(`Revoked report link ${link.id}\n`)
  expect(JSON.parse((await folder.run(['jobs', 'links', id, '--json'])).stdout)).toEqual([])
  const compared = await folder.run(['jobs', 'compare', whole.id, id])
  expect(compared.stdout).toMatch(/valid +1, before 1\n(.+\n)*in both +2\nchanged +0\n/)
})

test('jobs rerun asks before it charges', async () => {
  const apiClient = await openPayer()
  const folder = openFolder('email\na@no-such-domain.example\n', apiClient.key)
  const { id } = JSON.parse((await folder.run(['jobs', 'create', 'list.csv', '--yes', '--watch', '--json'])).stdout)
  const declined = await folder.run(['jobs', 'rerun', id])
  expect([declined.code, declined.stderr]).toEqual([9, expect.stringContaining('This costs 1 credit.')])
  expect(await apiClient.credits()).toMatchObject({ available: 999 })
  expect((await folder.run(['jobs', 'rerun', id, '--max-credits', '1'])).code).toBe(0)
  expect(await apiClient.credits()).toMatchObject({ available: 998 })
})

test('clean reads standard input and writes CSV or JSON to standard output', async () => {
  const folder = openFolder('')
  const stdin = 'email\nvalid@example.com\ninvalid@example.com\n'
  const { code, stdout } = await folder.run(['clean', '-', '--quiet'], { stdin })
  expect(code).toBe(0)
  expect(stdout.split('\r\n').map((line) => line.split(',')[0])).toEqual(['"email"', '"valid@example.com"', ''])
  const json = await folder.run(['clean', '-', '--quiet', '--json'], { stdin })
  expect(JSON.parse(json.stdout)).toEqual([
    expect.objectContaining({ email: 'valid@example.com', probity_status: 'valid', probity_safe_to_send: 'true' }),
  ])
})

test('another column than the suggested one has its own cost, and a missing one costs nothing', async () => {
  const apiClient = await openPayer()
  const csv = 'first,second\na@no-such-domain.example,c@no-such-domain.example\nb@no-such-domain.example,\n'
  const folder = openFolder(csv, apiClient.key)
  const estimate = await folder.run(['jobs', 'estimate', 'list.csv', '--column', 'second', '--json'])
  expect(JSON.parse(estimate.stdout)).toMatchObject({ column: 'second', credits: 1, unique: 1 })
  expect(estimate.stderr).toContain('Column: second (1 address); also: first (2)\n')
  const wrong = await folder.run(['jobs', 'create', 'list.csv', '--column', 'third', '--yes'])
  expect(wrong.code).toBe(4)
  expect(wrong.stderr).toContain('The file has no column third. Its columns: first, second. Nothing was charged.')
  expect((await folder.run(['jobs', 'create', 'list.csv', '--column', 'second', '--max-credits', '1'])).code).toBe(0)
  expect(await apiClient.credits()).toMatchObject({ available: 999 })
})

const MESSY = [
  'Contacts export;',
  'name;E-Mail',
  'Ada;valid@example.com, role@example.com',
  '',
  'Bo;valid @ example.com',
  'Cy;valid@gmial.com',
  'Di;di.@example.com',
  'Ed;n/a',
  'Flo;',
  '',
].join('\n')

test('clean accounts for every line of a messy file, and writes those that were not validated', async () => {
  const folder = openFolder(MESSY)
  const args = ['clean', 'list.csv', '-o', 'out.csv', '--accept-suggestions']
  const first = await folder.run([...args, '--left-out', 'left-out.csv'])
  expect(first.code).toBe(0)
  const sum = '7 lines and 1 second address: 1 blank, 2 without an address, 1 malformed, 1 duplicate, 3 validated.\n'
  expect(first.stderr).toMatch(
    new RegExp(
      `^Reading list.csv.\nColumn: E-Mail \\(3 addresses\\)\nHeader: row 2\n1 address repaired, such as "valid @ example.com": valid@example.com\n1 domain corrected.\n${sum}Job `,
    ),
  )
  expect(first.stderr).toContain(
    `${sum}4 of 8 rows kept (balanced).\n3 rows or addresses not validated: see left-out.csv.\n`,
  )
  const rows = folder.read('out.csv').split('\r\n').slice(1, -1)
  expect(rows.map((row) => row.split(';').at(-1))).toEqual([
    '"valid@example.com"',
    '"role@example.com"',
    '"valid@example.com"',
    '"valid@gmail.com"',
  ])
  expect(folder.read('left-out.csv').split('\r\n')).toEqual([
    '"name";"E-Mail";"probity_row";"probity_left_out";"probity_value"',
    '"Contacts export";"";"1";"above_header";""',
    '"Di";"di.@example.com";"7";"malformed";"di.@example.com"',
    '"Ed";"n/a";"8";"no_address";"n/a"',
    '"Flo";"";"9";"empty";""',
    '',
  ])
  expect(statSync(folder.path('left-out.csv')).mode & 0o777).toBe(0o600)

  const again = await folder.run(args)
  expect(again.stderr).toMatch(
    /3 rows or addresses not validated\. To write them with the reasons: probity jobs results [0-9a-f-]{36} --part left_out -o left-out\.csv\n/,
  )
  const [, id = ''] = /already has job (\S+)/.exec(again.stderr) ?? []
  const part = ['jobs', 'results', id, '--part', 'left_out']
  expect((await folder.run(part)).stdout).toBe(folder.read('left-out.csv'))
  expect((await folder.run([...part, '--json'])).stderr).toContain('--part left_out needs --format csv or xlsx.')
  expect((await folder.run(['jobs', 'view', id])).stdout).toContain(`lines    ${sum.slice(0, -2)}\n`)
})

test('the options of reading have a job each, and without consent no domain is corrected', async () => {
  const folder = openFolder(MESSY)
  const plain = await folder.run(['jobs', 'create', 'list.csv', '--watch'])
  expect(plain.stderr).toContain(
    '1 domain looks mistyped. To correct them, pass --accept-suggestions.\n  row 6: valid@gmial.com, did you mean valid@gmail.com?\n',
  )
  const estimate = async (...flags: string[]) => (await folder.run(['jobs', 'estimate', 'list.csv', ...flags])).stderr
  expect(await estimate('--first-address-only', '--validate-malformed')).toContain(
    '7 lines and 1 second address: 1 blank, 2 without an address, 1 left out, 1 duplicate, 3 validated.\n',
  )
  expect(await estimate('--header-row', '0')).toContain('Column: column_2 (3 addresses)\nHeader: none\n')
  expect(await estimate('--header-row', '1')).toMatch(
    /\n8 lines and 1 second address: 1 blank, 3 without an address, 1 malformed, 1 duplicate, 3 validated\.\n$/,
  )
  const wrong = await folder.run(['jobs', 'estimate', 'list.csv', '--header-row', '4'])
  expect([wrong.code, wrong.stderr]).toEqual([4, expect.stringContaining('Row 4, which was chosen as the header')])
  const again = await folder.run(['jobs', 'create', 'list.csv', '--watch'])
  expect(again.stdout).toBe(plain.stdout)
  const other = await folder.run(['jobs', 'create', 'list.csv', '--validate-malformed', '--watch'])
  expect(other.stdout).not.toBe(plain.stdout)
})

test('clean rejects a name for two files before anything is charged', async () => {
  const folder = openFolder(MESSY)
  for (const leftOut of ['list.csv', './out.csv', '-']) {
    const { code, stderr } = await folder.run(['clean', 'list.csv', '-o', 'out.csv', '--left-out', leftOut])
    expect([leftOut, code]).toEqual([leftOut, 2])
    expect(stderr).not.toContain('Job ')
  }
  const none = await folder.run(['clean', 'list.csv', '-o', 'out.csv', '--left-out', 'no/such/folder/left-out.csv'])
  expect([none.code, none.stderr]).toEqual([4, expect.not.stringContaining('Job ')])
})

test('a file that cannot be read or written is an error, and no job is created', async () => {
  const apiClient = await createApiClient(instance, { key: { mode: 'test' } })
  const folder = openFolder('email\nvalid@example.com\n', apiClient.key)
  expect(await folder.run(['clean', 'none.csv', '-o', 'out.csv', '--quiet'])).toEqual({
    code: 4,
    stdout: '',
    stderr: 'probity: Cannot read none.csv (ENOENT).\n  (code input, exit 4)\n',
  })
  expect((await folder.run(['clean', 'list.csv', '-o', './list.csv'])).code).toBe(2)
  expect((await folder.run(['clean', 'list.csv', '-o', 'no/such/folder/out.csv'])).code).toBe(4)
  expect((await apiClient.call('GET', '/bulk/jobs')).body).toEqual([])
})
