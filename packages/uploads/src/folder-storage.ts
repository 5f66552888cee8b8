import { createReadStream, lstatSync, type Stats, statSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import {
  defaultUploadsFolder,
  type FileStorage,
  isKey,
  type Look,
  newKey,
  noteKeyOf,
  type Rewrite,
  requireKey,
  type SavedFile,
} from './storage.ts'

/**
 * Files in one folder, readable by our own user, and by the folder's group if the folder is readable for it. `root` is the configured
 * folder, if that is a parent of `folder`.
 */
export function openFolderStorage(folder: string, root = folder): FileStorage {
  const pathOf = (key: string): string => join(folder, requireKey(key))

  const save = (bytes: AsyncIterable<Buffer>) => saveFile({ folder, root }, bytes)

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
    open(key) {
      requireSafeFolder(root)
      return createReadStream(pathOf(key))
    },
    async lend(key, use) {
      requireSafeFolder(root)
      return use(pathOf(key))
    },
    async rewrite(key, write) {
      requireSafeFolder(root)
      return rewriteFile(pathOf(key), pathOf(newKey()), write)
    },
    async saveNote(key, text) {
      const written = pathOf(newKey())
      await writeFile(written, text, { flag: 'wx', mode: 0o600 })
      await rename(written, pathOf(noteKeyOf(key))) // atomic: a reader gets a complete note, old or new
    },
    findNote: async (key) => readIfPresent(pathOf(noteKeyOf(key))),
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

async function saveFile(
  { folder, root }: { folder: string; root: string },
  bytes: AsyncIterable<Buffer>,
): Promise<SavedFile> {
  const key = newKey()
  const path = join(folder, key)
  // Created before each upload: a cleaner of temporary files may delete a folder below /tmp while the process runs.
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const groupReads = (requireSafeFolder(root)?.mode ?? 0) & GROUP_READS
  // Opened before the first byte is read. Otherwise an upload that is interrupted early could create the file after its removal.
  const file = (await open(path, 'wx', 0o600 | groupReads)).createWriteStream()
  try {
    await pipeline(bytes, file)
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
  return { key, size: file.bytesWritten }
}

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

async function rewriteFile(path: string, written: string, write: Rewrite): Promise<boolean> {
  // Created here, with the rights of the file that it replaces.
  await (await open(written, 'wx', (await stat(path)).mode & 0o777)).close()
  try {
    const isChanged = await write(path, written)
    if (isChanged) await rename(written, path)
    return isChanged
  } finally {
    await rm(written, { force: true })
  }
}

const GROUP_READS = 0o040
const OTHERS_WRITE = 0o002
const NOT_OWNER = 0o077

/**
 * Throws if another user of the host may have created the folder or can replace files in it. In the folder for temporary files, a symbolic
 * link, another owner or permissions of others indicate that; the sticky bit prevents a later replacement of our folder.
 */
function requireSafeFolder(folder: string): Stats | undefined {
  const isPrivate = folder === defaultUploadsFolder()
  const found = isPrivate ? lstatSync(folder, { throwIfNoEntry: false }) : statSync(folder, { throwIfNoEntry: false })
  if (found === undefined) return undefined // nothing was uploaded yet
  const isOurs = found.isDirectory() && found.uid === process.getuid?.() && (found.mode & NOT_OWNER) === 0
  if (isPrivate ? !isOurs : (found.mode & OTHERS_WRITE) !== 0) {
    throw new Error(
      `the uploads folder ${folder} is not safe: other users of this host can change it. Set PROBITY_UPLOADS_FOLDER to a folder that only the service can write to.`,
    )
  }
  return found
}

/** Only files whose name is a storage key: the configured folder may contain other files. */
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
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false // already removed by another process
    throw error
  }
}
