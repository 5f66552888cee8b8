import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { openTerminal, type Streams } from '../terminal.ts'
import { type Format, type Items, limitItems, type OutputFlags, openOutput } from './output.ts'

type Item = { id: number; name: string; tags: string[] }

const ITEMS: Item[] = [
  { id: 1, name: '=1+1', tags: ['a', 'b'] },
  { id: 2, name: 'x "y", z', tags: [] },
]

const VIEW = {
  columns: [
    { head: 'id', cell: ({ id }: Item) => String(id), style: () => 'red' as const },
    { head: 'name', cell: ({ name }: Item) => name },
  ],
}

function open(flags: Partial<OutputFlags>, env: Record<string, string> = {}) {
  let text = ''
  const stdout = new PassThrough().on('data', (chunk) => {
    text += String(chunk)
  })
  const streams = { stdin: process.stdin, stdout, stderr: process.stderr } as unknown as Streams
  const output = openOutput(openTerminal(streams, env, { color: true }), { format: 'table', ...flags })
  return { output, written: () => text }
}

async function write(format: Format, items: Items<Item> = ITEMS): Promise<string> {
  const { output, written } = open({ format })
  await output.writeAll(items, VIEW)
  return written()
}

async function* failAfter(items: Item[]) {
  yield* items
  throw new Error('connection lost')
}

test('json is one document, jsonl one object per line', async () => {
  expect(JSON.parse(await write('json'))).toEqual(ITEMS)
  expect(JSON.parse(await write('json', []))).toEqual([])
  const lines = (await write('jsonl')).trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toEqual(ITEMS)
})

test('csv has a header, JSON for nested values, and escapes formulas', async () => {
  expect(await write('csv')).toBe(`id,name,tags\n1,'=1+1,"[""a"",""b""]"\n2,"x ""y"", z",[]\n`)
})

test('table aligns columns and has its header also without objects', async () => {
  expect(await write('table')).toBe('id  name\n1   =1+1\n2   x "y", z\n')
  expect(await write('table', [])).toBe('id  name\n')
})

test('one object is written as one object in every format', async () => {
  const one = async (format: Format) => {
    const { output, written } = open({ format })
    await output.writeOne({ id: 1, name: 'n' }, ({ name }) => `name ${name}\n`)
    return written()
  }
  expect(await Promise.all((['table', 'json', 'jsonl', 'csv'] as const).map(one))).toEqual([
    'name n\n',
    '{\n  "id": 1,\n  "name": "n"\n}\n',
    '{"id":1,"name":"n"}\n',
    'id,name\n1,n\n',
  ])
})

test('--json is json', () => {
  expect(open({ json: true }).output.format).toBe('json')
})

test.each(['table', 'json', 'jsonl', 'csv'] as const)(
  '%s is complete after a failure, and the failure is thrown',
  async (format) => {
    const { output, written } = open({ format })
    await expect(output.writeAll(failAfter(ITEMS), VIEW)).rejects.toThrow('connection lost')
    expect(written()).toBe(await write(format))
    const empty = open({ format })
    await expect(empty.output.writeAll(failAfter([]), VIEW)).rejects.toThrow('connection lost')
    expect(empty.written()).toBe('')
  },
)

test('groups of a table have one header', async () => {
  const { output, written } = open({})
  await output.writeGroups([[], ITEMS.slice(0, 1), ITEMS.slice(1)], VIEW)
  expect(written()).toBe('id  name\n1   =1+1\n2   x "y", z\n')
})

test('-o writes to a file without colors, and nothing after a failure; - is standard output', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'probity-output-'))
  const path = join(folder, 'out')
  const { output, written } = open({ output: path }, { FORCE_COLOR: '1' })
  await output.writeAll(ITEMS, VIEW)
  expect(readFileSync(path, 'utf8')).toBe('id  name\n1   =1+1\n2   x "y", z\n')
  await expect(output.writeAll(failAfter(ITEMS), VIEW)).rejects.toThrow('connection lost')
  expect([written(), readdirSync(folder)]).toEqual(['', ['out']])
  const colored = open({ output: '-' }, { FORCE_COLOR: '1' })
  await colored.output.writeAll(ITEMS, VIEW)
  expect(colored.written()).toContain('\u001b[31m1\u001b[39m')
})

test('limitItems stops reading after the last object', async () => {
  const taken: Item[] = []
  for await (const item of limitItems(failAfter(ITEMS), 2)) taken.push(item)
  expect(taken).toEqual(ITEMS)
})
