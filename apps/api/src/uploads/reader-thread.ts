import { parentPort, workerData } from 'node:worker_threads'
import { readUpload } from './read-upload.ts'
import type { ReadOutcome, ReadTask } from './reader.ts'
import { Refusal } from './refusal.ts'
import { openStorage } from './storage.ts'

/** What runs in a thread of its own: reads one file, says what it found and ends. */
async function work({ folder, key, emailsMax }: ReadTask): Promise<ReadOutcome> {
  const storage = openStorage(folder)
  try {
    return { kind: 'read', reading: await readUpload(() => storage.open(key), emailsMax) }
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', code: error.code, detail: error.message }
    throw error
  }
}

parentPort?.postMessage(await work(workerData as ReadTask))
