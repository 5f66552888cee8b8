import type { Readable } from 'node:stream'

/** Where uploaded files are kept. What is behind it is known to `openStorage` alone. */
export type FileStorage = {
  /** Keeps what comes, under a key that nobody can guess. What breaks off leaves nothing behind. */
  save(bytes: AsyncIterable<Buffer>): Promise<SavedFile>
  /** The same, but `look` sees the whole file before it is kept, on this machine's disk. What it throws leaves nothing behind. */
  lookAndSave<Seen>(bytes: AsyncIterable<Buffer>, look: Look<Seen>): Promise<SavedFile & { seen: Seen }>
  open(key: string): Readable
  /** Lends a file of this machine to those who may know no more of the storage than that. It is gone when they are done. */
  lend<Seen>(key: string, use: (path: string) => Promise<Seen>): Promise<Seen>
  /**
   * Replaces a file by the one that `write` makes of it, on this machine's disk. Readers see one or the other, whole. The file stays as
   * it is if `write` returns false or throws.
   */
  rewrite(key: string, write: Rewrite): Promise<boolean>
  /** Keeps a small text with a file, instead of an earlier one. It is removed with the file. */
  saveNote(key: string, text: string): Promise<void>
  findNote(key: string): Promise<string | undefined>
  /** Removing what is not there is no error: another process may have been quicker. */
  remove(key: string): Promise<void>
  /** For files that no row names any more, since a process ended between the two. Says how many there were. */
  removeOlderThan(time: Date): Promise<number>
}

export type SavedFile = { key: string; size: number }
export type Rewrite = (from: string, to: string) => Promise<boolean>
export type Look<Seen> = (file: { path: string; size: number }) => Promise<Seen>
