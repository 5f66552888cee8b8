import multipart, { type MultipartFile } from '@fastify/multipart'
import { FILE_BYTES_MAX } from '@probity/contract/constants/limits'
import { PreviewQuery, UploadForm, UploadPreview } from '@probity/contract/schemas/jobs/uploads'
import { cut } from '@probity/uploads/csv'
import type { Convert, FileStorage } from '@probity/uploads/storage'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { MIDDLEWARE_PROBLEMS, operation } from '../../http/openapi.ts'
import { Problem } from '../../http/problem.ts'
import { disconnectSignal } from '../../http/request-body.ts'
import type { Route } from '../../http/route.ts'
import { READS_FILE_MS } from '../../middleware/load-shedding/time-limits.ts'
import { keepUpload, type Received, readReceived, type UploadServices } from './keep-upload.ts'
import type { FileReading } from './reader.ts'
import { readCellOptions } from './stored-preview.ts'

/** Overhead of a form besides its file: boundaries, headers, a few fields. */
const FORM_BYTES_MAX = 64 * 1024
const FILENAME_UNITS_MAX = 200

/** One file and a few small fields, which are ignored. The bytes of the file are counted where it is stored. */
export const FORM_LIMITS = {
  files: 1,
  fields: 10,
  fieldNameSize: 100,
  fieldSize: 1024,
  parts: 12,
  headerPairs: 20,
  fileSize: Number.POSITIVE_INFINITY,
}

type LookAt = (file: { path: string; convert: Convert }) => Promise<FileReading>

/** Receives the file of a form, checks it and stores it. A rejected file leaves nothing behind. */
async function receiveFile(request: FastifyRequest, storage: FileStorage, look: LookAt): Promise<Received> {
  refuseUnread(request)
  const part = await findFile(request)
  if (part?.fieldname !== 'file') throw new Problem('no_file')
  const saved = await storage.lookAndSave(withinLimit(part.file), async ({ size, ...file }) => {
    if (size === 0) throw new Problem('empty_file', 'The file is empty.')
    return look(file)
  })
  return { ...saved, filename: cleanName(part.filename) }
}

/** Checks that do not need the body. Compressed bodies are rejected, because of decompression bombs. */
function refuseUnread(request: FastifyRequest): void {
  const { 'content-encoding': packed, 'content-length': length = '0' } = request.headers
  if (packed !== undefined && packed !== 'identity') throw new Problem('content_encoding_refused')
  if (!request.isMultipart()) throw new Problem('unsupported_media_type', 'The body is not multipart/form-data.')
  if (Number(length) > FILE_BYTES_MAX + FORM_BYTES_MAX) throw new Problem('file_too_large')
}

async function findFile(request: FastifyRequest): Promise<MultipartFile | undefined> {
  try {
    return await request.file()
  } catch {
    throw brokenForm() // the library's message is not for clients
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
    throw error instanceof Problem ? error : brokenForm() // disk errors are not thrown here
  }
}

/** The form is incomplete or invalid. */
function brokenForm(): Problem {
  return new Problem('invalid_request', 'The form is incomplete.')
}

/** For display: without control and direction characters. */
function cleanName(name: string): string {
  return cut(name.replace(/[\p{C}\p{Zl}\p{Zp}/\\]/gu, '').trim(), FILENAME_UNITS_MAX) || 'upload.csv'
}

/** Receives a file and returns its counts, before anything is validated or charged. */
export const previewUpload: Route<UploadServices> = async (app, services) => {
  await app.register(multipart, { limits: FORM_LIMITS })
  const schema = operation(
    {
      id: 'previewUpload',
      tag: 'Jobs',
      summary: 'Upload a CSV or XLSX file and preview it',
      description:
        'Detects the encoding, the header, the columns, the column with the addresses and the cost of validating them. Of a workbook (XLSX), the first visible sheet with addresses is read; `sheets` names the others. A cell with a display name, angle brackets or `mailto:` around an address is read as that address; text without an address is neither validated nor charged. An address with invisible or full-width characters, white space around the @, `(at)` or a comma in place of a dot is repaired; the file keeps the cell. The preview itself validates, charges and reserves nothing. The file is deleted after 24 hours if the upload is not confirmed.',
      problems: PREVIEW_PROBLEMS,
    },
    { querystring: PreviewQuery, body: UploadForm, response: { 200: UploadPreview } },
  )
  const options = {
    schema: { ...schema, consumes: ['multipart/form-data'] },
    config: {
      scope: 'jobs:write',
      loadClass: 'list',
      largeBody: true,
      idempotency: 'ignored',
      handlerTimeoutMs: READS_FILE_MS,
    },
    validatorCompiler: () => () => true, // the form is parsed by receiveFile as it arrives
  } as const
  const { uploadShares, storage } = services
  app.post('/bulk/upload/preview', options, async (request, reply) => {
    const { auth, query } = request
    const signal = disconnectSignal(reply)
    const cells = readCellOptions(query)
    const look: LookAt = (file) => readReceived(services, auth, { ...file, signal, cells })
    try {
      return await uploadShares.hold(auth.accountId, async () =>
        keepUpload(services, auth, await receiveFile(request, storage, look)),
      )
    } catch (error) {
      if (!request.raw.complete) discardRest(request, reply)
      throw error
    }
  })
}

/** Time for a client that is still sending to read the response. */
const LINGER_MS = 1_000

/**
 * Reads and discards what the client sends after its file was rejected, and closes the connection a second later. Closing it at once would
 * reset it, and the client could lose the response.
 */
function discardRest({ raw }: FastifyRequest, reply: FastifyReply): void {
  raw.resume()
  reply.raw.once('finish', () => setTimeout(() => raw.complete || raw.destroy(), LINGER_MS).unref())
}

const PREVIEW_PROBLEMS = [
  'invalid_request',
  'no_file',
  'file_too_large',
  'unsupported_media_type',
  'content_encoding_refused',
  'not_csv',
  'empty_file',
  'malformed_csv',
  'record_too_long',
  'too_many_columns',
  'too_many_rows',
  'too_many_emails',
  'no_email_column',
  'too_many_uploads',
  ...MIDDLEWARE_PROBLEMS,
] satisfies Parameters<typeof operation>[0]['problems']
