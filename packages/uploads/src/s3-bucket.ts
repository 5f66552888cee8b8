import { addAbortSignal, Readable } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import { isKey } from './storage-key.ts'
import type { S3Settings } from './storage-settings.ts'

export type S3Limits = {
  /** For a connection, and until the response begins. */
  answerMs: number
  /** For a short call with all its attempts. */
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
export function openBucket(settings: S3Settings, limits: S3Limits) {
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
