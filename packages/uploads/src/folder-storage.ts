import { createReadStream, lstatSync, type Stats, statSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import {
  type Convert,
  defaultUploadsFolder,
  type FileStorage,
  isKey,
  type Look,
  newKey,
  noteKeyOf,
  originalKeyOf,
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
    const { key, size: received } = await save(bytes)
    const path = pathOf(key)
    let size = received
    const convert: Convert = async (write) => {
      size = Math.max(size, await convertFile({ path, original: pathOf(originalKeyOf(key)) }, pathOf(newKey()), write))
    }
    try {
      const seen = await look({ path, size: received, convert })
      return { key, size, seen }
    } catch (error) {
      await rm(path, { force: true })
      await rm(pathOf(originalKeyOf(key)), { force: true })
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
    saveNote: (key, text) => writeAtomically([pathOf(newKey()), pathOf(noteKeyOf(key))], text),
    findNote: async (key) => readIfPresent(pathOf(noteKeyOf(key))),
    async lendOriginal(key, use) {
      requireSafeFolder(root)
      const path = pathOf(originalKeyOf(key))
      return (await isFile(path)) ? use(path) : undefined
    },
    removeOriginal: async (key) => rm(pathOf(originalKeyOf(key)), { force: true }),
    async remove(key) {
      await rm(pathOf(noteKeyOf(key)), { force: true })
      await rm(pathOf(originalKeyOf(key)), { force: true })
      await rm(pathOf(key), { force: true })
    },
    removeOlderThan: (time) => removeOld(folder, time),
  }
}

/** A reader gets a complete file, old or new. */
async function writeAtomically([written, path]: [string, string], text: string): Promise<void> {
  await writeFile(written, text, { flag: 'wx', mode: 0o600 })
  await rename(written, path)
}

async function removeOld(folder: string, time: Date): Promise<number> {
  const paths = (await listNames(folder)).map((name) => join(folder, name))
  const old = await Promise.all(paths.map((path) => isOlder(path, time)))
  const removed = paths.filter((_, n) => old[n])
  await Promise.all(removed.map((path) => rm(path, { force: true })))
  return removed.length
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

/** Returns the size of the written file, which then has the path. */
async function convertFile(
  { path, original }: { path: string; original: string },
  written: string,
  write: Parameters<Convert>[0],
): Promise<number> {
  await (await open(written, 'wx', (await stat(path)).mode & 0o777)).close()
  try {
    const { keepsOriginal } = await write(path, written)
    if (keepsOriginal) await rename(path, original)
    await rename(written, path)
    return (await stat(path)).size
  } finally {
    await rm(written, { force: true })
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
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
