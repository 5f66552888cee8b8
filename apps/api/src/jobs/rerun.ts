import type { RerunRows } from '@probity/contract/constants/jobs'
import { JobCreated, JobParams } from '@probity/contract/schemas/jobs/jobs'
import { RerunRequest } from '@probity/contract/schemas/jobs/reruns'
import { getAccount } from '@probity/database/accounts/accounts'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { findReplay, type ListCounts } from '@probity/database/jobs/jobs'
import {
  findRerunSource,
  type LastingCount,
  listLastingCounts,
  listRerunnableRows,
  type RerunSource,
} from '@probity/database/jobs/reruns'
import { insertUpload, type NewUpload } from '@probity/database/jobs/uploads'
import { readLayout } from '@probity/uploads/read-addresses'
import type { CellOptions } from '@probity/uploads/read-cell'
import { SELECTION_ENCODING } from '@probity/uploads/select-rows'
import type { FileStorage } from '@probity/uploads/storage'
import { BODY_PROBLEMS, operation, SPENDING_HEADERS, SPENDING_PROBLEMS } from '../http/openapi.ts'
import { found, Problem } from '../http/problem.ts'
import { disconnectSignal } from '../http/request-body.ts'
import type { Route } from '../http/route.ts'
import { storable } from '../http/text.ts'
import { readUrl } from '../http/webhook-url.ts'
import { type Auth, viewOf } from '../middleware/authentication/auth.ts'
import { type Attempt, type ChargedResponse, withIdempotency } from '../middleware/idempotency/with-idempotency.ts'
import { READS_FILE_MS } from '../middleware/load-shedding/time-limits.ts'
import { asFirst, confirmInTransaction, presentConfirmation, readCounts } from './confirm.ts'
import type { UploadReader } from './uploads/reader.ts'
import type { UploadShares } from './uploads/share.ts'

type RerunDependencies = {
  db: Db
  storage: FileStorage
  uploadReader: UploadReader
  uploadShares: UploadShares
  hurry: AbortSignal
}

/** Creates a job from the stored file of an earlier job. */
export const createRerun: Route<RerunDependencies> = async (app, services) => {
  const schema = operation(
    {
      id: 'createRerun',
      tag: 'Jobs',
      summary: 'Run a job again',
      description:
        'Creates a job from the file of a job that has ended: from all of its rows, or only from those whose result is `unknown` for a reason that another validation can change (`rerunnable_count`). The new job costs the same as a new list, and has the name, the tags, the column and the options `ai` and `catchall` of the earlier one, whose id is in `rerun_of`. With `rows` `unknown`, its results are merged into the earlier job when it has ended: see `unknown_rerun` there. Possible until `file_expires_at`. Each request without an `Idempotency-Key` creates another job.',
      problems: [
        'not_found',
        'job_not_finished',
        'file_removed',
        'results_expired',
        'no_unknown_results',
        'column_without_emails',
        'too_many_emails',
        'too_many_uploads',
        'queue_limit_reached',
        'webhook_url_rejected',
        ...BODY_PROBLEMS,
        ...SPENDING_PROBLEMS,
      ],
      sends: SPENDING_HEADERS,
    },
    { params: JobParams, body: RerunRequest, response: { 200: JobCreated, 201: JobCreated } },
  )
  const config = {
    scope: 'jobs:write',
    loadClass: 'list',
    idempotency: 'spends',
    handlerTimeoutMs: READS_FILE_MS,
  } as const
  app.post('/bulk/jobs/:job_id/rerun', { schema, config }, async (request, reply) => {
    const signal = disconnectSignal(reply)
    await withIdempotency(services, request, reply, (attempt) =>
      rerunOnce(services, { ...readWish(request), attempt, signal }),
    )
    return reply
  })
}

type Wish = {
  auth: Auth
  attempt: Attempt
  jobId: string
  rows: RerunRows
  reference: string | undefined
  callbackUrl: string | null
  signal: AbortSignal
}

type Received = { auth: Auth; params: JobParams; body: RerunRequest }

function readWish({ auth, params, body }: Received): Omit<Wish, 'attempt' | 'signal'> {
  const { rows, reference, callback_url: callbackUrl } = body
  return {
    auth,
    jobId: params.job_id,
    rows,
    reference: reference === undefined ? undefined : storable(reference),
    callbackUrl: callbackUrl === undefined ? null : readUrl(callbackUrl, '/callback_url'),
  }
}

/** The subject of the attempt is the id of the new upload. An upload becomes one job, so a repeated attempt creates no second one. */
async function rerunOnce(services: RerunDependencies, wish: Wish): Promise<ChargedResponse> {
  const { db, storage, uploadShares } = services
  const { auth, attempt } = wish
  const { accountId } = auth
  const before = await inTenant(db, accountId, async (trx) => {
    const { account, plan } = await getAccount(trx, accountId)
    const source = found(await findRerunSource(trx, viewOf(auth), wish.jobId))
    const earlier = { uploadId: attempt.subject, emailColumn: source.emailColumn }
    const replay = attempt.resumed ? await findReplay(trx, viewOf(auth), earlier) : undefined
    return { source, replay, available: account.available, emailsMax: plan.emailsPerFile }
  })
  if (before.replay) return presentConfirmation(auth, asFirst(before.replay, attempt), before.available)

  const ready = requireFile(before.source, wish.rows)
  return uploadShares.hold(accountId, async () => {
    const file = await storage.save(storage.open(ready.upload.storageKey))
    try {
      const read = await readCopy(services, wish, { ...ready, ...file, emailsMax: before.emailsMax })
      return await confirmCopy(services, wish, { source: before.source, ...read })
    } catch (error) {
      // After any other error the job may exist. Files without a row are removed by maintenance.
      if (error instanceof Problem) await storage.remove(file.key)
      throw error
    }
  })
}

type Ready = { source: RerunSource; upload: NonNullable<RerunSource['upload']> }

function requireFile(source: RerunSource, rows: RerunRows): Ready {
  if (!source.isFinished) throw new Problem('job_not_finished')
  if (source.upload === null) throw new Problem('file_removed')
  if (rows === 'unknown' && source.isExpired) throw new Problem('results_expired')
  return { source, upload: source.upload }
}

type Copy = Ready & { key: string; size: number; emailsMax: number }

/** The row of the copied file, and the counts of its job. */
type ReadCopy = { upload: NewUpload; counts: ListCounts }

/** The row of the copied file. Its addresses are counted again, because erasures may have removed some. */
async function readCopy(services: RerunDependencies, { auth, rows, signal }: Wish, copy: Copy): Promise<ReadCopy> {
  const { accountId } = auth
  const { source, upload, key, emailsMax } = copy
  const { mode, filename, columns, delimiter, encoding, headerRow, rowCount } = upload
  const cells: CellOptions = { several: source.severalAddresses, malformed: source.malformed }
  const layout = readLayout({ encoding, delimiter, headerRow, column: columns.indexOf(source.emailColumn), ...cells })
  const row = { mode, filename, columns, delimiter, suggestedColumn: source.emailColumn, storageKey: key }
  if (rows === 'all') {
    const reading = await services.uploadReader.readColumn(key, layout, { accountId, emailsMax, signal })
    const counts = readCounts({ ...reading, rowCount, lineCount: rowCount + source.blankCount })
    const form = { encoding, headerRow, rowCount, sizeBytes: copy.size, fileHash: upload.fileHash }
    return { counts, upload: { ...row, ...form, emailCount: counts.emailCount, uniqueCount: counts.uniqueCount } }
  }
  const { resultNos, lasting } = await inTenant(services.db, accountId, async (trx) => ({
    resultNos: await listRerunnableRows(trx, source),
    lasting: await listLastingCounts(trx, source),
  }))
  if (resultNos.length === 0) throw new Problem('no_unknown_results', describeLasting(lasting))
  const selected = await services.uploadReader.select(key, { layout, resultNos }, { accountId, signal })
  if (selected.uniqueCount === 0) throw new Problem('no_unknown_results')
  const { rowCount: emailCount, uniqueCount, sizeBytes } = selected
  const form = {
    encoding: SELECTION_ENCODING,
    headerRow: headerRow === null ? null : 1,
    rowCount: emailCount,
    sizeBytes,
  }
  const counts = { emailCount, uniqueCount, leftOutCount: 0, blankCount: 0, notAddressCount: 0, extraAddressCount: 0 }
  return {
    counts: { ...counts, severalAddresses: cells.several, malformed: cells.malformed },
    upload: { ...row, ...form, emailCount, uniqueCount },
  }
}

/** Why no unknown result can change; undefined if there is none. */
function describeLasting(counts: LastingCount[]): string | undefined {
  if (counts.length === 0) return undefined
  const parts = counts.map(
    ({ count, reason }) => `${count.toLocaleString('en')} ${count === 1 ? 'is' : 'are'} ${reason}`,
  )
  return `Another validation cannot change the unknown addresses of the job: ${parts.join('; ')}.`
}

type Confirmable = ReadCopy & { source: RerunSource }

function confirmCopy(services: RerunDependencies, wish: Wish, { source, upload, counts }: Confirmable) {
  const { auth, attempt, rows, reference, callbackUrl } = wish
  const { accountId } = auth
  return inTenant(services.db, accountId, async (trx) => {
    await services.uploadShares.check(trx, accountId, upload.sizeBytes)
    await insertUpload(trx, accountId, { ...upload, id: attempt.subject })
    return confirmInTransaction(trx, auth, {
      uploadId: attempt.subject,
      emailColumn: source.emailColumn,
      keyId: auth.id,
      ai: source.ai,
      catchall: source.catchall,
      ...counts,
      reference,
      callbackUrl,
      rerun: { of: source.id, rows },
    })
  })
}
