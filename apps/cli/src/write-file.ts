import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { access, constants, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CliError, systemCodeOf } from './cli-error.ts'

type Chunks = AsyncIterable<string | Uint8Array>

const UNWRITABLE = new Set(['EACCES', 'EISDIR', 'ENOENT', 'ENOSPC', 'ENOTDIR', 'EPERM', 'EROFS'])

/**
 * Replaces the file only when all of it is written. Readable by its owner only, since results contain addresses. Pipes and devices such
 * as /dev/null are written to and not replaced.
 */
export async function writeFileAtomically(path: string, chunks: Chunks): Promise<void> {
  if ((await findKind(path)) === 'device') return pipeline(Readable.from(chunks), createWriteStream(path))
  // In the same folder: a rename is atomic only within a file system.
  const draft = join(dirname(path), `.probity-${randomUUID()}.tmp`)
  try {
    await pipeline(Readable.from(chunks), createWriteStream(draft, { mode: 0o600, flags: 'wx' }))
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    const code = systemCodeOf(error)
    if (code === undefined || !UNWRITABLE.has(code)) throw error
    throw new CliError('input', `Cannot write ${path} (${code}).`)
  }
}

async function findKind(path: string): Promise<'none' | 'file' | 'folder' | 'device'> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) return 'none'
  if (found.isDirectory()) return 'folder'
  return found.isFile() ? 'file' : 'device'
}

/** Called before anything is charged. */
export async function checkWritable(path: string): Promise<void> {
  const kind = await findKind(path)
  if (kind === 'folder') throw new CliError('input', `Cannot write ${path}: it is a folder.`)
  if (kind === 'device') return
  const folder = dirname(path)
  await access(folder, constants.W_OK).catch((error: unknown) => {
    throw new CliError('input', `Cannot write to the folder ${folder} (${systemCodeOf(error) ?? 'unknown error'}).`)
  })
}
