import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text as readText } from 'node:stream/consumers'
import { openFolderStorage } from './folder-storage.ts'
import { openBucket, type S3Limits } from './s3-bucket.ts'
import type { FileStorage, Look, Rewrite, SavedFile } from './storage.ts'
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
/** No file is read or sent for as long as this: one that is still there was left by a process that was killed. */
const SCRATCH_LEFT_AFTER_MS = 60 * 60 * 1000

/**
 * Files in a bucket of an S3 server. On the way in and out they lie in a folder of this machine: there they can be read by those who
 * get none of our secrets, and a slow reader keeps no connection open.
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

  async function lend<Seen>(key: string, use: (path: string) => Promise<Seen>): Promise<Seen> {
    const local = await scratch.save(bucket.get(requireKey(key)))
    try {
      return await scratch.lend(local.key, use)
    } finally {
      await scratch.remove(local.key)
    }
  }

  async function rewrite(key: string, write: Rewrite): Promise<boolean> {
    const local = await scratch.save(bucket.get(requireKey(key)))
    try {
      const isChanged = await scratch.rewrite(local.key, write)
      if (isChanged) await bucket.put(key, scratch.open(local.key))
      return isChanged
    } finally {
      await scratch.remove(local.key)
    }
  }

  async function* readBytes(key: string): AsyncGenerator<Buffer> {
    const local = await scratch.save(bucket.get(key))
    try {
      yield* scratch.open(local.key)
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
    open: (key) => Readable.from(readBytes(requireKey(key)), { objectMode: false }),
    lend,
    rewrite,
    saveNote: async (key, text) => bucket.put(noteKeyOf(key), Readable.from([text], { objectMode: false })),
    async findNote(key) {
      try {
        return await readText(bucket.get(noteKeyOf(key)))
      } catch (error) {
        if (error instanceof Error && error.name === 'NoSuchKey') return undefined
        throw error
      }
    },
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

/** Says how many there were, and where the next run goes on. */
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
