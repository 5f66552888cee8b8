import { isBrowser } from '../client-options.ts'
import { ProbityError } from './errors.ts'
import type { IdempotentRequestOptions } from './transport.ts'

/** `maxAgeSeconds` is `max_age_s` in the API, `keyId` is `key_id`. */
type FieldName<Name extends string> = Name extends `${infer Head}Seconds` ? `${SnakeCase<Head>}_s` : SnakeCase<Name>

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name

/** Options as fields of a request body. */
type BodyFields<T> = {
  [K in keyof T as K extends string ? FieldName<K> : never]: FieldValue<Exclude<T[K], undefined>>
}

type FieldValue<V> = V extends Date ? string : V extends readonly (infer Item)[] ? Item[] : V

/** Writes options as the API names them. Undefined options are omitted; null is a value. */
export function toBody<T extends object>(options: T): BodyFields<T> {
  const fields = Object.entries(options)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [fieldName(name), value instanceof Date ? value.toISOString() : value])
  return Object.fromEntries(fields) as BodyFields<T>
}

/** Writes options as query parameters. Arrays are separated by commas. */
export function toQuery(options: object): Record<string, string> {
  return Object.fromEntries(Object.entries(toBody(options)).map(([name, value]) => [name, String(value)]))
}

function fieldName(name: string): string {
  return name.replace(/Seconds$/, '_s').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Separates the options that every call has from those of the method. */
export function splitOptions<T extends IdempotentRequestOptions>(options: T) {
  const { signal, timeoutMs, maxRetries, headers, idempotencyKey, ...fields } = options
  return { call: { signal, timeoutMs, maxRetries, headers, idempotencyKey }, fields }
}

/** A file to upload: complete, or as a stream of bytes. */
export type FileSource = Blob | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>

export type Form = { body: FormData | ReadableStream<Uint8Array>; headers?: Record<string, string> }

const DEFAULT_FILENAME = 'upload.csv'

/**
 * Sends a form with the file in the field `file`. A Blob is left to the platform, which knows its length. Streams are sent as they
 * are produced, except in browsers, which cannot send streams or only over HTTP/2: there they are collected first.
 */
export async function sendForm<T>(
  file: FileSource,
  filename: string | undefined,
  send: (form: Form) => Promise<T>,
): Promise<T> {
  if (file instanceof Blob) return send({ body: createForm(file, filename) })
  const chunks = readChunks(file)
  if (isBrowser()) return send({ body: createForm(await collect(chunks), filename) })

  const boundary = `probity-${crypto.getRandomValues(new Uint32Array(4)).join('-')}`
  const source = openSource(encodeForm(chunks, boundary, filename ?? DEFAULT_FILENAME))
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
  try {
    return await send({ body: source.stream, headers })
  } catch (error) {
    throw source.findError() ?? error
  } finally {
    source.close()
  }
}

function createForm(file: Blob, filename: string | undefined): FormData {
  const form = new FormData()
  form.append('file', file, filename ?? ('name' in file ? String(file.name) : DEFAULT_FILENAME))
  return form
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  for await (const chunk of chunks) parts.push(chunk as Uint8Array<ArrayBuffer>)
  return new Blob(parts)
}

/** RFC 7578: the name in UTF-8, with quotes and line breaks encoded as browsers encode them. */
async function* encodeForm(chunks: AsyncIterable<Uint8Array>, boundary: string, filename: string) {
  const encoder = new TextEncoder()
  const name = filename.replace(/["\r\n]/g, encodeURIComponent)
  const head = `content-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: text/csv`
  yield encoder.encode(`--${boundary}\r\n${head}\r\n\r\n`)
  yield* chunks
  yield encoder.encode(`\r\n--${boundary}--\r\n`)
}

async function* readChunks(file: Exclude<FileSource, Blob>): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of 'getReader' in file ? readStream(file) : file) {
    if (!(chunk instanceof Uint8Array)) throw new ProbityError('The file must consist of bytes (Uint8Array), not text.')
    if (chunk.length > 0) yield chunk
  }
}

/** Some browsers cannot iterate over a stream. */
async function* readStream(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = stream.getReader()
  let isComplete = false
  try {
    while (true) {
      const { done, value } = await reader.read()
      isComplete = done
      if (done) return
      yield value
    }
  } finally {
    if (!isComplete) await reader.cancel().catch(() => undefined) // the stream has failed and reported its error
  }
}

type Source = {
  stream: ReadableStream<Uint8Array>
  /** The error of the file itself. Platforms only report that the request failed. */
  findError(): unknown
  /** Closes the file and fails a request that is still sending it, so that half a form does not pass for a complete one. */
  close(): void
}

function openSource(chunks: AsyncGenerator<Uint8Array, void, undefined>): Source {
  let fileError: unknown
  let isOpen = true
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const close = (reason: unknown) => {
    if (!isOpen) return
    isOpen = false
    controller?.error(reason)
    chunks.return().catch(() => undefined) // an error on closing adds nothing to `reason`
  }
  const source = {
    start(given: ReadableStreamDefaultController<Uint8Array>) {
      controller = given
    },
    async pull(given: ReadableStreamDefaultController<Uint8Array>) {
      try {
        const { done, value } = await chunks.next()
        if (!isOpen) return
        if (!done) return given.enqueue(value)
        isOpen = false
        given.close()
      } catch (error) {
        fileError = error
        close(error)
      }
    },
    cancel: (reason: unknown) => close(reason),
  }
  return {
    stream: new ReadableStream<Uint8Array>(source, { highWaterMark: 0 }),
    findError: () => fileError,
    close: () => close(new ProbityError('The upload has ended.')),
  }
}
