import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { Contents } from '@probity/database/system/backups'
import { Refusal } from '../refusal.ts'

/** Describes a backup, so that a restore can check whether it is possible before it changes anything. */
export type Manifest = {
  format: 1
  made_at: string
  migrations: string[]
  /** Roles that have privileges in the database. A dump does not contain them. */
  roles: string[]
  bytes: number
  sha256: string
  /** Compared after a restore. */
  contents: Contents
}

export function manifestPath(dump: string): string {
  return dump.replace(/(\.dump)?$/, '.json')
}

export async function readManifest(dump: string): Promise<Manifest> {
  const path = manifestPath(dump)
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Refusal(`The manifest ${path} of the backup cannot be read (${error.code}).`)
  })
  const manifest: unknown = JSON.parse(text)
  if (!isManifest(manifest))
    throw new Refusal(`${path} was not written by "admin backup", or by an unsupported version.`)
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
