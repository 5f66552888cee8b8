import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { threadId } from 'node:worker_threads'
import { correctInFile, readNonAddresses, readPage, readSuggestions } from '@probity/uploads/correct-cells'
import { eraseInFile, findInFile } from '@probity/uploads/erase-rows'
import { readColumn } from '@probity/uploads/read-addresses'
import { readUpload, type UploadReading } from '@probity/uploads/read-upload'
import { Refusal } from '@probity/uploads/refusal'
import { selectRows } from '@probity/uploads/select-rows'
import { convertWorkbook } from '@probity/uploads/xlsx/convert-workbook'
import type { FileReading, ReadOutcome, ReadTask, TimedTask } from './reader.ts'
import { runByClock } from './reading-limits.ts'

/**
 * Runs in a worker thread: reads one file and returns its findings.
 * @public The thread pool calls it by its name.
 */
export async function readFile({ task, clock }: TimedTask): Promise<ReadOutcome> {
  try {
    return await runByClock(clock, threadId, () => runTask(task))
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', code: error.code, detail: error.message }
    throw error
  }
}

async function runTask(task: ReadTask): Promise<ReadOutcome> {
  const open = () => createReadStream(task.path)
  switch (task.kind) {
    case 'find':
      return { kind: 'found', isFound: await findInFile(task.path, task.search) }
    case 'erase':
      return { kind: 'erased', rows: await eraseInFile(task.path, task.to, task.erasure) }
    case 'select':
      return { kind: 'selected', rows: await selectRows(task.path, task.to, task.selection) }
    case 'column':
      return { kind: 'column', reading: await readColumn(open, task.layout, task.emailsMax) }
    case 'non_addresses':
      return { kind: 'non_addresses', found: await readPage(readNonAddresses(open, task.layout), task.page) }
    case 'suggestions':
      return { kind: 'suggestions', found: await readPage(readSuggestions(open, task.layout), task.page) }
    case 'file':
      return { kind: 'file', reading: await withHash(task.path, await readUpload(open, task)) }
    case 'workbook':
      return { kind: 'file', reading: await withHash(task.to, await convertWorkbook(task.path, task.to, task)) }
    case 'correction': {
      const { layout } = task.correction
      await correctInFile(task.path, task.to, task.correction)
      const { headerRow } = layout
      const options = { emailsMax: task.emailsMax, cells: layout, format: layout, headerRow }
      const reading = await readUpload(() => createReadStream(task.to), options)
      return { kind: 'file', reading: await withHash(task.to, reading) }
    }
  }
}

async function withHash(path: string, reading: UploadReading): Promise<FileReading> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return { ...reading, hash: hash.digest('hex') }
}
