import { ConfirmRequest, JobCreated } from '@probity/contract/bulk'
import { getAccount } from '@probity/database/accounts'
import { inTenant, type Trx } from '@probity/database/connect'
import {
  type ConfirmableUpload,
  type Confirmed,
  confirmUpload as confirm,
  type EmailCounts,
  findConfirmable,
  findReplay,
} from '@probity/database/jobs'
import type { Caller } from '../../door/caller.ts'
import { refuseUnpaid, type Spent, spendOnce } from '../../door/spend-once.ts'
import { READS_FILE_MS } from '../../door/time-limits.ts'
import { viewOf } from '../../door/view.ts'
import { BODY_PROBLEMS, operation, SPENDING_PROBLEMS } from '../../openapi.ts'
import { Problem } from '../../problem.ts'
import type { Route } from '../../route.ts'
import type { Services } from '../../services.ts'
import { getReading } from '../../uploads/kept-reading.ts'
import { readFeatures } from '../../validation/features.ts'

/** Lists of that size take minutes. */
const WAITING_RETRY_S = 60

/** Turns an upload into a job and sets its credits aside, all or nothing. */
export const confirmUpload: Route = async (app, services) => {
  const schema = operation(
    {
      id: 'confirmUpload',
      tag: 'Lists',
      summary: 'Turn an upload into a job',
      description:
        'Reserves one credit for each unique address and queues the job, or rejects the request and keeps nothing. Rows whose cell holds no address are not part of the job. An upload becomes one job: confirming it again gives the same answer, at no further cost.',
      problems: [
        'not_found',
        'confirmed_otherwise',
        'unknown_column',
        'column_without_emails',
        'too_many_emails',
        'too_many_waiting',
        ...BODY_PROBLEMS,
        ...SPENDING_PROBLEMS,
      ],
    },
    { body: ConfirmRequest, response: { 201: JobCreated } },
  )
  const config = { scope: 'bulk', loadClass: 'list', handlerTimeoutMs: READS_FILE_MS } as const
  app.post('/bulk/upload/confirm', { schema, config }, async (request, reply) => {
    await spendOnce(services, request, reply, () => confirmOnce(services, request.caller, request.body))
    return reply
  })
}

/** Nobody is told of the job: the workers find it in PostgreSQL, so there is no gap between a commit and a message to fall into. */
async function confirmOnce(services: Services, caller: Caller, wish: ConfirmRequest): Promise<Spent> {
  const { db } = services
  const { accountId } = caller
  const before = await inTenant(db, accountId, (trx) => lookUp(trx, caller, wish))
  if (before.replay) return answer(caller, before.replay, before.available)

  const wanted = { accountId, column: wish.email_column, emailsMax: before.emailsMax }
  const counts = await countEmails(services, before.upload, wanted)
  return inTenant(db, accountId, async (trx) => {
    const { upload_id: uploadId, email_column: emailColumn } = wish
    const asked = { uploadId, emailColumn, keyId: caller.id, ...readFeatures(wish), ...counts }
    const confirmed = await confirm(trx, viewOf(caller), asked)
    const { account } = await getAccount(trx, accountId)
    return answer(caller, confirmed, account.available)
  })
}

/** A replay comes first: the job outlives its upload. */
async function lookUp(trx: Trx, caller: Caller, { upload_id, email_column }: ConfirmRequest) {
  const view = viewOf(caller)
  const { account, plan } = await getAccount(trx, caller.accountId)
  const replay = await findReplay(trx, view, { uploadId: upload_id, emailColumn: email_column })
  if (replay) return { replay, available: account.available }
  const upload = await findConfirmable(trx, view, upload_id)
  if (upload === undefined) throw noSuchUpload()
  return { upload, emailsMax: plan.emailsPerFile }
}

type Wanted = { accountId: string; column: string; emailsMax: number }

/** The row has the counts of the suggested column. */
async function countEmails(services: Services, upload: ConfirmableUpload, wanted: Wanted): Promise<EmailCounts> {
  if (!upload.columns.includes(wanted.column)) throw new Problem('unknown_column')
  if (wanted.column === upload.suggestedColumn) {
    if (upload.emailCount > wanted.emailsMax) throw new Problem('too_many_emails')
    return { emailCount: upload.emailCount, uniqueCount: upload.uniqueCount }
  }
  const { emailCount, uniqueCount } = await getReading(services, upload.storageKey, wanted)
  if (emailCount === 0) throw new Problem('column_without_emails')
  return { emailCount, uniqueCount }
}

/** The same for the first time and for every other, whatever the job is doing by now. */
function answer({ mode }: Caller, confirmed: Confirmed, available: number): Spent {
  if (confirmed.kind === 'missing') throw noSuchUpload()
  if (confirmed.kind === 'confirmed_otherwise') throw new Problem('confirmed_otherwise')
  if (confirmed.kind === 'refused') throw refuseUnpaid(confirmed.posting)
  if (confirmed.kind === 'too_many') throw new Problem('too_many_waiting', undefined, { retryAfterS: WAITING_RETRY_S })
  const created: JobCreated = { id: confirmed.jobId, status: 'queued', livemode: mode === 'live' }
  // What is set aside is not charged yet.
  return { status: 201, text: JSON.stringify(created), creditsCharged: 0, creditsRemaining: available }
}

function noSuchUpload(): Problem {
  return new Problem('not_found', 'There is no such upload, or it has expired.')
}
