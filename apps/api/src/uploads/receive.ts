import type { MultipartFile } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { Problem } from '../problem.ts'
import { cut } from './columns.ts'
import type { FileStorage } from './storage.ts'

export const FILE_BYTES_MAX = 50 * 1024 * 1024
/** What a form needs around its file: boundaries, headers, a few fields. */
const FORM_BYTES_MAX = 64 * 1024
const FILENAME_UNITS_MAX = 200

/** One file and a few small fields, which we do not read. Bytes of the file are counted where they are kept. */
export const FORM_LIMITS = {
  files: 1,
  fields: 10,
  fieldNameSize: 100,
  fieldSize: 1024,
  parts: 12,
  headerPairs: 20,
  fileSize: Number.POSITIVE_INFINITY,
}

export type Received = { key: string; size: number; filename: string }

/** Takes the file of a form to where it is kept, as it comes in. What is refused leaves nothing behind. */
export async function receiveFile(request: FastifyRequest, storage: FileStorage): Promise<Received> {
  refuseUnread(request)
  const part = await findFile(request)
  if (part?.fieldname !== 'file') throw new Problem('no_file')
  const { key, size } = await storage.save(withinLimit(part.file))
  if (size === 0) {
    await storage.remove(key)
    throw new Problem('empty_file', 'The file has no bytes.')
  }
  return { key, size, filename: cleanName(part.filename) }
}

/** What can be seen without reading the body. A packed one is not unpacked: a few bytes may become as many as they like. */
function refuseUnread(request: FastifyRequest): void {
  const { 'content-encoding': packed, 'content-length': length = '0' } = request.headers
  if (packed !== undefined && packed !== 'identity') throw new Problem('content_encoding_refused')
  if (!request.isMultipart()) throw new Problem('unsupported_media_type', 'Send the file as multipart/form-data.')
  if (Number(length) > FILE_BYTES_MAX + FORM_BYTES_MAX) throw new Problem('file_too_large')
}

async function findFile(request: FastifyRequest): Promise<MultipartFile | undefined> {
  try {
    return await request.file()
  } catch {
    throw brokenForm() // whatever the library says of it, its words are not for our callers
  }
}

async function* withinLimit(file: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let size = 0
  try {
    for await (const chunk of file) {
      size += chunk.length
      if (size > FILE_BYTES_MAX) throw new Problem('file_too_large')
      yield chunk
    }
  } catch (error) {
    throw error instanceof Problem ? error : brokenForm() // faults of the disk do not come by here
  }
}

/** The form ends before it is whole, or is none. */
function brokenForm(): Problem {
  return new Problem('invalid_request', 'The form cannot be read to its end.')
}

/** For people to recognise: without what would hide or turn round a part of it. */
function cleanName(name: string): string {
  return cut(name.replace(/[\p{C}\p{Zl}\p{Zp}/\\]/gu, '').trim(), FILENAME_UNITS_MAX) || 'upload.csv'
}
