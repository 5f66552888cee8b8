import { ConfirmRequest, JobCreated } from '@probity/contract/schemas/jobs/jobs'
import { getAccount } from '@probity/database/accounts/accounts'
import type { Posting } from '@probity/database/billing/ledger'
import { type Db, inTenant, type Trx } from '@probity/database/connection/connect'
import { emitJobEvent } from '@probity/database/jobs/job-control'
import {
  type Confirmation,
  type Confirmed,
  confirmUpload as confirm,
  findConfirmable,
  findReplay,
  type ListCounts,
  type Replay,
} from '@probity/database/jobs/jobs'
import { RECENT_FOR_S } from '@probity/redis/cache'
import type { ColumnReading } from '@probity/uploads/read-addresses'
import type { FileStorage } from '@probity/uploads/storage'
import { BODY_PROBLEMS, operation, SPENDING_HEADERS, SPENDING_PROBLEMS } from '../http/openapi.ts'
import { Problem } from '../http/problem.ts'
import type { Route } from '../http/route.ts'
import { storable } from '../http/text.ts'
import { readFeatures } from '../http/validation-options.ts'
import { readUrl } from '../http/webhook-url.ts'
import type { Auth } from '../middleware/authentication/auth.ts'
import { viewOf } from '../middleware/authentication/auth.ts'
import {
  type Attempt,
  type ChargedResponse,
  refuseUnpaid,
  withIdempotency,
} from '../middleware/idempotency/with-idempotency.ts'
import { READS_FILE_MS } from '../middleware/load-shedding/time-limits.ts'
import type { UploadReader } from './uploads/reader.ts'
import { getReading, readCellOptions } from './uploads/stored-preview.ts'

type ConfirmDependencies = {
  db: Db
  storage: FileStorage
  uploadReader: UploadReader
  hurry: AbortSignal
}

/** Lists of that size take minutes. */
const WAITING_RETRY_S = 60

/** Turns an upload into a job and reserves its credits, all or nothing. */
export const confirmUpload: Route<ConfirmDependencies> = async (app, services) => {
  const schema = operation(
    {
      id: 'confirmUpload',
      tag: 'Jobs',
      summary: 'Create a job from an upload',
      description:
        'Reserves one credit for each unique address and queues the job, or rejects the request without any change. Rows without an address are not part of the job, nor are values that `several_addresses` and `malformed` leave out. An upload creates one job: confirming it again with the same column returns that job with status 200 and its current `status`, at no further cost; the options of the first confirmation apply.',
      problems: [
        'not_found',
        'upload_already_confirmed',
        'unknown_column',
        'column_without_emails',
        'too_many_emails',
        'queue_limit_reached',
        'webhook_url_rejected',
        ...BODY_PROBLEMS,
        ...SPENDING_PROBLEMS,
      ],
      sends: SPENDING_HEADERS,
    },
    { body: ConfirmRequest, response: { 200: JobCreated, 201: JobCreated } },
  )
  const config = {
    scope: 'jobs:write',
    loadClass: 'list',
    idempotency: 'spends',
    handlerTimeoutMs: READS_FILE_MS,
  } as const
  app.post('/bulk/upload/confirm', { schema, config }, async (request, reply) => {
    await withIdempotency(services, request, reply, (attempt) =>
      confirmOnce(services, request.auth, { wish: request.body, attempt }),
    )
    return reply
  })
}

/** No message is sent: workers find the job in PostgreSQL, so nothing can be lost between a commit and a message. */
async function confirmOnce(
  services: ConfirmDependencies,
  auth: Auth,
  { wish, attempt }: { wish: ConfirmRequest; attempt: Attempt },
): Promise<ChargedResponse> {
  const { db } = services
  const { accountId } = auth
  const callbackUrl = wish.callback_url === undefined ? null : readUrl(wish.callback_url, '/callback_url')
  const before = await inTenant(db, accountId, (trx) => lookUp(trx, auth, wish))
  if (before.replay) return presentConfirmation(auth, asFirst(before.replay, attempt), before.available)

  const cells = readCellOptions(wish)
  const wanted = { accountId, column: wish.email_column, emailsMax: before.emailsMax, cells }
  const counts = readCounts(await getReading(services, before.upload, wanted))
  const { upload_id: uploadId, email_column: emailColumn } = wish
  const asked = { uploadId, emailColumn, keyId: auth.id, ...readFeatures(wish), ...readOptions(wish), ...counts }
  const response = await inTenant(db, accountId, (trx) => confirmInTransaction(trx, auth, { ...asked, callbackUrl }))
  // Another sheet can no longer be chosen. A workbook that remains is removed with its file.
  await services.storage.removeOriginal(before.upload.storageKey).catch(() => undefined)
  return response
}

/** Creates the job of an upload, or throws a Problem, which rolls the transaction back. */
export async function confirmInTransaction(trx: Trx, auth: Auth, confirmation: Confirmation): Promise<ChargedResponse> {
  const confirmed = await confirm(trx, viewOf(auth), confirmation)
  if (confirmed.kind === 'confirmed') {
    await emitJobEvent(trx, { ...viewOf(auth), id: confirmed.jobId }, 'job.created')
  }
  const { account } = await getAccount(trx, auth.accountId)
  return presentConfirmation(auth, confirmed, account.available)
}

/** Recent results are stored for a day, so a longer age means the same. */
function readOptions({ reference, max_age_s: maxAgeS }: ConfirmRequest) {
  return {
    reference: reference === undefined ? undefined : storable(reference),
    maxAgeS: maxAgeS === undefined ? undefined : Math.min(maxAgeS, RECENT_FOR_S),
  }
}

/** An attempt under the same Idempotency-Key may have created the job before its response was stored: it gets the first response. */
export function asFirst(replay: Replay, { resumed }: Attempt): Confirmed {
  return resumed && replay.kind === 'replayed' ? { kind: 'confirmed', jobId: replay.jobId } : replay
}

/** A replay takes precedence: the job outlives its upload. */
async function lookUp(trx: Trx, auth: Auth, { upload_id, email_column }: ConfirmRequest) {
  const view = viewOf(auth)
  const { account, plan } = await getAccount(trx, auth.accountId)
  const replay = await findReplay(trx, view, { uploadId: upload_id, emailColumn: email_column })
  if (replay) return { replay, available: account.available }
  const upload = await findConfirmable(trx, view, upload_id)
  if (upload === undefined) throw noSuchUpload()
  return { upload, emailsMax: plan.emailsPerFile }
}

type CountedColumn = ColumnReading & { lineCount: number; rowCount: number }

/** The counts of a job. Throws a Problem for a column without addresses. */
export function readCounts(reading: CountedColumn): ListCounts {
  const { emailCount, uniqueCount, lineCount, rowCount, textCount, extraCount, leftOutCount, several, malformed } =
    reading
  if (emailCount === 0) throw new Problem('column_without_emails')
  return {
    ...{ emailCount, uniqueCount, leftOutCount, malformed, severalAddresses: several },
    ...{ blankCount: lineCount - rowCount, notAddressCount: textCount, extraAddressCount: extraCount },
  }
}

/** 201 for the confirmation that created the job, 200 for every other one. */
export function presentConfirmation({ mode }: Auth, confirmed: Confirmed, available: number): ChargedResponse {
  if (confirmed.kind === 'missing') throw noSuchUpload()
  if (confirmed.kind === 'upload_already_confirmed') throw new Problem('upload_already_confirmed')
  if (confirmed.kind === 'refused') throw refuseUnpaidJob(confirmed.posting)
  if (confirmed.kind === 'too_many')
    throw new Problem('queue_limit_reached', undefined, { retryAfterS: WAITING_RETRY_S })
  const [code, status] = confirmed.kind === 'replayed' ? ([200, confirmed.status] as const) : ([201, 'queued'] as const)
  const job: JobCreated = { id: confirmed.jobId, status, livemode: mode === 'live' }
  // Reserved credits are charged later.
  return { status: code, text: JSON.stringify(job), creditsCharged: 0, creditsRemaining: available }
}

function refuseUnpaidJob(posting: Posting): Problem {
  const credits = posting.available.toLocaleString('en')
  return refuseUnpaid(
    posting,
    `The list costs more than the ${credits} credits that the account has available. Nothing was charged.`,
  )
}

function noSuchUpload(): Problem {
  return new Problem('not_found', 'The upload does not exist or has expired.')
}
