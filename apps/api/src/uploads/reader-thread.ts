import { createReadStream } from 'node:fs'
import { countEmails } from '@probity/uploads/count-emails'
import { readUpload } from '@probity/uploads/read-upload'
import { Refusal } from '@probity/uploads/refusal'
import type { ReadOutcome, ReadTask } from './reader.ts'

/**
 * What runs in a thread of its own: reads one file and says what it found.
 * @public The pool of threads calls it by its name.
 */
export async function readFile(task: ReadTask): Promise<ReadOutcome> {
  const open = () => createReadStream(task.path)
  const { emailsMax } = task
  try {
    if (task.kind === 'count') return { kind: 'counted', count: await countEmails(open, task.layout, { emailsMax }) }
    return { kind: 'read', reading: await readUpload(open, emailsMax, task.column) }
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', code: error.code, detail: error.message }
    throw error
  }
}
