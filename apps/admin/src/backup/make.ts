import { randomUUID } from 'node:crypto'
import { chmod, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Db } from '@probity/database/connection/connect'
import { atOneMoment, recordBackup } from '@probity/database/system/backups'
import { type Manifest, manifestPath, sha256Of } from './manifest.ts'
import { runPostgresProgram, type Server } from './postgres-program.ts'

/** Readable by its owner only: a backup contains validated addresses and the session secret. */
const OWNER_ONLY = 0o600

/** Writes one snapshot of the database and its manifest. The file gets its final name when it is complete. */
export async function makeBackup(
  db: Db,
  server: Server,
  folder: string,
): Promise<{ file: string; manifest: Manifest }> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const madeAt = new Date()
  const file = join(folder, `probity-${madeAt.toISOString().replace(/[-:]|\.\d+/g, '')}.dump`)
  const draft = join(folder, `.${randomUUID()}.part`)
  try {
    const { snapshot: _, ...moment } = await atOneMoment(db, async (moment) => {
      const options = ['--format=custom', '--no-owner', `--snapshot=${moment.snapshot}`, `--file=${draft}`]
      await runPostgresProgram('pg_dump', server, options)
      return moment
    })
    await chmod(draft, OWNER_ONLY)
    const [{ size: bytes }, sha256] = await Promise.all([stat(draft), sha256Of(draft)])
    const manifest: Manifest = { format: 1, made_at: madeAt.toISOString(), ...moment, bytes, sha256 }
    await writeFile(manifestPath(file), `${JSON.stringify(manifest, null, 2)}\n`, { mode: OWNER_ONLY })
    await rename(draft, file)
    await recordBackup(db, { madeAt, bytes, sha256 })
    return { file, manifest }
  } finally {
    await rm(draft, { force: true })
  }
}

/** Removes all but the newest backups, by the time in their names. Other files are kept. */
export async function removeOldBackups(folder: string, keep: number): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => /^probity-\d{8}T\d{6}Z\.dump$/.test(name)).toSorted()
  const old = names.slice(0, Math.max(0, names.length - keep)).map((name) => join(folder, name))
  for (const file of old) {
    await rm(file)
    await rm(manifestPath(file), { force: true })
  }
  return old
}
