import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { borrowProduct } from './test-borrowed.ts'
import { CLI, openHome } from './test-cli.ts'
import { openCustomer } from './test-product.ts'
import { openTmux } from './test-tmux.ts'

/** The command line in a real terminal, with somebody at the keys. */
const product = await borrowProduct()

/** The codes for colours in what a terminal was sent. */
const coloursIn = (sent: string) =>
  sent
    .split('\u001b[')
    .slice(1)
    .filter((code) => /^[\d;]*m/.test(code))

/** A shell in which `probity` is the command, and a list in its folder. */
async function sitDown(csv: string, key: string, more: Record<string, string> = {}) {
  const { home, path, env } = openHome({
    PROBITY_BASE_URL: product.api.url,
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

async function availableOf(customer: Awaited<ReturnType<typeof openCustomer>>) {
  const { body } = await customer.call('GET', '/account')
  return (body['credits'] as { available: number }).available
}

test('shows the price and asks; n spends nothing, y starts the list, the bar moves and the file is there', async () => {
  const customer = await openCustomer(product, { credits: 5_000 })
  const desk = await sitDown(listOf(2_000), customer.key)
  await desk.enter('probity clean list.csv -o out.csv --preset lenient')
  const asked = await desk.sees(/Spend 2,000 credits\?/)
  expect(asked).toMatch(/rows +2,000\nunique +2,000\ncredits +2,000\nbalance +5,000\n/)
  await desk.type('n')
  expect(await desk.sees(/ended with 7/)).toContain('Not agreed to. Nothing was spent.')
  expect(await availableOf(customer)).toBe(5_000)

  await desk.enter('clear; probity clean list.csv -o out.csv --preset lenient')
  await desk.sees(/Spend 2,000 credits\?/)
  await desk.type('y')
  const done = await desk.sees(/ended with 0/)
  expect(done).toMatch(
    /\[#{24}\] 2,000\/2,000 \(100 %\)\nvalid 0, invalid 2,000, risky 0, unknown 0\n0 of 2,000 rows kept/,
  )
  const shown = new Set([...desk.sent().matchAll(/\] ([\d,]+)\/2,000/g)].map(([, count]) => count))
  expect(shown.size).toBeGreaterThanOrEqual(2)
  expect(desk.read('out.csv')).toMatch(/^"email","probity_status"/)
  expect(await availableOf(customer)).toBe(3_000)
})

test('Ctrl-C at the question spends nothing', async () => {
  const customer = await openCustomer(product, { credits: 10 })
  const desk = await sitDown(listOf(3), customer.key)
  await desk.enter('probity list create list.csv')
  await desk.sees(/Spend 3 credits\?/)
  await desk.press('C-c')
  expect(await desk.sees(/ended with 130/)).toContain('Interrupted. Nothing was spent.')
  expect(await availableOf(customer)).toBe(10)
  expect((await customer.call('GET', '/bulk/jobs')).body).toEqual([])
})

test('Ctrl-C in mid-run says how to look on, and the same command again goes on with the same list', async () => {
  const { key } = await openCustomer(product, { key: { mode: 'test' } })
  const desk = await sitDown('email\nvalid@example.com\ngreylisted@example.com\n', key)
  await desk.enter('probity clean list.csv -o out.csv')
  await desk.sees(/\] 1\/2 \(50 %\).*\n.*waiting for 1 greylisted until \d\d:\d\d/)
  await desk.press('C-c')
  const left = await desk.sees(/ended with 130/)
  const [, id] = /The list is still running: probity list watch ([0-9a-f-]{36})/.exec(left) ?? []
  expect(existsSync(desk.path('out.csv'))).toBe(false)

  await desk.enter('clear; probity clean list.csv -o out.csv')
  await desk.sees(new RegExp(`This file is list ${id} already, which is processing`))
  await desk.sees(/2 of 2 rows kept \(balanced\)\.\nended with 0/)
  expect(desk.read('out.csv')).toMatch(/"greylisted@example.com","valid"/)
})

test('a table has colours in a terminal, and with NO_COLOR nothing has', async () => {
  const { key } = await openCustomer(product, { key: { mode: 'test' } })
  const coloured = await sitDown('email\nvalid@example.com\n', key)
  await coloured.enter('clear; probity validate valid@example.com')
  await coloured.sees(/ended with 0/)
  expect(coloured.sent()).toContain('\u001b[32mvalid\u001b[39m')

  const live = await openCustomer(product, { credits: 10 })
  const plain = await sitDown(listOf(3), live.key, { NO_COLOR: '1' })
  await plain.enter('clear; probity clean list.csv -o out.csv --preset lenient')
  await plain.sees(/Spend 3 credits\?/)
  await plain.type('y')
  await plain.sees(/ended with 0/)
  await plain.enter('clear; probity validate ada@example,com')
  await plain.sees(/syntax_error[\s\S]*ended with 0/)
  expect(coloursIn(plain.sent())).toEqual([])
})

const isMissing = (shell: string) => spawnSync(shell, ['--version']).error !== undefined

/** A shell with `probity` on its path, which has read what `probity completion` prints for it. */
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
  test(`${shell} completes commands, commands below them and flags`, async ({ skip }) => {
    skip(isMissing(shell), `${shell} is not installed here`)
    const tmux = await openShell(start, load)
    await tmux.type('probity cre\t--out\tjson; echo done')
    await tmux.sees(/probity credits --output json; echo done$/m)
    await tmux.press('C-u')
    await tmux.type('probity --quiet list est\t--col\t')
    await tmux.sees(/probity --quiet list estimate --column$/m)
  }, 60_000)
}

test('fish completes commands, commands below them and flags', async ({ skip }) => {
  skip(isMissing('fish'), 'fish is not installed here')
  const tmux = await openShell('fish --no-config --private', 'probity completion fish | source; clear')
  await tmux.enter(
    "complete -C 'probity list est'; complete -C 'probity --quiet list estimate --col'; complete -C 'probity keys '",
  )
  await tmux.sees(/^estimate\s+Upload a CSV.*\n--column\s+the column.*\n(?:.*\n)*revoke\s+Revoke a key/m)
})
