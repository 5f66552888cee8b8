import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text as readText } from 'node:stream/consumers'
import { openFolderStorage } from './folder-storage.ts'
import { openBucket, type S3Limits } from './s3-bucket.ts'
import type { FileStorage, Look, SavedFile } from './storage.ts'
import { noteKeyOf, requireKey } from './storage-key.ts'
import type { S3Settings } from './storage-settings.ts'

const LIMITS: S3Limits = {
  answerMs: 10_000,
  callMs: 30_000,
  transferMs: 300_000,
  pageSize: 1_000,
  pagesMax: 100,
}
const REMOVED_AT_ONCE = 10
/** Longer than any transfer: an older file was left by a killed process. */
const SCRATCH_LEFT_AFTER_MS = 60 * 60 * 1000

/**
 * Files in a bucket of an S3 server. Each transfer goes through a local folder, so that threads without our secrets can read the files
 * and a slow reader keeps no connection to the bucket open.
 */
export function openS3Storage(settings: S3Settings & { folder: string }, limits = LIMITS): FileStorage {
  const scratch = openFolderStorage(join(settings.folder, 'scratch'), settings.folder)
  const bucket = openBucket(settings, limits)
  let sweptUpTo: string | undefined

  async function lookAndSave<Seen>(bytes: AsyncIterable<Buffer>, look: Look<Seen>) {
    const { key, size, seen } = await scratch.lookAndSave(bytes, look)
    try {
      await bucket.put(key, scratch.open(key))
    } finally {
      await scratch.remove(key)
    }
    return { key, size, seen }
  }

  async function withLocalCopy<T>(key: string, use: (localKey: string) => Promise<T>): Promise<T> {
    const local = await scratch.save(bucket.get(requireKey(key)))
    try {
      return await use(local.key)
    } finally {
      await scratch.remove(local.key)
    }
  }

  return {
    lookAndSave,
    async save(bytes): Promise<SavedFile> {
      const { key, size } = await lookAndSave(bytes, async () => {})
      return { key, size }
    },
    open: (key) => Readable.from(readThrough(scratch, bucket.get(requireKey(key))), { objectMode: false }),
    lend: (key, use) => withLocalCopy(key, (localKey) => scratch.lend(localKey, use)),
    rewrite: (key, write) =>
      withLocalCopy(key, async (localKey) => {
        const isChanged = await scratch.rewrite(localKey, write)
        if (isChanged) await bucket.put(key, scratch.open(localKey))
        return isChanged
      }),
    saveNote: async (key, text) => bucket.put(noteKeyOf(key), Readable.from([text], { objectMode: false })),
    findNote: async (key) => readIfPresent(bucket, noteKeyOf(key)),
    async remove(key) {
      await bucket.remove({ key: noteKeyOf(key) })
      await bucket.remove({ key: requireKey(key) })
    },
    async removeOlderThan(time) {
      await scratch.removeOlderThan(new Date(Math.max(time.getTime(), Date.now() - SCRATCH_LEFT_AFTER_MS)))
      const { removed, next } = await sweep(bucket, time, { from: sweptUpTo, pagesMax: limits.pagesMax })
      sweptUpTo = next
      return removed
    },
  }
}

type Bucket = ReturnType<typeof openBucket>
type Range = { from: string | undefined; pagesMax: number }

async function* readThrough(scratch: FileStorage, bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const local = await scratch.save(bytes)
  try {
    yield* scratch.open(local.key)
  } finally {
    await scratch.remove(local.key)
  }
}

async function readIfPresent(bucket: Bucket, key: string): Promise<string | undefined> {
  try {
    return await readText(bucket.get(key))
  } catch (error) {
    if (error instanceof Error && error.name === 'NoSuchKey') return undefined
    throw error
  }
}

/** Returns the number of removed objects and the name after which the next run continues. */
async function sweep(bucket: Bucket, time: Date, { from, pagesMax }: Range) {
  const unfinished = await bucket.listUnfinished()
  await removeAll(
    bucket,
    unfinished.filter(({ at }) => at < time),
  )
  let removed = 0
  let next = from
  for (let pages = 0; pages < pagesMax; pages++) {
    const { page, next: after } = await bucket.list(next)
    const old = page.filter(({ at }) => at < time)
    await removeAll(bucket, old)
    removed += old.length
    next = after
    if (next === undefined) break
  }
  return { removed, next }
}

async function removeAll(bucket: Bucket, listed: Parameters<Bucket['remove']>[0][]): Promise<void> {
  for (let from = 0; from < listed.length; from += REMOVED_AT_ONCE) {
    await Promise.all(listed.slice(from, from + REMOVED_AT_ONCE).map(bucket.remove))
  }
}
