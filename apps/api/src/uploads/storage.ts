import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** Where uploaded files are kept. What is behind it is known to this file alone. */
export type FileStorage = {
  /** Keeps what comes, under a key that nobody can guess. What breaks off leaves nothing behind. */
  save(bytes: AsyncIterable<Buffer>): Promise<{ key: string; size: number }>
  open(key: string): Readable
  /** Removing what is not there is no error: another process may have been quicker. */
  remove(key: string): Promise<void>
  /** For files that no row names any more, since a process ended between the two. Says how many there were. */
  removeOlderThan(time: Date): Promise<number>
}

const KEY = /^[0-9a-f]{32}$/

/** Files in one folder, readable by our own user only. */
export function openStorage(folder: string): FileStorage {
  function pathOf(key: string): string {
    if (!KEY.test(key)) throw new Error('not a key of this storage')
    return join(folder, key)
  }

  async function save(bytes: AsyncIterable<Buffer>): Promise<{ key: string; size: number }> {
    const key = randomBytes(16).toString('hex')
    const path = pathOf(key)
    // Each time anew: a folder below /tmp may be tidied away while we run.
    await mkdir(folder, { recursive: true, mode: 0o700 })
    // Opened before the first byte is asked for: a file that is still being opened when the bytes break off would come into
    // being after it was removed.
    const file = (await open(path, 'wx', 0o600)).createWriteStream()
    try {
      await pipeline(bytes, file)
    } catch (error) {
      await rm(path, { force: true })
      throw error
    }
    return { key, size: file.bytesWritten }
  }

  return {
    save,
    open: (key) => createReadStream(pathOf(key)),
    remove: (key) => rm(pathOf(key), { force: true }),
    async removeOlderThan(time) {
      const names = await listNames(folder)
      const old = await Promise.all(names.map((name) => isOlder(join(folder, name), time)))
      const keys = names.filter((_, n) => old[n])
      await Promise.all(keys.map((key) => rm(pathOf(key), { force: true })))
      return keys.length
    },
  }
}

/** Only what has the form of our keys: somebody may have pointed the setting at a folder with other things in it. */
async function listNames(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => KEY.test(name))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [] // nothing was ever uploaded
    throw error
  }
}

async function isOlder(path: string, time: Date): Promise<boolean> {
  try {
    return (await stat(path)).mtime < time
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false // removed meanwhile by another process
    throw error
  }
}
