import { createReadStream } from 'node:fs'
import { eraseInFile, findInFile } from '@probity/uploads/erase-rows'
import { readColumn } from '@probity/uploads/read-addresses'
import { readUpload } from '@probity/uploads/read-upload'
import { Refusal } from '@probity/uploads/refusal'
import { selectRows } from '@probity/uploads/select-rows'
import type { ReadOutcome, ReadTask } from './reader.ts'

/**
 * Runs in a worker thread: reads one file and returns its findings.
 * @public The thread pool calls it by its name.
 */
export async function readFile(task: ReadTask): Promise<ReadOutcome> {
  if (task.kind === 'find') return { kind: 'found', isFound: await findInFile(task.path, task.search) }
  if (task.kind === 'erase') return { kind: 'erased', rows: await eraseInFile(task.path, task.to, task.erasure) }
  if (task.kind === 'select') return { kind: 'selected', rows: await selectRows(task.path, task.to, task.selection) }
  const open = () => createReadStream(task.path)
  const { emailsMax } = task
  try {
    if (task.kind === 'column') return { kind: 'column', reading: await readColumn(open, task.layout, emailsMax) }
    return { kind: 'file', reading: await readUpload(open, emailsMax) }
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', code: error.code, detail: error.message }
    throw error
  }
}
