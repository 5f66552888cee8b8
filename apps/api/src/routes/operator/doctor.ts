import { DoctorReport, describeFinding, isDoctorCheck, type KeptFinding, worstFirst } from '@probity/contract/doctor'
import { asOperator } from '@probity/database/connect'
import { isLookWanted, type KeptRow, listFindings, wantLook } from '@probity/database/findings'
import type { Route } from '../../route.ts'

/** What the workers found when they last looked, and the wish that they look again. */
export const manageDoctor: Route = async (app, { db }) => {
  app.get('/doctor', { schema: { response: { 200: DoctorReport } } }, () =>
    asOperator(db, async (trx) => {
      const rows = await listFindings(trx)
      return { findings: worstFirst(rows.flatMap(present)), wanted: await isLookWanted(trx) }
    }),
  )

  // Asked for twice within a minute it is done once.
  app.post('/doctor/run', { config: { needsNoCode: true } }, async (_request, reply) => {
    await asOperator(db, wantLook)
    return reply.code(204).send()
  })
}

/** A worker of another version may know checks that we do not. */
function present({ host, checkId, subject, status, observed, fix, checkedAt, since }: KeptRow): KeptFinding[] {
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
