import { createHash, randomUUID } from 'node:crypto'
import { link, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * The progress of a file. `uploaded`: nothing is charged yet. `confirming`: the cost was confirmed, and the request to start the job may
 * have been lost; repeating it returns the same job. `started`: the job exists.
 */
export type SavedState = Upload | { kind: 'started'; jobId: string }
export type Upload = {
  kind: 'uploaded' | 'confirming'
  uploadId: string
  /** The header of the email column. */
  column: string
}

/** The saved state of one file. Processes with the same file share it. */
export type StateStore = {
  find(): Promise<SavedState | undefined>
  /** Saves an upload unless another process was first; returns the state that is saved. */
  claim(upload: Upload): Promise<SavedState>
  save(state: SavedState): Promise<void>
  remove(): Promise<void>
}

type Identity = { hash: string; column: string | undefined; keyHint: string; baseUrl: string }

/** The service stores files for seven days. Without the file, results do not contain its columns. */
const AGE_MAX_MS = 6 * 24 * 60 * 60 * 1_000
/** Uploads without a job are stored for a day. */
const UPLOAD_AGE_MAX_MS = 23 * 60 * 60 * 1_000
const ENTRIES_MAX = 200
/** Each attempt finds the state of another process or removes an expired one. */
const CLAIM_ATTEMPTS_MAX = 5

/** One file per state, so that processes do not overwrite each other. It contains no address and no key. */
export function openStateStore(folder: string, identity: Identity, now: () => number = Date.now): StateStore {
  const path = join(folder, `${nameOf(identity)}.json`)
  const write = async (state: SavedState, put: (from: string) => Promise<void>) => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const draft = join(folder, `${randomUUID()}.tmp`)
    await writeFile(draft, JSON.stringify({ version: VERSION, saved_at: now(), ...state }), { mode: 0o600 })
    try {
      await put(draft)
    } finally {
      await rm(draft, { force: true })
    }
  }
  // Another process may have replaced the file by now: it is moved first and moved back if it is not expired.
  const removeExpired = async () => {
    const moved = join(folder, `${randomUUID()}.tmp`)
    if (!(await succeeds(rename(path, moved), 'ENOENT'))) return
    if (typeof (await readState(moved, now())) === 'object') await succeeds(link(moved, path), 'EEXIST')
    await rm(moved, { force: true })
  }
  const find = async () => {
    const state = await readState(path, now())
    if (state === 'expired') await removeExpired()
    return typeof state === 'object' ? state : undefined
  }
  return {
    find,
    async claim(upload) {
      let claimed: SavedState | undefined
      await write(upload, async (draft) => {
        for (let attempts = 0; claimed === undefined && attempts < CLAIM_ATTEMPTS_MAX; attempts += 1) {
          // link(2) is atomic: of two processes one succeeds.
          claimed = (await succeeds(link(draft, path), 'EEXIST')) ? upload : await find()
        }
      })
      await prune(folder, now())
      return claimed ?? upload
    },
    save: (state) => write(state, (draft) => rename(draft, path)),
    remove: () => rm(path, { force: true }),
  }
}

const VERSION = 1

function nameOf({ hash, column, keyHint, baseUrl }: Identity): string {
  return createHash('sha256')
    .update(JSON.stringify([hash, column ?? null, keyHint, baseUrl]))
    .digest('hex')
    .slice(0, 40)
}

/** False if it fails with the expected system error. */
function succeeds(operation: Promise<void>, expected: string): Promise<boolean> {
  return operation.then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== expected) throw error
      return false
    },
  )
}

/** `expired` is also a file that cannot be read. */
async function readState(path: string, now: number): Promise<SavedState | 'none' | 'expired'> {
  try {
    const { version, saved_at, ...state } = JSON.parse(await readFile(path, 'utf8'))
    const age = now - saved_at
    const ageMax = state.kind === 'uploaded' ? UPLOAD_AGE_MAX_MS : AGE_MAX_MS
    return version === VERSION && age >= 0 && age <= ageMax ? (state as SavedState) : 'expired'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'none' : 'expired'
  }
}

/** Removes the oldest files, including drafts of killed processes. */
async function prune(folder: string, now: number): Promise<void> {
  const names = await readdir(folder)
  const aged = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name)
      // Another process may have removed it.
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
