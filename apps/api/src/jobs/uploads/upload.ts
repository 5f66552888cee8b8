import { UploadParams, UploadPreview, UploadQuery } from '@probity/contract/schemas/jobs/uploads'
import { getAccount } from '@probity/database/accounts/accounts'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { discardDraft, findDraft, removeExpiredUploads } from '@probity/database/jobs/uploads'
import { getProbing } from '@probity/database/validations/probing'
import type { FileStorage } from '@probity/uploads/storage'
import Type from 'typebox'
import { DOOR_PROBLEMS, operation } from '../../http/openapi.ts'
import { found, Problem } from '../../http/problem.ts'
import type { Route } from '../../http/route.ts'
import type { Auth } from '../../middleware/authentication/auth.ts'
import { viewOf } from '../../middleware/authentication/scope.ts'
import { READS_FILE_MS } from '../../middleware/load-shedding/time-limits.ts'
import { disconnectSignal } from './disconnect-signal.ts'
import { presentPreview } from './present.ts'
import type { UploadReader } from './reader.ts'
import { getReading } from './stored-preview.ts'

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
        'The preview, with the counts of `email_column` if it is given. The file is read once per column. A confirmed upload is not found, because it is a job.',
      problems: ['invalid_request', 'not_found', 'unknown_column', 'too_many_emails', ...DOOR_PROBLEMS],
    },
    { params: UploadParams, querystring: UploadQuery, response: { 200: UploadPreview } },
  )
  app.get('/bulk/uploads/:upload_id', { schema: show, config: reading }, ({ auth, params, query }, reply) =>
    lookAgain(services, auth, {
      uploadId: params.upload_id,
      column: query.email_column,
      signal: disconnectSignal(reply),
    }),
  )

  const remove = operation(
    {
      id: 'deleteUpload',
      tag: 'Jobs',
      summary: 'Delete an upload',
      description: 'Deletes the file immediately. A confirmed upload is not found: delete its job instead.',
      problems: ['invalid_request', 'not_found', ...DOOR_PROBLEMS],
    },
    { params: UploadParams, response: { 204: Type.Null({ description: 'The upload was deleted.' }) } },
  )
  app.delete('/bulk/uploads/:upload_id', { schema: remove, config: deleting }, async ({ auth, params }, reply) => {
    await removeDraft(services, auth, params.upload_id)
    return reply.code(204).send(null)
  })
}

type Wish = { uploadId: string; column: string | undefined; signal: AbortSignal }

async function lookAgain(services: UploadDependencies, auth: Auth, { uploadId, column, signal }: Wish) {
  const { accountId } = auth
  const { draft, probing, account, plan } = await inTenant(services.db, accountId, async (trx) => ({
    draft: found(await findDraft(trx, viewOf(auth), uploadId)),
    probing: await getProbing(trx),
    ...(await getAccount(trx, accountId)),
  }))
  if (column !== undefined && !draft.columns.includes(column)) throw new Problem('unknown_column')
  const wanted = { accountId, column, emailsMax: plan.emailsPerFile, signal }
  const reading = await getReading(services, draft.storageKey, wanted)
  return presentPreview(draft, reading, { account, probing })
}

async function removeDraft({ db, storage }: UploadDependencies, auth: Auth, uploadId: string): Promise<void> {
  const draft = found(await inTenant(db, auth.accountId, (trx) => discardDraft(trx, viewOf(auth), uploadId)))
  // Its time is over from here on: if we end now, maintenance removes file and row.
  await storage.remove(draft.storageKey)
  await removeExpiredUploads(db, [draft.id])
}
