import { hash, randomBytes } from 'node:crypto'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { UPLOADS_SETTINGS } from '@probity/settings/connection-settings'
import { BadSettings, type SettingFault } from '@probity/settings/parse'
import Type, { type Static } from 'typebox'

/** Storage of uploaded files. Only `openStorage` knows the implementation. */
export type FileStorage = {
  /** Saves a stream under a random key. An aborted stream leaves no file. */
  save(bytes: AsyncIterable<Buffer>): Promise<SavedFile>
  /** The same, but `look` reads the complete file on the local disk first. If it throws, no file is left. The size is that of the larger file after a conversion. */
  lookAndSave<Seen>(bytes: AsyncIterable<Buffer>, look: Look<Seen>): Promise<SavedFile & { seen: Seen }>
  open(key: string): Readable
  /** Provides a local file for the duration of `use`, for code that must not access the storage. */
  lend<Seen>(key: string, use: (path: string) => Promise<Seen>): Promise<Seen>
  /**
   * Replaces a file atomically by the one that `write` creates on the local disk. The file is unchanged if `write` returns false or
   * throws.
   */
  rewrite(key: string, write: Rewrite): Promise<boolean>
  /** Saves a short text with a file and replaces an earlier one. It is removed with the file. */
  saveNote(key: string, text: string): Promise<void>
  findNote(key: string): Promise<string | undefined>
  /** Like `lend`, for the original of a converted file. Undefined if there is none. */
  lendOriginal<Seen>(key: string, use: (path: string) => Promise<Seen>): Promise<Seen | undefined>
  /** Removes the original of a converted file. */
  removeOriginal(key: string): Promise<void>
  /** Removes a file with its note and its original. Removing a missing file is not an error: another process may have removed it. */
  remove(key: string): Promise<void>
  /** Removes files without a row, which are left if a process ends between the two. Returns their number. */
  removeOlderThan(time: Date): Promise<number>
}

export type SavedFile = { key: string; size: number }
export type Rewrite = (from: string, to: string) => Promise<boolean>
export type Look<Seen> = (file: { path: string; size: number; convert: Convert }) => Promise<Seen>
/** Stores the file that `write` creates instead of the one that was received, and on request also the latter, as its original. */
export type Convert = (write: (from: string, to: string) => Promise<{ keepsOriginal: boolean }>) => Promise<void>

const KEY = /^[0-9a-f]{32}$/

export function newKey(): string {
  return randomBytes(16).toString('hex')
}

export function isKey(text: string): boolean {
  return KEY.test(text)
}

/** For a key from outside: any other text could address a path outside the folder or a foreign object. */
export function requireKey(text: string): string {
  if (!isKey(text)) throw new Error('invalid storage key')
  return text
}

/** The storage key of a note. It looks like that of a file, so that notes without a file are removed by their age. */
export function noteKeyOf(key: string): string {
  return hash('sha256', `note of ${requireKey(key)}`).slice(0, 32)
}

/** The storage key of the original of a converted file. Like a note, it is removed by its age if its file is missing. */
export function originalKeyOf(key: string): string {
  return hash('sha256', `original of ${requireKey(key)}`).slice(0, 32)
}

/** Uploaded files are in a folder that all hosts share, or in a bucket; then the folder is local to this host. */
export type StorageSettings = { kind: 'folder'; folder: string } | ({ kind: 's3'; folder: string } & S3Settings)

export type S3Settings = {
  bucket: string
  /** Undefined for Amazon S3. */
  endpoint: string | undefined
  region: string
  accessKeyId: string
  secretAccessKey: string
  prefix: string
}

const StorageVariables = Type.Object(UPLOADS_SETTINGS)

export function readStorage(vars: Static<typeof StorageVariables>): StorageSettings {
  const folder = vars.UPLOADS_FOLDER ?? defaultUploadsFolder()
  const {
    UPLOADS_S3_BUCKET: bucket,
    UPLOADS_S3_ACCESS_KEY_ID: accessKeyId,
    UPLOADS_S3_SECRET_ACCESS_KEY: secretAccessKey,
  } = vars
  const endpoint = vars.UPLOADS_S3_ENDPOINT
  if (bucket === undefined && endpoint === undefined && accessKeyId === undefined && secretAccessKey === undefined) {
    return { kind: 'folder', folder }
  }
  if (bucket === undefined || accessKeyId === undefined || secretAccessKey === undefined) {
    throw new BadSettings(listMissing({ bucket, accessKeyId, secretAccessKey }))
  }
  const { UPLOADS_S3_REGION: region, UPLOADS_S3_PREFIX: prefix } = vars
  return { kind: 's3', folder, bucket, endpoint, region, accessKeyId, secretAccessKey, prefix }
}

export function defaultUploadsFolder(): string {
  return join(tmpdir(), `probity-uploads-${userInfo().uid}`)
}

type Needed = Record<'bucket' | 'accessKeyId' | 'secretAccessKey', string | undefined>

const NAMES: Record<keyof Needed, string> = {
  bucket: 'UPLOADS_S3_BUCKET',
  accessKeyId: 'UPLOADS_S3_ACCESS_KEY_ID',
  secretAccessKey: 'UPLOADS_S3_SECRET_ACCESS_KEY',
}

function listMissing(needed: Needed): SettingFault[] {
  const missing = (['bucket', 'accessKeyId', 'secretAccessKey'] as const).filter((name) => needed[name] === undefined)
  return missing.map((key) => ({
    name: NAMES[key],
    says: `PROBITY_${NAMES[key]} is missing. The bucket and both access keys must be set together.`,
  }))
}
