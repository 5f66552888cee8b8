import { join } from 'node:path'
import { addAbortSignal, Readable } from 'node:stream'
import { text as readText } from 'node:stream/consumers'
import type { S3Client } from '@aws-sdk/client-s3'
import { openFolderStorage } from './folder-storage.ts'
import {
  type Convert,
  type FileStorage,
  isKey,
  type Look,
  noteKeyOf,
  originalKeyOf,
  requireKey,
  type S3Settings,
  type SavedFile,
} from './storage.ts'

const LIMITS: S3Limits = {
  answerMs: 10_000,
  callMs: 30_000,
  transferMs: 300_000,
  pageSize: 1_000,
  pagesMax: 100,
}
const REMOVED_AT_ONCE = 10
/** Longer than any transfer: an older file was left by a killed process. */
const SCRATCH_LEFT_AFTER_MS = 60 * 60 * 1000

/**
 * Files in a bucket of an S3 server. Each transfer goes through a local folder, so that threads without our secrets can read the files
 * and a slow reader keeps no connection to the bucket open.
 */
export function openS3Storage(settings: S3Settings & { folder: string }, limits = LIMITS): FileStorage {
  const scratch = openFolderStorage(join(settings.folder, 'scratch'), settings.folder)
  const bucket = openBucket(settings, limits)
  let sweptUpTo: string | undefined

  async function lookAndSave<Seen>(bytes: AsyncIterable<Buffer>, look: Look<Seen>) {
    const noticed = noticeOriginal(look)
    const { key, size, seen } = await scratch.lookAndSave(bytes, noticed.look)
    try {
      if (noticed.hasOriginal()) await bucket.put(originalKeyOf(key), scratch.open(originalKeyOf(key)))
      await bucket.put(key, scratch.open(key))
    } finally {
      await scratch.remove(key)
    }
    return { key, size, seen }
  }

  async function withLocalCopy<T>(key: string, use: (localKey: string) => Promise<T>): Promise<T> {
    const local = await scratch.save(bucket.get(requireKey(key)))
    try {
      return await use(local.key)
    } finally {
      await scratch.remove(local.key)
    }
  }

  return {
    lookAndSave,
    async save(bytes): Promise<SavedFile> {
      const { key, size } = await lookAndSave(bytes, async () => {})
      return { key, size }
    },
    open: (key) => Readable.from(readThrough(scratch, bucket.get(requireKey(key))), { objectMode: false }),
    lend: (key, use) => withLocalCopy(key, (localKey) => scratch.lend(localKey, use)),
    rewrite: (key, write) =>
      withLocalCopy(key, async (localKey) => {
        const isChanged = await scratch.rewrite(localKey, write)
        if (isChanged) await bucket.put(key, scratch.open(localKey))
        return isChanged
      }),
    saveNote: async (key, text) => bucket.put(noteKeyOf(key), Readable.from([text], { objectMode: false })),
    findNote: async (key) => readIfPresent(bucket, noteKeyOf(key)),
    lendOriginal: (key, use) => ifPresent(() => withLocalCopy(originalKeyOf(key), (local) => scratch.lend(local, use))),
    removeOriginal: async (key) => bucket.remove({ key: originalKeyOf(key) }),
    async remove(key) {
      await bucket.remove({ key: noteKeyOf(key) })
      await bucket.remove({ key: originalKeyOf(key) })
      await bucket.remove({ key: requireKey(key) })
    },
    async removeOlderThan(time) {
      await scratch.removeOlderThan(new Date(Math.max(time.getTime(), Date.now() - SCRATCH_LEFT_AFTER_MS)))
      const { removed, next } = await sweep(bucket, time, { from: sweptUpTo, pagesMax: limits.pagesMax })
      sweptUpTo = next
      return removed
    },
  }
}

/** Notes whether the original of a converted file is stored too. */
function noticeOriginal<Seen>(look: Look<Seen>) {
  let hasOriginal = false
  const noticed: Look<Seen> = ({ convert, ...file }) => {
    const convertHere: Convert = (write) =>
      convert(async (from, to) => {
        const written = await write(from, to)
        hasOriginal = written.keepsOriginal
        return written
      })
    return look({ ...file, convert: convertHere })
  }
  return { look: noticed, hasOriginal: () => hasOriginal }
}

type Bucket = ReturnType<typeof openBucket>
type Range = { from: string | undefined; pagesMax: number }

async function* readThrough(scratch: FileStorage, bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const local = await scratch.save(bytes)
  try {
    yield* scratch.open(local.key)
  } finally {
    await scratch.remove(local.key)
  }
}

function readIfPresent(bucket: Bucket, key: string): Promise<string | undefined> {
  return ifPresent(() => readText(bucket.get(key)))
}

async function ifPresent<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof Error && error.name === 'NoSuchKey') return undefined
    throw error
  }
}

/** Returns the number of removed objects and the name after which the next run continues. */
async function sweep(bucket: Bucket, time: Date, { from, pagesMax }: Range) {
  const unfinished = await bucket.listUnfinished()
  await removeAll(
    bucket,
    unfinished.filter(({ at }) => at < time),
  )
  let removed = 0
  let next = from
  for (let pages = 0; pages < pagesMax; pages++) {
    const { page, next: after } = await bucket.list(next)
    const old = page.filter(({ at }) => at < time)
    await removeAll(bucket, old)
    removed += old.length
    next = after
    if (next === undefined) break
  }
  return { removed, next }
}

async function removeAll(bucket: Bucket, listed: Parameters<Bucket['remove']>[0][]): Promise<void> {
  for (let from = 0; from < listed.length; from += REMOVED_AT_ONCE) {
    await Promise.all(listed.slice(from, from + REMOVED_AT_ONCE).map(bucket.remove))
  }
}

type S3Limits = {
  /** For connecting and until the response begins. */
  answerMs: number
  /** For a short call including its retries. */
  callMs: number
  /** For a whole file. */
  transferMs: number
  /** Objects per listed page, and pages per run of the removal. The next run continues after them. */
  pageSize: number
  pagesMax: number
}

/** An object, or an unfinished multipart upload, which has an upload id. */
type Listed = { key: string; at: Date; uploadId?: string }

/** At most two parts of a file are in memory. */
const PARTS = { partSize: 5 * 1024 * 1024, queueSize: 2 }

/** The calls to a bucket, each with a time limit. The first call loads the SDK, which most installations never need. */
function openBucket(settings: S3Settings, limits: S3Limits) {
  const { bucket: Bucket, prefix: Prefix } = settings
  const { answerMs, callMs, transferMs, pageSize } = limits
  const named = (key: string) => ({ Bucket, Key: Prefix + key })
  const within = (ms: number) => ({ abortSignal: AbortSignal.timeout(ms) })
  let opened: ReturnType<typeof openClient> | undefined
  function sdk() {
    opened ??= openClient(settings, answerMs)
    return opened
  }

  return {
    async put(key: string, Body: Readable): Promise<void> {
      await uploadObject(await sdk(), { ...named(key), Body }, transferMs)
    },

    async *get(key: string): AsyncGenerator<Buffer> {
      const { client, GetObjectCommand } = await sdk()
      const options = within(transferMs)
      const { Body } = await client.send(new GetObjectCommand(named(key)), options)
      if (!(Body instanceof Readable)) throw new Error('the S3 client returned no stream')
      yield* addAbortSignal(options.abortSignal, Body)
    },

    async remove({ key, uploadId: UploadId }: Pick<Listed, 'key' | 'uploadId'>): Promise<void> {
      const { client, DeleteObjectCommand, AbortMultipartUploadCommand } = await sdk()
      if (UploadId === undefined) await client.send(new DeleteObjectCommand(named(key)), within(callMs))
      else await client.send(new AbortMultipartUploadCommand({ ...named(key), UploadId }), within(callMs))
    },

    /** One page of our objects, and the name after which the next page begins, if there is one. */
    async list(StartAfter: string | undefined): Promise<{ page: Listed[]; next: string | undefined }> {
      const { client, ListObjectsV2Command } = await sdk()
      const command = new ListObjectsV2Command({ Bucket, Prefix, MaxKeys: pageSize, StartAfter })
      const { Contents = [], IsTruncated } = await client.send(command, within(callMs))
      const page = Contents.map(({ Key = '', LastModified: at = new Date() }) => ({ key: keyOf(Key), at }))
      return { page: page.filter(({ key }) => isKey(key)), next: IsTruncated ? Contents.at(-1)?.Key : undefined }
    },

    /** Multipart uploads of killed processes. They are not listed as objects. */
    async listUnfinished(): Promise<Listed[]> {
      const { client, ListMultipartUploadsCommand } = await sdk()
      const command = new ListMultipartUploadsCommand({ Bucket, Prefix, MaxUploads: pageSize })
      const { Uploads = [] } = await client.send(command, within(callMs))
      return Uploads.map(({ Key = '', UploadId: uploadId = '', Initiated: at = new Date() }) => {
        return { key: keyOf(Key), at, uploadId }
      }).filter(({ key }) => isKey(key))
    },
  }

  /** The bucket may contain other objects, whose names have another form. */
  function keyOf(name: string): string {
    return name.slice(Prefix.length)
  }
}

type Sdk = Awaited<ReturnType<typeof openClient>>
type NewObject = { Bucket: string; Key: string; Body: Readable }

async function uploadObject({ client, Upload }: Sdk, params: NewObject, transferMs: number): Promise<void> {
  const abortController = new AbortController()
  const timer = setTimeout(() => abortController.abort(), transferMs)
  try {
    await new Upload({ client, params, ...PARTS, abortController }).done()
  } finally {
    clearTimeout(timer)
    params.Body.destroy()
  }
}

async function openClient({ endpoint, region, accessKeyId, secretAccessKey }: S3Settings, answerMs: number) {
  const [s3, storage] = await Promise.all([import('@aws-sdk/client-s3'), import('@aws-sdk/lib-storage')])
  const client: S3Client = new s3.S3Client({
    region,
    credentials: { accessKeyId, secretAccessKey },
    // Few other S3 servers have a host name for each bucket, and not all support the newer checksums of Amazon.
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: answerMs, requestTimeout: answerMs, throwOnRequestTimeout: true },
  })
  return { ...s3, ...storage, client }
}
