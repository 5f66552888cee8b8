import type { MalformedOption, SeveralAddresses } from '@probity/contract/constants/jobs'
import type { ColumnReading, Layout } from '@probity/uploads/read-addresses'
import { type CellOptions, DEFAULT_CELL_OPTIONS } from '@probity/uploads/read-cell'
import type { FileStorage } from '@probity/uploads/storage'
import { Problem } from '../../http/problem.ts'
import type { FileReading, ReadOptions, UploadReader } from './reader.ts'

/** The stored reading of a file. It contains cells, so it is stored with the file and not in the database. */
type KeptReading = { version: number; reading: FileReading; columns: ColumnReading[] }

/** Readings of another version are ignored: the file is read again. */
const VERSION = 3

export async function keepReading(storage: FileStorage, key: string, reading: FileReading): Promise<void> {
  await save(storage, key, { version: VERSION, reading, columns: [] })
}

/** How the cells are read, as a request says. */
export function readCellOptions(request: {
  several_addresses?: SeveralAddresses
  malformed?: MalformedOption
}): CellOptions {
  const { several_addresses: several, malformed } = request
  return {
    several: several ?? DEFAULT_CELL_OPTIONS.several,
    malformed: malformed ?? DEFAULT_CELL_OPTIONS.malformed,
  }
}

type Needed = { storage: FileStorage; uploadReader: UploadReader }
type Wanted = ReadOptions & {
  /** The column to count; the suggested one if undefined. */
  column: string | undefined
}

type Stored = { storageKey: string; columns: string[]; headerRow: number | null }

/** The reading of an upload. The file is read only for a column, or with options, that were not counted before. */
export async function getReading(
  { storage, uploadReader }: Needed,
  upload: Stored,
  wanted: Wanted,
): Promise<FileReading> {
  const { storageKey: key, columns: names, headerRow } = upload
  const { cells = DEFAULT_CELL_OPTIONS } = wanted
  if (wanted.column !== undefined && !names.includes(wanted.column)) throw new Problem('unknown_column')
  const kept = await find(storage, key)
  const reading = kept?.reading ?? (await uploadReader.readKept(key, { ...wanted, headerRow }))
  const known = kept?.columns ?? []
  const column = wanted.column === undefined ? reading.column : reading.columns.indexOf(wanted.column)
  if (column === -1) throw new Problem('unknown_column')
  const chosen = [reading, ...known].find(
    (one) => one.column === column && one.several === cells.several && one.malformed === cells.malformed,
  )
  if (kept && chosen) return withinPlan({ ...reading, ...columnOf(chosen) }, wanted.emailsMax)

  const layout: Layout = { ...reading, ...cells, column }
  const counted = chosen ?? (await uploadReader.readColumn(key, layout, wanted))
  const columns = chosen ? known : [...known, columnOf(counted)]
  await save(storage, key, { version: VERSION, reading, columns })
  return { ...reading, ...columnOf(counted) }
}

/** The plan may have changed since the file was read. */
function withinPlan(reading: FileReading, emailsMax: number): FileReading {
  if (reading.emailCount > emailsMax) throw new Problem('too_many_emails')
  return reading
}

function columnOf(reading: ColumnReading): ColumnReading {
  const { column, several, malformed, emailCount, uniqueCount, wrappedCount, textCount, textExamples } = reading
  const { extraCount, leftOutCount, malformedCount, repairedCount, repairedExamples, suggestionCount, providers } =
    reading
  return {
    ...{ column, several, malformed, emailCount, uniqueCount, wrappedCount, textCount, textExamples },
    ...{ extraCount, leftOutCount, malformedCount, repairedCount, repairedExamples, suggestionCount, providers },
  }
}

async function find(storage: FileStorage, key: string): Promise<KeptReading | undefined> {
  const text = await storage.findNote(key)
  const kept = text === undefined ? undefined : (JSON.parse(text) as KeptReading)
  return kept?.version === VERSION ? kept : undefined
}

function save(storage: FileStorage, key: string, kept: KeptReading): Promise<void> {
  return storage.saveNote(key, JSON.stringify(kept))
}
