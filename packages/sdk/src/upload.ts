import { ProbityError } from './errors.ts'

/** A file to send: as a whole, or as it comes. */
export type FileSource = Blob | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>

type Form = { body: FormData | ReadableStream<Uint8Array>; headers?: Record<string, string> }

const UNNAMED = 'upload.csv'

/**
 * Sends a form with the file in its field `file`. A Blob is left to the platform, which knows its length. What comes as a stream is
 * sent as it comes, but for browsers: they send no streams, or over HTTP/2 alone, so there it is collected first.
 */
export async function sendForm<T>(
  file: FileSource,
  filename: string | undefined,
  send: (form: Form) => Promise<T>,
): Promise<T> {
  if (file instanceof Blob) return send({ body: formOf(file, filename) })
  const chunks = readChunks(file)
  if (isBrowser()) return send({ body: formOf(await collect(chunks), filename) })

  const boundary = `probity-${crypto.getRandomValues(new Uint32Array(4)).join('-')}`
  const source = openSource(around(chunks, boundary, filename ?? UNNAMED))
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
  try {
    return await send({ body: source.stream, headers })
  } catch (error) {
    throw source.fault() ?? error
  } finally {
    source.close()
  }
}

function formOf(file: Blob, filename: string | undefined): FormData {
  const form = new FormData()
  // A File has a name of its own.
  form.append('file', file, filename ?? ('name' in file ? String(file.name) : UNNAMED))
  return form
}

function isBrowser(): boolean {
  return 'document' in globalThis || 'importScripts' in globalThis
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  for await (const chunk of chunks) parts.push(chunk as Uint8Array<ArrayBuffer>)
  return new Blob(parts)
}

/** RFC 7578: the name in UTF-8, with quotes and line breaks written as browsers write them. */
async function* around(chunks: AsyncIterable<Uint8Array>, boundary: string, filename: string) {
  const encoder = new TextEncoder()
  const name = filename.replace(/["\r\n]/g, encodeURIComponent)
  const head = `content-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: text/csv`
  yield encoder.encode(`--${boundary}\r\n${head}\r\n\r\n`)
  yield* chunks
  yield encoder.encode(`\r\n--${boundary}--\r\n`)
}

async function* readChunks(file: Exclude<FileSource, Blob>): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of 'getReader' in file ? drain(file) : file) {
    if (!(chunk instanceof Uint8Array)) throw new ProbityError('The file must come as bytes (Uint8Array), not as text.')
    if (chunk.length > 0) yield chunk
  }
}

/** Not every browser can iterate over a stream. */
async function* drain(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = stream.getReader()
  let isWhole = false
  try {
    while (true) {
      const { done, value } = await reader.read()
      isWhole = done
      if (done) return
      yield value
    }
  } finally {
    if (!isWhole) await reader.cancel().catch(() => undefined) // it failed by itself, and the reader has heard of it
  }
}

type Source = {
  stream: ReadableStream<Uint8Array>
  /** What the file itself failed with. Platforms say of it no more than that sending failed. */
  fault(): unknown
  /** Lets the file go, and ends a request that is still sending it: half a form must not pass for a whole one. */
  close(): void
}

function openSource(chunks: AsyncGenerator<Uint8Array, void, undefined>): Source {
  let fault: unknown
  let isOpen = true
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const close = (reason: unknown) => {
    if (!isOpen) return
    isOpen = false
    controller?.error(reason)
    // A file that fails on being closed too has been told of, or is no longer wanted.
    chunks.return().catch(() => undefined)
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
        fault = error
        close(error)
      }
    },
    cancel: (reason: unknown) => close(reason),
  }
  return {
    stream: new ReadableStream<Uint8Array>(source, { highWaterMark: 0 }),
    fault: () => fault,
    close: () => close(new ProbityError('The file is no longer wanted.')),
  }
}
