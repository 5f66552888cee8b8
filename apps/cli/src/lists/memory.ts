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
/** What is in the way is another's, which counts, or spent, and then gone. */
const CLAIMS_MAX = 5

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
  // Whatever stands there by now may be another process's, so nothing is removed unseen: it is moved away, and goes back if it is good.
  const clear = async () => {
    const aside = join(folder, `${randomUUID()}.tmp`)
    if (!(await isDone(rename(path, aside), 'ENOENT'))) return
    if (typeof (await readEntry(aside, now())) === 'object') await isDone(link(aside, path), 'EEXIST')
    await rm(aside, { force: true })
  }
  const find = async () => {
    const entry = await readEntry(path, now())
    if (entry === 'spent') await clear()
    return typeof entry === 'object' ? entry : undefined
  }
  return {
    find,
    async claim(upload) {
      let claimed: Remembered | undefined
      await write(upload, async (draft) => {
        for (let tries = 0; claimed === undefined && tries < CLAIMS_MAX; tries += 1) {
          // A link is made or it is not: of two processes one is first.
          claimed = (await isDone(link(draft, path), 'EEXIST')) ? upload : await find()
        }
      })
      await prune(folder, now())
      return claimed ?? upload
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

/** Whether something was done; false where it failed for the reason that is expected. */
function isDone(act: Promise<void>, unless: string): Promise<boolean> {
  return act.then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== unless) throw error
      return false
    },
  )
}

/** `spent` is what is too old, or cannot be read: as good as none. */
async function readEntry(path: string, now: number): Promise<Remembered | 'none' | 'spent'> {
  try {
    const { version, saved_at, ...remembered } = JSON.parse(await readFile(path, 'utf8'))
    const age = now - saved_at
    const ageMax = remembered.kind === 'uploaded' ? UPLOAD_AGE_MAX_MS : AGE_MAX_MS
    return version === VERSION && age >= 0 && age <= ageMax ? (remembered as Remembered) : 'spent'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'none' : 'spent'
  }
}

/** The oldest go first, and with them what a process that was killed has left. */
async function prune(folder: string, now: number): Promise<void> {
  const names = await readdir(folder)
  const aged = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name)
      // Another process may have removed it meanwhile, and what comes in its place is new.
      return stat(path).then(
        ({ mtimeMs: at }) => [{ path, at }],
        () => [],
      )
    }),
  )
  const kept = aged.flat().toSorted((a, b) => b.at - a.at)
  const old = kept.filter(({ at }, n) => n >= ENTRIES_MAX || at < now - AGE_MAX_MS)
  await Promise.all(old.map(({ path }) => rm(path, { force: true })))
}
