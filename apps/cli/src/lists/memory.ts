import { createHash, randomUUID } from 'node:crypto'
import { link, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * How far a file has come. `uploaded`: nothing was spent yet. `confirming`: it was agreed to, and whether the service heard of it is
 * not known; asking again gives the same list. `started`: it is a list.
 */
export type Remembered = Upload | { kind: 'started'; jobId: string }
export type Upload = {
  kind: 'uploaded' | 'confirming'
  uploadId: string
  /** Its name in the file, for the confirmation. */
  column: string
  rows: number
  unique: number | null
  credits: number
}

/** One file of a customer, on its way. Another process with the same file has the same memory. */
export type Memory = {
  find(): Promise<Remembered | undefined>
  /** Keeps an upload unless another process was first; what counts is what comes back. */
  claim(upload: Upload): Promise<Remembered>
  save(remembered: Remembered): Promise<void>
  forget(): Promise<void>
}

type Known = { hash: string; column: string | undefined; keyHint: string; baseUrl: string }

/** The service keeps an uploaded file for seven days, and without it the customer's own columns cannot come back. */
const AGE_MAX_MS = 6 * 24 * 60 * 60 * 1_000
/** An upload that was never confirmed is kept for one. */
const UPLOAD_AGE_MAX_MS = 23 * 60 * 60 * 1_000
const ENTRIES_MAX = 200

/** In a file of its own each, so that processes do not write over each other. No address and no key is in it. */
export function openMemory(folder: string, known: Known, now: () => number = Date.now): Memory {
  const path = join(folder, `${nameOf(known)}.json`)
  const write = async (remembered: Remembered, put: (from: string) => Promise<void>) => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const draft = join(folder, `${randomUUID()}.tmp`)
    await writeFile(draft, JSON.stringify({ version: VERSION, saved_at: now(), ...remembered }), { mode: 0o600 })
    try {
      await put(draft)
    } finally {
      await rm(draft, { force: true })
    }
  }
  const find = async () => {
    const remembered = await readEntry(path, now())
    if (remembered === undefined) await rm(path, { force: true })
    return remembered
  }
  return {
    find,
    async claim(upload) {
      let found: Remembered | undefined = upload
      // A link is made or it is not: of two processes one is first.
      await write(upload, async (draft) => {
        await link(draft, path).catch(async (error: NodeJS.ErrnoException) => {
          if (error.code !== 'EEXIST') throw error
          found = await find()
        })
      })
      await prune(folder, now())
      return found ?? upload
    },
    save: (remembered) => write(remembered, (draft) => rename(draft, path)),
    forget: () => rm(path, { force: true }),
  }
}

const VERSION = 1

function nameOf({ hash, column, keyHint, baseUrl }: Known): string {
  return createHash('sha256')
    .update(JSON.stringify([hash, column ?? null, keyHint, baseUrl]))
    .digest('hex')
    .slice(0, 40)
}

async function readEntry(path: string, now: number): Promise<Remembered | undefined> {
  try {
    const { version, saved_at, ...remembered } = JSON.parse(await readFile(path, 'utf8'))
    const age = now - saved_at
    const ageMax = remembered.kind === 'uploaded' ? UPLOAD_AGE_MAX_MS : AGE_MAX_MS
    return version === VERSION && age >= 0 && age <= ageMax ? (remembered as Remembered) : undefined
  } catch {
    return undefined // not there, or nothing that can be read: as if it had never been
  }
}

/** The oldest go first, and with them what a process that was killed has left. */
async function prune(folder: string, now: number): Promise<void> {
  const names = await readdir(folder)
  const aged = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name)
      // Another process may have removed it meanwhile.
      const at = await stat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      )
      return { path, at }
    }),
  )
  const kept = aged.toSorted((a, b) => b.at - a.at)
  const old = kept.filter(({ at }, n) => n >= ENTRIES_MAX || at < now - AGE_MAX_MS)
  await Promise.all(old.map(({ path }) => rm(path, { force: true })))
}
