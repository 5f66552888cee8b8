import {
  UploadList,
  UploadPage,
  UploadParams,
  UploadPreview,
  UploadQuery,
} from '@probity/contract/schemas/jobs/uploads'
import { getAccount } from '@probity/database/accounts/accounts'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { discardDraft, findDraft, findSameFileJob, listDrafts } from '@probity/database/jobs/uploads'
import { getProbing } from '@probity/database/validations/probing'
import type { CellOptions } from '@probity/uploads/read-cell'
import type { FileStorage } from '@probity/uploads/storage'
import Type from 'typebox'
import { MIDDLEWARE_PROBLEMS, operation } from '../../http/openapi.ts'
import { readPage, sendPageHeaders } from '../../http/page.ts'
import { found } from '../../http/problem.ts'
import { disconnectSignal } from '../../http/request-body.ts'
import type { Route } from '../../http/route.ts'
import { type Auth, viewOf } from '../../middleware/authentication/auth.ts'
import { READS_FILE_MS } from '../../middleware/load-shedding/time-limits.ts'
import { removeDraftFile } from './keep-upload.ts'
import { presentDraft, presentPreview } from './present-upload.ts'
import type { UploadReader } from './reader.ts'
import { getReading, readCellOptions } from './stored-preview.ts'

/** The account's unconfirmed uploads, newest first. */
export const listUploads: Route<{ db: Db }> = async (app, { db }) => {
  const schema = operation(
    {
      id: 'listUploads',
      tag: 'Jobs',
      summary: 'List uploads',
      description:
        'Uploads that are not confirmed yet; a confirmed upload is a job. Live keys see the uploads of live mode, test keys those of test mode. The total is in `X-Total-Count`, the adjacent pages are in `Link`.',
      problems: ['invalid_request', ...MIDDLEWARE_PROBLEMS],
    },
    { querystring: UploadPage, response: { 200: UploadList } },
  )
  app.get('/bulk/uploads', { schema, config: { scope: 'jobs:read' } }, async ({ auth, query }, reply) => {
    const page = readPage(query)
    const { drafts, total } = await inTenant(db, auth.accountId, (trx) => listDrafts(trx, viewOf(auth), page))
    sendPageHeaders(reply, page, total)
    return drafts.map(presentDraft)
  })
}

type UploadDependencies = {
  db: Db
  storage: FileStorage
  uploadReader: UploadReader
}

const reading = { scope: 'jobs:read', handlerTimeoutMs: READS_FILE_MS } as const
const deleting = { scope: 'jobs:write', handlerTimeoutMs: READS_FILE_MS } as const

/** Routes of one upload that is not confirmed: get and delete. */
export const manageUpload: Route<UploadDependencies> = async (app, services) => {
  const show = operation(
    {
      id: 'getUpload',
      tag: 'Jobs',
      summary: 'Get an upload preview',
      description:
        'The preview, with the counts of `email_column` if it is given. The file is read once per column and options. A confirmed upload is not found, because it is a job.',
      problems: ['invalid_request', 'not_found', 'unknown_column', 'too_many_emails', ...MIDDLEWARE_PROBLEMS],
    },
    { params: UploadParams, querystring: UploadQuery, response: { 200: UploadPreview } },
  )
  app.get('/bulk/uploads/:upload_id', { schema: show, config: reading }, ({ auth, params, query }, reply) =>
    lookAgain(services, auth, {
      uploadId: params.upload_id,
      column: query.email_column,
      cells: readCellOptions(query),
      signal: disconnectSignal(reply),
    }),
  )

  const remove = operation(
    {
      id: 'deleteUpload',
      tag: 'Jobs',
      summary: 'Delete an upload',
      description: 'Deletes the file immediately. A confirmed upload is not found: delete its job instead.',
      problems: ['invalid_request', 'not_found', ...MIDDLEWARE_PROBLEMS],
    },
    { params: UploadParams, response: { 204: Type.Null({ description: 'The upload was deleted.' }) } },
  )
  app.delete('/bulk/uploads/:upload_id', { schema: remove, config: deleting }, async ({ auth, params }, reply) => {
    await removeDraft(services, auth, params.upload_id)
    return reply.code(204).send(null)
  })
}

type Wish = { uploadId: string; column: string | undefined; cells: CellOptions; signal: AbortSignal }

async function lookAgain(services: UploadDependencies, auth: Auth, { uploadId, column, cells, signal }: Wish) {
  const { accountId } = auth
  const { draft, probing, account, plan } = await inTenant(services.db, accountId, async (trx) => ({
    draft: found(await findDraft(trx, viewOf(auth), uploadId)),
    probing: await getProbing(trx),
    ...(await getAccount(trx, accountId)),
  }))
  const wanted = { accountId, column, cells, emailsMax: plan.emailsPerFile, signal }
  const reading = await getReading(services, draft, wanted)
  const same = { uploadId, hash: reading.hash }
  const earlier = await inTenant(services.db, accountId, (trx) => findSameFileJob(trx, viewOf(auth), same))
  return presentPreview(draft, reading, { account, probing, earlier })
}

async function removeDraft(services: UploadDependencies, auth: Auth, uploadId: string): Promise<void> {
  const { db } = services
  const draft = found(await inTenant(db, auth.accountId, (trx) => discardDraft(trx, viewOf(auth), uploadId)))
  await removeDraftFile(services, draft)
}
