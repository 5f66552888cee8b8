import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { FileStorage, Look, SavedFile } from './storage.ts'
import { isKey, newKey, noteKeyOf, requireKey } from './storage-key.ts'

/** Files in one folder, readable by our own user only. */
export function openFolderStorage(folder: string): FileStorage {
  const pathOf = (key: string): string => join(folder, requireKey(key))

  async function save(bytes: AsyncIterable<Buffer>): Promise<SavedFile> {
    const key = newKey()
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

  async function lookAndSave<Seen>(bytes: AsyncIterable<Buffer>, look: Look<Seen>) {
    const { key, size } = await save(bytes)
    const path = pathOf(key)
    try {
      return { key, size, seen: await look({ path, size }) }
    } catch (error) {
      await rm(path, { force: true })
      throw error
    }
  }

  return {
    save,
    lookAndSave,
    open: (key) => createReadStream(pathOf(key)),
    lend: async (key, use) => use(pathOf(key)),
    async saveNote(key, text) {
      const written = pathOf(newKey())
      await writeFile(written, text, { flag: 'wx', mode: 0o600 })
      await rename(written, pathOf(noteKeyOf(key))) // so that a reader sees one note or the other, whole
    },
    async findNote(key) {
      try {
        return await readFile(pathOf(noteKeyOf(key)), 'utf8')
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },
    async remove(key) {
      await rm(pathOf(noteKeyOf(key)), { force: true })
      await rm(pathOf(key), { force: true })
    },
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
    return (await readdir(folder)).filter(isKey)
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
