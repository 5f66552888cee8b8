import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createApiClient } from '../environment/instance.ts'
import { useSharedInstance } from '../environment/shared-instance.ts'
import { CLI, openHome } from './run-cli.ts'
import { openTmux } from './tmux.ts'

/** The command line in a real terminal. */
const instance = await useSharedInstance()

/** The color codes in the output of a terminal. */
const colorsIn = (sent: string) =>
  sent
    .split('\u001b[')
    .slice(1)
    .filter((code) => /^[\d;]*m/.test(code))

/** A shell with the function `probity` and a file list.csv. */
async function openSession(csv: string, key: string, more: Record<string, string> = {}) {
  const { home, path, env } = openHome({
    PROBITY_BASE_URL: instance.api.url,
    PROBITY_API_KEY: key,
    LANG: 'C.UTF-8',
    ...more,
  })
  writeFileSync(path('list.csv'), csv)
  const tmux = await openTmux(env(), home)
  await tmux.enter(
    `unset HISTFILE; PS1='ready> '; probity() { "${process.execPath}" "${CLI}" "$@"; echo "ended with $?"; }; clear`,
  )
  await tmux.sees(/^ready>$/m)
  return { ...tmux, path, read: (name: string) => readFileSync(path(name), 'utf8') }
}

const listOf = (count: number) =>
  `email\n${Array.from({ length: count }, (_, n) => `person${n}@no-such-domain.example\n`).join('')}`

async function availableOf(apiClient: Awaited<ReturnType<typeof createApiClient>>) {
  const { body } = await apiClient.call('GET', '/account')
  return (body['credits'] as { available: number }).available
}

test('clean asks for the cost; n charges nothing, y starts the job, shows progress and writes the file', async () => {
  const apiClient = await createApiClient(instance, { credits: 5_000 })
  const session = await openSession(listOf(2_000), apiClient.key)
  await session.enter('probity clean list.csv -o out.csv --preset lenient')
  const asked = await session.sees(/Spend 2,000 credits\?/)
  expect(asked).toMatch(/rows +2,000\nunique +2,000\ncredits +2,000\nbalance +5,000\n/)
  await session.type('n')
  expect(await session.sees(/ended with 9/)).toContain('Declined. Nothing was charged.')
  expect(await availableOf(apiClient)).toBe(5_000)

  await session.enter('clear; probity clean list.csv -o out.csv --preset lenient')
  await session.sees(/Spend 2,000 credits\?/)
  await session.type('y')
  const done = await session.sees(/ended with 0/)
  expect(done).toMatch(
    /\[#{24}\] 2,000\/2,000 \(100 %\)\nvalid 0, invalid 2,000, risky 0, unknown 0\n2,000 lines: 2,000 validated\.\n0 of 2,000 rows kept/,
  )
  const shown = new Set([...session.sent().matchAll(/\] ([\d,]+)\/2,000/g)].map(([, count]) => count))
  expect(shown.size).toBeGreaterThanOrEqual(2)
  expect(session.read('out.csv')).toMatch(/^"email","probity_status"/)
  expect(await availableOf(apiClient)).toBe(3_000)
})

const MESSY = [
  'Name,Work e-mail,Personal e-mail',
  'Ada,ada@no-such-domain.example; bo@no-such-domain.example,ada@gmial.com',
  'Cy,n/a,cy@no-such-domain.example',
  '',
  'Di,di.@no-such-domain.example,',
  'Ed,ed (at) no-such-domain.example,',
  '',
].join('\n')

test('create asks which of two columns to validate and whether to correct domains, and shows the sum', async () => {
  const apiClient = await createApiClient(instance, { credits: 10 })
  const session = await openSession(MESSY, apiClient.key)
  await session.enter('probity jobs create list.csv')
  await session.sees(/Several columns have addresses\. Which one is validated\?/)
  await session.press('Enter')
  const work = await session.sees(/Spend 3 credits\?/)
  expect(work).toContain('Column: Work e-mail (2 addresses); also: Personal e-mail (2)\n')
  expect(work).toContain('1 address repaired, such as "ed (at) no-such-domain.example": ed@no-such-domain.example\n')
  expect(work).toContain('5 lines and 1 second address: 1 blank, 1 without an address, 1 malformed, 3 validated.\n')
  await session.type('n')
  await session.sees(/ended with 9/)

  await session.enter('clear; probity jobs create list.csv --quiet')
  await session.sees(/Which one is validated\?/)
  await session.press('C-c')
  await session.sees(/Interrupted\. Nothing was changed\.[\s\S]*ended with 130/)

  await session.enter('clear; probity jobs create list.csv')
  await session.sees(/Work e-mail \(2 addresses\)[\s\S]*Personal e-mail \(2 addresses\)/)
  await session.press('Down')
  await session.press('Enter')
  const asked = await session.sees(/Accept 1 suggested domain\?/)
  expect(asked).toContain('1 domain looks mistyped.\n  row 2: ada@gmial.com, did you mean ada@gmail.com?\n')
  await session.type('n')
  await session.sees(/Spend 2 credits\?/)
  await session.type('n')
  await session.sees(/ended with 9/)

  await session.enter("clear; probity jobs create list.csv --column 'Personal e-mail'")
  await session.sees(/Accept 1 suggested domain\?/)
  await session.type('y')
  const corrected = await session.sees(/Spend 2 credits\?/)
  expect(corrected).toContain('1 domain corrected.\n5 lines: 1 blank, 2 without an address, 2 validated.\n')
  await session.press('C-c')
  await session.sees(/ended with 130/)
  expect(await availableOf(apiClient)).toBe(10)
})

test('Ctrl-C at the confirmation charges nothing', async () => {
  const apiClient = await createApiClient(instance, { credits: 10 })
  const session = await openSession(listOf(3), apiClient.key)
  await session.enter('probity jobs create list.csv')
  await session.sees(/Spend 3 credits\?/)
  await session.press('C-c')
  expect(await session.sees(/ended with 130/)).toContain('Interrupted. Nothing was changed.')
  expect(await availableOf(apiClient)).toBe(10)
  expect((await apiClient.call('GET', '/bulk/jobs')).body).toEqual([])
})

test('Ctrl-C during a job prints how to watch it, and the same command again resumes with the same job', async () => {
  const { key } = await createApiClient(instance, { key: { mode: 'test' } })
  const session = await openSession('email\nvalid@example.com\ngreylisted@example.com\n', key)
  await session.enter('probity clean list.csv -o out.csv')
  await session.sees(/\] 1\/2 \(50 %\).*\n.*1 address waits for greylisting servers, at the latest \d\d:\d\d/)
  await session.press('C-c')
  const left = await session.sees(/ended with 130/)
  const [, id] = /The job continues. To watch it: probity jobs watch ([0-9a-f-]{36})/.exec(left) ?? []
  expect(existsSync(session.path('out.csv'))).toBe(false)

  await session.enter('clear; probity clean list.csv -o out.csv')
  await session.sees(new RegExp(`This file already has job ${id} \\(processing\\)`))
  await session.sees(/2 of 2 rows kept \(balanced\)\.\nended with 0/)
  expect(session.read('out.csv')).toMatch(/"greylisted@example.com","valid"/)
  await session.enter(`clear; probity jobs results ${id} --format table`)
  await session.sees(/valid@example.com +Valid[\s\S]*greylisted@example.com +Valid[\s\S]*ended with 0/)
})

test('a table has colors in a terminal, and no output has with NO_COLOR', async () => {
  const { key } = await createApiClient(instance, { key: { mode: 'test' } })
  const colored = await openSession('email\nvalid@example.com\n', key)
  await colored.enter('clear; probity validate valid@example.com')
  await colored.sees(/ended with 0/)
  expect(colored.sent()).toContain('\u001b[32mValid\u001b[39m')

  const live = await createApiClient(instance, { credits: 10 })
  const plain = await openSession(listOf(3), live.key, { NO_COLOR: '1' })
  await plain.enter('clear; probity clean list.csv -o out.csv --preset lenient')
  await plain.sees(/Spend 3 credits\?/)
  await plain.type('y')
  await plain.sees(/ended with 0/)
  await plain.enter('clear; probity validate ada@example,com')
  await plain.sees(/Syntax error[\s\S]*ended with 0/)
  expect(colorsIn(plain.sent())).toEqual([])
})

const isMissing = (shell: string) => spawnSync(shell, ['--version']).error !== undefined

/** A shell with `probity` in PATH, which has loaded its completion script. */
async function openShell(shell: string, load: string) {
  const { home, path, env } = openHome({ LANG: 'C.UTF-8' })
  mkdirSync(path('bin'))
  writeFileSync(path('bin/probity'), `#!/bin/sh\nexec "${process.execPath}" "${CLI}" "$@"\n`, { mode: 0o755 })
  const tmux = await openTmux(env({ PATH: `${path('bin')}:${process.env['PATH']}` }), home)
  await tmux.enter(`unset HISTFILE; PS1='$ '; ${shell}`)
  await tmux.enter(`${load}; echo load""ed`)
  await tmux.sees(/^loaded$/m)
  return tmux
}

const SHELLS: [shell: string, start: string, load: string][] = [
  ['bash', 'true', 'source <(probity completion bash)'],
  ['zsh', 'zsh -f', 'HISTFILE=; autoload -U compinit; compinit -u -D; source <(probity completion zsh)'],
]

for (const [shell, start, load] of SHELLS) {
  test(`${shell} completes commands, subcommands and flags`, async ({ skip }) => {
    skip(isMissing(shell), `${shell} is not installed`)
    const tmux = await openShell(start, load)
    await tmux.type('probity who\t--form\tjson; echo done')
    await tmux.sees(/probity whoami --format json; echo done$/m)
    await tmux.press('C-u')
    await tmux.type('probity --quiet jobs est\t--col\t')
    await tmux.sees(/probity --quiet jobs estimate --column$/m)
    await tmux.press('C-u')
    await tmux.type('probity webhooks deliv\t--lim\t')
    await tmux.sees(/probity webhooks deliveries --limit$/m)
  }, 60_000)
}

test('fish completes commands, subcommands and flags', async ({ skip }) => {
  skip(isMissing('fish'), 'fish is not installed')
  const tmux = await openShell('fish --no-config --private', 'probity completion fish | source; clear')
  await tmux.enter(
    "complete -C 'probity jobs est'; complete -C 'probity --quiet jobs estimate --col'; complete -C 'probity keys '",
  )
  await tmux.sees(/^estimate\s+Upload a CSV.*\n--column\s+column with.*\n(?:.*\n)*revoke\s+Revoke a key/m)
})
