import type { Command, Option } from 'commander'
import { expect, test } from 'vitest'
import { EXIT_CODES } from './data/exit-codes.ts'
import { buildProgram, listCommands } from './program.ts'

const program = buildProgram({ streams: process, env: {}, signal: new AbortController().signal }, '1.2.3')
const commands = listCommands(program)
const groups = program.commands.filter((command) => command.commands.length > 0)
const everything = [program, ...groups, ...commands]

function nameOf(command: Command): string {
  const parent = command.parent === null || command.parent === program ? '' : `${nameOf(command.parent)} `
  return `${parent}${command.name()}`
}

function helpOf(command: Command): string {
  let text = ''
  command.configureOutput({ writeOut: (part) => (text += part) })
  command.outputHelp()
  return text
}

function findOption(command: Command, long: string): Option | undefined {
  return command.options.find((option) => option.long === long)
}

test('the program has the documented commands', () => {
  expect(commands.map(nameOf)).toEqual([
    'validate',
    'clean',
    ...['list', 'view', 'watch', 'create', 'estimate', 'results', 'update', 'rerun', 'compare'].map(
      (verb) => `jobs ${verb}`,
    ),
    ...['share', 'links', 'unshare', 'pause', 'resume', 'cancel', 'delete'].map((verb) => `jobs ${verb}`),
    ...['list', 'view', 'create', 'rotate', 'update', 'pause', 'resume', 'revoke'].map((verb) => `keys ${verb}`),
    ...['list', 'view', 'create', 'rotate', 'update', 'delete', 'test', 'deliveries', 'resend'].map(
      (verb) => `webhooks ${verb}`,
    ),
    'listen',
    'requests list',
    'requests view',
    'usage',
    'erase',
    'api',
    'login',
    'logout',
    'whoami',
    ...['list', 'get', 'set', 'unset', 'use'].map((verb) => `config ${verb}`),
    'doctor',
    'completion',
  ])
})

test.each(commands.map((command) => [nameOf(command), command] as const))(
  '%s has --format, --json and -o with the common meaning',
  (name, command) => {
    const format = findOption(command, '--format')
    const isFile = ['clean', 'jobs results'].includes(name)
    expect(format?.argChoices).toEqual(['table', 'json', 'jsonl', 'csv', ...(isFile ? ['xlsx'] : [])])
    expect(format?.description).toBe('format of the result')
    expect(findOption(command, '--json')?.description).toBe('same as --format json')
    const output = findOption(command, '--output')
    expect([output?.flags, output?.description]).toEqual([
      '-o, --output <file>',
      'write the result to a file; - for standard output',
    ])
  },
)

test('commands with another default format than table are those whose result is a file or a response', () => {
  const others = commands.filter((command) => findOption(command, '--format')?.defaultValue !== 'table')
  expect(others.map((command) => [nameOf(command), findOption(command, '--format')?.defaultValue])).toEqual([
    ['clean', 'csv'],
    ['jobs results', 'csv'],
    ['api', 'json'],
  ])
})

test('an option has one short form and takes a value in all commands or in none', () => {
  const forms = new Map<string, Set<string>>()
  for (const { short, long, required, optional } of everything.flatMap((command) => command.options)) {
    const form = JSON.stringify([short ?? null, required || optional])
    forms.set(String(long), (forms.get(String(long)) ?? new Set()).add(form))
    if (short) forms.set(short, (forms.get(short) ?? new Set()).add(String(long)))
  }
  expect([...forms].filter(([, found]) => found.size > 1)).toEqual([])
})

test('commands that ask for a confirmation have --yes', () => {
  const withYes = commands.filter((command) => findOption(command, '--yes') !== undefined)
  expect(withYes.map(nameOf)).toEqual([
    'validate',
    'clean',
    'jobs create',
    'jobs rerun',
    'jobs unshare',
    'jobs cancel',
    'jobs delete',
    'keys revoke',
    'webhooks delete',
    'erase',
  ])
})

/** Words that the glossary replaces, and commands and flags that no longer exist. */
const REPLACED =
  /\b(some|no|every)body\b|\bwhoever\b|\bwho\b|\basks?\b|\btold\b|\blooks? (at|on)\b|\bgoes on\b|\bfor good\b|\bset aside\b|\bgiven back\b|\bspend\b|\bthrow-?away\b|\bcolours?\b|\bcancelled\b|probity (list|credits)\b|\b(keys|jobs|webhooks) ls\b|--out\b|-o (json|jsonl|csv|table)\b/i

test.each(everything.map((command) => [nameOf(command), command] as const))(
  'the help of %s has usage, description, options and examples in this order',
  (_, command) => {
    const help = helpOf(command)
    expect(help).toMatch(/^Usage: probity/)
    expect(command.description()).toMatch(/^[A-Z].*\.$/)
    const sections = ['Usage: ', command.description().slice(0, 20), 'Options:', 'Examples:\n  ']
    const positions = sections.map((section) => help.indexOf(section))
    expect(positions).toEqual(positions.toSorted((a, b) => a - b))
    expect(positions).not.toContain(-1)
    expect(help.split('\n').filter((line) => REPLACED.test(line))).toEqual([])
    for (const { description, hidden } of command.options) if (!hidden) expect(description).not.toBe('')
  },
)

test('examples of the help are commands of the program', () => {
  const examples = everything.flatMap((command) => [...helpOf(command).matchAll(/^ {2}(?:id=\$\()?probity (.+)$/gm)])
  for (const [, line = ''] of examples) {
    const [first = '', second = ''] = line.split(' ')
    const known = commands.map(nameOf)
    expect(known.includes(first) || known.includes(`${first} ${second}`) || first === 'requests').toBe(true)
    const command = commands.find((one) => [first, `${first} ${second}`].includes(nameOf(one)))
    for (const [long] of line.matchAll(/--[a-z-]+/g)) {
      const all = [...(command?.options ?? commands.flatMap(({ options }) => options)), ...program.options]
      expect([line, all.some((option) => option.long === long)]).toEqual([line, true])
    }
  }
  expect(examples.length).toBeGreaterThan(40)
})

test('the help of the program ends with settings and exit codes', () => {
  const help = helpOf(program)
  expect(help).toContain('-V, --version')
  for (const { code, meaning } of Object.values(EXIT_CODES))
    expect(help).toContain(`${String(code).padStart(3)}  ${meaning}\n`)
})
