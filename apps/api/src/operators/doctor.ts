import { describeFinding, isDoctorCheck, sortBySeverity } from '@probity/contract/constants/operators'
import { DoctorReport, type StoredFinding } from '@probity/contract/schemas/operators'
import { asOperator, type Db } from '@probity/database/connection/connect'
import { isDoctorRunRequested, type KeptRow, listFindings, requestDoctorRun } from '@probity/database/operators/doctor'
import type { Route } from '../http/route.ts'

/** The latest doctor findings, and requests for another run. */
export const manageDoctor: Route<{ db: Db }> = async (app, { db }) => {
  app.get('/doctor', { schema: { response: { 200: DoctorReport } } }, () =>
    asOperator(db, async (trx) => {
      const rows = await listFindings(trx)
      return { findings: sortBySeverity(rows.flatMap(present)), run_requested: await isDoctorRunRequested(trx) }
    }),
  )

  // Two requests within a minute cause one run.
  app.post('/doctor/run', { config: { needsNoCode: true } }, async (_request, reply) => {
    await asOperator(db, requestDoctorRun)
    return reply.code(204).send()
  })
}

/** A worker of another version may report checks that this version does not know; they are omitted. */
function present({ host, checkId, subject, status, observed, fix, checkedAt, since }: KeptRow): StoredFinding[] {
  if (!isDoctorCheck(checkId)) return []
  return [
    {
      ...describeFinding({ check: checkId, subject, status, saw: observed, fix }),
      host: host === '' ? null : host,
      checked_at: checkedAt.toISOString(),
      since_at: since.toISOString(),
    },
  ]
}
