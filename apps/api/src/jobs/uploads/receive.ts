import type { MultipartFile } from '@fastify/multipart'
import { FILE_BYTES_MAX } from '@probity/contract/constants/limits'
import { cut } from '@probity/uploads/columns'
import type { FileStorage } from '@probity/uploads/storage'
import type { FastifyRequest } from 'fastify'
import { Problem } from '../../http/problem.ts'

/** Overhead of a form besides its file: boundaries, headers, a few fields. */
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

export type Received<Seen> = { key: string; size: number; filename: string; seen: Seen }
type Look<Seen> = (path: string) => Promise<Seen>

/** Receives the file of a form, checks it and stores it. A rejected file leaves nothing behind. */
export async function receiveFile<Seen>(
  request: FastifyRequest,
  storage: FileStorage,
  look: Look<Seen>,
): Promise<Received<Seen>> {
  refuseUnread(request)
  const part = await findFile(request)
  if (part?.fieldname !== 'file') throw new Problem('no_file')
  const saved = await storage.lookAndSave(withinLimit(part.file), async ({ path, size }) => {
    if (size === 0) throw new Problem('empty_file', 'The file is empty.')
    return look(path)
  })
  return { ...saved, filename: cleanName(part.filename) }
}

/** Checks that do not need the body. Compressed bodies are rejected, because of decompression bombs. */
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
  return new Problem('invalid_request', 'The form is incomplete.')
}

/** For people to recognise: without what would hide or turn round a part of it. */
function cleanName(name: string): string {
  return cut(name.replace(/[\p{C}\p{Zl}\p{Zp}/\\]/gu, '').trim(), FILENAME_UNITS_MAX) || 'upload.csv'
}
