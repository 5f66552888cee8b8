import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { access, constants, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Refusal } from './refusal.ts'
import { codeOf } from './settings.ts'

type Chunks = AsyncIterable<string | Uint8Array>

/** All of it or nothing: what breaks off leaves the file as it was. Readable by its owner, since it holds addresses. */
export async function writeFileWhole(path: string, chunks: Chunks): Promise<void> {
  // In the same folder, or it could not be put in the place of the other in one step.
  const draft = join(dirname(path), `.probity-${randomUUID()}.tmp`)
  try {
    await pipeline(Readable.from(chunks), createWriteStream(draft, { mode: 0o600, flags: 'wx' }))
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    const code = codeOf(error)
    if (code === undefined || !UNWRITABLE.has(code)) throw error
    throw new Refusal('input', `${path} cannot be written (${code}).`)
  }
}

/** Before anything is spent for what cannot be written. */
export async function refuseUnwritable(path: string): Promise<void> {
  const folder = dirname(path)
  await access(folder, constants.W_OK).catch((error: unknown) => {
    throw new Refusal('input', `Nothing can be written to ${folder} (${codeOf(error) ?? 'unknown error'}).`)
  })
}

const UNWRITABLE = new Set(['EACCES', 'EISDIR', 'ENOENT', 'ENOSPC', 'ENOTDIR', 'EPERM', 'EROFS'])
