import { DOCTOR_CHECKS, type DoctorCheckId } from '@probity/contract/data/doctor-checks'
import { DOCTOR_STATUSES, type DoctorStatus, type Finding } from '@probity/contract/doctor'
import { type Selectable, sql } from 'kysely'
import { asNobody, type Db, type Trx } from './connect.ts'
import type { Schema } from './schema.ts'

export type KeptRow = Selectable<Schema['doctorFindings']>
export type Change = { check: DoctorCheckId; subject: string; was: DoctorStatus | null; status: DoctorStatus }

/** Whether it is our turn to look: once an hour on each host, and when an operator asks for it. */
export async function beginRound(db: Db, host: string): Promise<boolean> {
  const { rows } = await asNobody(db, (trx) =>
    sql<{ begun: boolean }>`select begin_doctor_run(${host}) as begun`.execute(trx),
  )
  return rows[0]?.begun ?? false
}

/** Keeps what a host found in the place of what it found before, and says what is different from then. */
export async function keepFindings(db: Db, host: string, findings: Finding[]): Promise<Change[]> {
  const found = findings.map(({ check, subject, status, saw, fix }) => ({
    shared: DOCTOR_CHECKS[check].of === 'installation',
    check_id: check,
    subject,
    status,
    observed: saw,
    fix,
  }))
  const { rows } = await asNobody(db, (trx) =>
    sql<Change>`
      select check_id as "check", subject, was, status from store_findings(${host}, ${JSON.stringify(found)}::jsonb)
    `.execute(trx),
  )
  return rows
}

/** All that was found, as an operator. */
export function listFindings(trx: Trx): Promise<KeptRow[]> {
  return trx.selectFrom('doctorFindings').selectAll().execute()
}

/** How many there are of each kind. As an operator. */
export async function countFindings(trx: Trx): Promise<Record<DoctorStatus, number>> {
  const rows = await trx
    .selectFrom('doctorFindings')
    .select((eb) => ['status', eb.fn.countAll<number>().as('count')])
    .groupBy('status')
    .execute()
  const counted = new Map(rows.map(({ status, count }) => [status, Number(count)]))
  return Object.fromEntries(DOCTOR_STATUSES.map((status) => [status, counted.get(status) ?? 0])) as Record<
    DoctorStatus,
    number
  >
}

/** Whether somebody asked for a look that no host has finished since. As an operator. */
export async function isLookWanted(trx: Trx): Promise<boolean> {
  const { rows } = await sql<{ wanted: boolean }>`
    select w.requested_at > clock_timestamp() - interval '5 minutes'
      and not exists (select from doctor_runs r where r.began_at >= w.requested_at and r.ended_at is not null) as wanted
    from doctor_requests w
  `.execute(trx)
  return rows[0]?.wanted ?? false
}

/** Asks every host to look again; false where that was asked for within the last minute. As an operator. */
export async function wantLook(trx: Trx): Promise<boolean> {
  const { rows } = await sql<{ wanted: boolean }>`select request_doctor_run() as wanted`.execute(trx)
  return rows[0]?.wanted ?? false
}
