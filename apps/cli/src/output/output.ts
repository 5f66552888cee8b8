import type { Style, Terminal } from '../terminal.ts'
import { writeFileAtomically } from '../write-file.ts'
import { formatTable } from './format.ts'

export const FORMATS = ['table', 'json', 'jsonl', 'csv'] as const
/** For commands that write the rows of a file. The service writes the workbook. */
export const SHEET_FORMATS = [...FORMATS, 'xlsx'] as const
export type Format = (typeof SHEET_FORMATS)[number]

/** The flags that every command has. */
export type OutputFlags = { format: Format; json?: boolean; output?: string }

export type Column<T> = { head: string; cell(item: T): string; style?(item: T): Style | undefined }

/** How objects are shown as a table, and the flat record of each in CSV. Without `csv` it is the fields of the object. */
export type View<T> = { columns: readonly Column<T>[]; csv?(item: T): Record<string, unknown> }

export type Items<T> = Iterable<T> | AsyncIterable<T>
type Chunks = AsyncIterable<string | Uint8Array>

/** Writes the result of a command to standard output, or to the file of `-o`. */
export type Output = {
  format: Format
  /** One object. `text` is its form for `--format table`. */
  writeOne<T extends object>(item: T, text: (item: T) => string): Promise<void>
  /** Any number of objects: `json` is one array. A table is written when all objects are there. */
  writeAll<T extends object>(items: Items<T>, view: View<T>): Promise<void>
  /** The same for objects that arrive in groups over time: each group is written at once, also in a table. */
  writeGroups<T extends object>(groups: Items<readonly T[]>, view: View<T>): Promise<void>
  /** Text that already has its form. */
  writeChunks(chunks: Chunks): Promise<void>
}

export function openOutput(terminal: Terminal, flags: OutputFlags): Output {
  const format = flags.json ? 'json' : flags.format
  const file = flags.output === '-' ? undefined : flags.output
  const paint = file === undefined ? terminal.paint : (_style: Style, text: string) => text
  const writeChunks = async (chunks: Chunks) => {
    if (file !== undefined) return writeFileAtomically(file, chunks)
    for await (const chunk of chunks) await terminal.print(chunk)
  }
  const writeGroups: Output['writeGroups'] = async (groups, view) =>
    writeChunks(formatGroups(groups, await openFormat(format, view, paint)))
  return {
    format,
    writeChunks,
    writeGroups,
    writeOne: (item, text) => writeChunks(formatOne(format, item, text)),
    writeAll: (items, view) => writeGroups(format === 'table' ? collect(items) : eachAsGroup(items), view),
  }
}

async function* formatOne<T extends object>(format: Format, item: T, text: (item: T) => string) {
  if (format === 'table') yield text(item)
  else if (format === 'csv') yield (await csvOf<T>()).group([item])
  else yield `${JSON.stringify(item, null, format === 'json' ? 2 : 0)}\n`
}

/** The text of groups that follow each other in one document, and of its end. */
type GroupFormat<T> = { group(items: readonly T[]): string; end?(): string }

/** A failure after the first objects leaves a complete document with these objects, and is thrown after it. */
async function* formatGroups<T>(groups: Items<readonly T[]>, { group, end = () => '' }: GroupFormat<T>) {
  let isEmpty = true
  try {
    for await (const items of groups) {
      isEmpty &&= items.length === 0
      yield group(items)
    }
  } catch (error) {
    if (!isEmpty) yield end()
    throw error
  }
  yield end()
}

async function openFormat<T extends object>(format: Format, view: View<T>, paint: Terminal['paint']) {
  if (format === 'csv') return csvOf(view.csv)
  if (format === 'json') return jsonArrayOf<T>()
  if (format === 'jsonl')
    return { group: (items: readonly T[]) => items.map((item) => `${JSON.stringify(item)}\n`).join('') }
  return tableOf(view, paint)
}

function jsonArrayOf<T>(): GroupFormat<T> {
  let before = '['
  const format = (item: T) => {
    const text = `${before}\n${JSON.stringify(item, null, 2).replaceAll(/^/gm, '  ')}`
    before = ','
    return text
  }
  return { group: (items) => items.map(format).join(''), end: () => (before === '[' ? '[]\n' : '\n]\n') }
}

function tableOf<T>({ columns }: View<T>, paint: Terminal['paint']): GroupFormat<T> {
  const head = columns.map((column) => column.head)
  let hasHead = false
  return {
    group(items) {
      const rows = items.map((item) => columns.map(({ cell }) => cell(item)))
      const table = formatTable(head, rows, (text, column, row) => {
        const item = items[row]
        const style = item === undefined ? undefined : columns[column]?.style?.(item)
        return style === undefined ? text : paint(style, text)
      })
      if (hasHead) return table.slice(table.indexOf('\n') + 1)
      hasHead = true
      return table
    },
  }
}

async function csvOf<T extends object>(
  recordOf: (item: T) => Record<string, unknown> = (item) => Object.fromEntries(Object.entries(item)),
): Promise<GroupFormat<T>> {
  const { stringify } = await import('csv-stringify/sync')
  let names: string[] | undefined
  return {
    group(items) {
      const records = items.map(recordOf)
      const head = names === undefined && records[0] !== undefined ? [Object.keys(records[0])] : []
      names ??= head[0]
      const rows = records.map((record) => (names ?? []).map((name) => cellOf(record[name])))
      // A spreadsheet would run some cells as formulas; the service marks those in its own exports too.
      return stringify([...head, ...rows], { escape_formulas: true })
    },
  }
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

async function* eachAsGroup<T>(items: Items<T>) {
  for await (const item of items) yield [item]
}

/** All objects as one group; after a failure those that arrived before it. */
async function* collect<T>(items: Items<T>) {
  const collected: T[] = []
  try {
    for await (const item of items) collected.push(item)
  } catch (error) {
    if (collected.length > 0) yield collected
    throw error
  }
  yield collected
}

/** The first items. */
export async function* limitItems<T>(items: AsyncIterable<T>, count: number): AsyncGenerator<T, void, undefined> {
  if (count === 0) return
  let taken = 0
  for await (const item of items) {
    yield item
    if (++taken >= count) return
  }
}
