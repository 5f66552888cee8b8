import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { Contents } from '@probity/database/backups'
import { Refusal } from '../refusal.ts'

/** What a backup holds, in a file beside it: enough to know, before anything is touched, whether it can be restored here. */
export type Manifest = {
  format: 1
  made_at: string
  migrations: string[]
  /** Roles that the rights in the database are given to. They are no part of a dump. */
  roles: string[]
  bytes: number
  sha256: string
  /** To be found again once it is restored. */
  contents: Contents
}

export function manifestPath(dump: string): string {
  return dump.replace(/(\.dump)?$/, '.json')
}

export async function readManifest(dump: string): Promise<Manifest> {
  const path = manifestPath(dump)
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Refusal(`${path}, which belongs to the backup, cannot be read (${error.code}).`)
  })
  const manifest: unknown = JSON.parse(text)
  if (!isManifest(manifest))
    throw new Refusal(`${path} was not written by "admin backup", or by a version that this one does not know.`)
  return manifest
}

function isManifest(value: unknown): value is Manifest {
  return typeof value === 'object' && value !== null && 'format' in value && value.format === 1 && 'sha256' in value
}

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}
