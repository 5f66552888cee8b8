import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { access, constants, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CliError, systemCodeOf } from './cli-error.ts'

type Chunks = AsyncIterable<string | Uint8Array>

const UNWRITABLE = new Set(['EACCES', 'EISDIR', 'ENOENT', 'ENOSPC', 'ENOTDIR', 'EPERM', 'EROFS'])

/** Replaces the file only when all of it is written. Readable by its owner only, since results contain addresses. */
export async function writeFileAtomically(path: string, chunks: Chunks): Promise<void> {
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

/** Called before anything is charged. */
export async function checkWritable(path: string): Promise<void> {
  const folder = dirname(path)
  await access(folder, constants.W_OK).catch((error: unknown) => {
    throw new CliError('input', `Cannot write to the folder ${folder} (${systemCodeOf(error) ?? 'unknown error'}).`)
  })
}
