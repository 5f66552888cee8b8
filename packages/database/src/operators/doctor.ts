import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { DOCTOR_CHECKS, type DoctorCheckId } from '@probity/contract/constants/data/doctor-checks'
import { DOCTOR_STATUSES, type DoctorStatus, type Finding } from '@probity/contract/constants/operators'
import { type Selectable, sql } from 'kysely'
import { type Db, type Trx, withoutTenant } from '../connection/connect.ts'
import type { Schema } from '../connection/schema.ts'
import { cacheSecret, getSecret } from '../system/processes.ts'

export type KeptRow = Selectable<Schema['doctorFindings']>
export type Change = { check: DoctorCheckId; subject: string; was: DoctorStatus | null; status: DoctorStatus }

/** Whether this host must run the checks: once an hour on each host, and when an operator requests it. */
export async function beginRound(db: Db, host: string): Promise<boolean> {
  const { rows } = await withoutTenant(db, (trx) =>
    sql<{ begun: boolean }>`select begin_doctor_run(${host}) as begun`.execute(trx),
  )
  return rows[0]?.begun ?? false
}

/** Replaces the findings of a host, and returns the changes. */
export async function keepFindings(db: Db, host: string, findings: Finding[]): Promise<Change[]> {
  const found = findings.map(({ check, subject, status, saw, fix }) => ({
    shared: DOCTOR_CHECKS[check].of === 'installation',
    check_id: check,
    subject,
    status,
    observed: saw,
    fix,
  }))
  const { rows } = await withoutTenant(db, (trx) =>
    sql<Change>`
      select check_id as "check", subject, was, status from store_findings(${host}, ${JSON.stringify(found)}::jsonb)
    `.execute(trx),
  )
  return rows
}

/** All findings. As an operator. */
export function listFindings(trx: Trx): Promise<KeptRow[]> {
  return trx.selectFrom('doctorFindings').selectAll().execute()
}

/** The number of findings by status. As an operator. */
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

/** Whether an operator requested a run that no host has finished since. As an operator. */
export async function isDoctorRunRequested(trx: Trx): Promise<boolean> {
  const { rows } = await sql<{ wanted: boolean }>`
    select w.requested_at > clock_timestamp() - interval '5 minutes'
      and not exists (select from doctor_runs r where r.began_at >= w.requested_at and r.ended_at is not null) as wanted
    from doctor_requests w
  `.execute(trx)
  return rows[0]?.wanted ?? false
}

/** Requests a run on every host; false if one was requested within the last minute. As an operator. */
export async function requestDoctorRun(trx: Trx): Promise<boolean> {
  const { rows } = await sql<{ wanted: boolean }>`select request_doctor_run() as wanted`.execute(trx)
  return rows[0]?.wanted ?? false
}

/** Long enough for the slowest upload of the check, and too short to be useful to a reader of the log. */
const LASTS_MS = 60_000

/** The ticket that the doctor sends to the public URL, so that no other client can use the endpoint to upload eight megabytes. */
export async function makeDoctorTicket(db: Db, now = Date.now()): Promise<string> {
  return `${now}.${sign(await getSecret(db, 'doctor'), String(now))}`
}

/** Checks tickets without a database query for each, because any client can send a forged one. */
export function openDoctorTicketCheck(db: Db): (ticket: string) => Promise<boolean> {
  const secret = cacheSecret(db, 'doctor')
  return async (ticket) => {
    const [at = '', signature = ''] = ticket.split('.')
    if (!/^\d{1,15}$/.test(at) || Math.abs(Date.now() - Number(at)) > LASTS_MS) return false
    const [given, right] = [Buffer.from(signature), Buffer.from(sign(await secret(), at))]
    return given.length === right.length && timingSafeEqual(given, right)
  }
}

function sign(secret: KeyObject, text: string): string {
  return createHmac('sha256', secret).update(text).digest('base64url')
}
