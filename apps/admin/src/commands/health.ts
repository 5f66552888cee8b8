import { hostname } from 'node:os'
import { DOCTOR_GROUPS } from '@probity/contract/constants/data/doctor-checks'
import { DOCTOR_STATUSES, type DoctorStatus } from '@probity/contract/constants/operators'
import type { DoctorFinding } from '@probity/contract/schemas/operators'
import { asOwner, type Db } from '@probity/database/connection/connect'
import { listUnclassified } from '@probity/database/operators/unclassified-replies'
import { findHeartbeat, HEARTBEAT_TIMEOUT_S } from '@probity/database/system/processes'
import { Command } from 'commander'
import type { AdminConfig } from '../config.ts'
import { UserError, withDatabase } from '../database.ts'

type DoctorOptions = { json?: boolean; only?: string }

/** Checks the installation from this host. With a worker's settings it reports what that worker would find. */
export function doctorCommand(config: AdminConfig): Command {
  return new Command('doctor')
    .description('Check the installation and show how to fix problems.')
    .option('--json', 'print all findings as JSON')
    .option('--only <group or check>', `run one group (${DOCTOR_GROUPS.join(', ')}) or one check by id`)
    .action(async ({ json = false, only }: DoctorOptions) => {
      // Loaded on demand: it imports the engine, which no other command needs.
      const { runDoctor } = await import('../run-doctor.ts')
      const findings = await runDoctor(config, only)
      process.stdout.write(json ? `${JSON.stringify({ findings }, null, 2)}\n` : writeReport(findings, docsOf(config)))
      if (findings.some(isFailed)) process.exitCode = 1
    })
}

function isFailed({ status }: DoctorFinding): boolean {
  return status === 'fail'
}

function docsOf({ publicUrl, port }: AdminConfig): string {
  return publicUrl ?? `http://127.0.0.1:${port}`
}

const WORDS: Record<DoctorStatus, string> = { fail: 'FAIL', warn: 'WARN', unknown: '????', pass: 'ok' }

/** The report for a terminal: one line per passed check, all details of the others. */
function writeReport(findings: DoctorFinding[], origin: string): string {
  const parts = findings.map((finding) =>
    finding.status === 'pass' ? writeLine(finding) : writeInFull(finding, origin),
  )
  return `${parts.join('\n')}\n\n${writeSum(findings)}\n`
}

function writeLine({ status, id, subject, saw }: DoctorFinding): string {
  return `${WORDS[status].padEnd(5)} ${id}${subject && ` (${subject})`}: ${saw}`
}

function writeInFull(finding: DoctorFinding, origin: string): string {
  const { why, fix, docs } = finding
  const lines = [writeLine(finding), `      Why: ${why}`]
  if (fix) lines.push(`      Fix: ${fix.says}`, ...fix.lines.map((line) => `           ${line}`))
  return [...lines, `      See: ${origin}${docs}`, ''].join('\n')
}

function writeSum(findings: DoctorFinding[]): string {
  const counts = DOCTOR_STATUSES.map((status) => {
    const count = findings.filter((finding) => finding.status === status).length
    return `${count} ${status}`
  })
  return `${findings.length} findings: ${counts.join(', ')}.`
}

type ProcessKind = 'worker' | 'maintenance'

/** For supervisors of processes that have no port to check. Needs no more than the login of the process. */
export function aliveCommand(config: AdminConfig): Command {
  return new Command('alive')
    .description(
      `Exit with 0 if a worker on this host sent a heartbeat within the last ${HEARTBEAT_TIMEOUT_S} seconds, else with 1.`,
    )
    .option('--maintenance', 'check the maintenance process instead of the worker')
    .action(({ maintenance = false }: { maintenance?: boolean }) =>
      maintenance
        ? withDatabase(config, (db) => checkHeartbeat(db, 'maintenance'), 'probity_maintenance')
        : withDatabase(config, (db) => checkHeartbeat(db, 'worker'), 'probity_worker'),
    )
}

async function checkHeartbeat(db: Db, kind: ProcessKind) {
  const seenAt = await findHeartbeat(db, kind, hostname())
  if (seenAt === undefined || seenAt.getTime() <= Date.now() - HEARTBEAT_TIMEOUT_S * 1_000) {
    const name = kind === 'worker' ? 'worker' : 'maintenance process'
    throw new UserError(`No ${name} on ${hostname()} sent a heartbeat within the last ${HEARTBEAT_TIMEOUT_S} seconds.`)
  }
  return { host: hostname(), last_heard: seenAt.toISOString() }
}

const SHOWN_MAX = 100

/** SMTP replies that no classification rule matches: the source of new rules. */
export function repliesCommand(config: AdminConfig): Command {
  return new Command('replies').description('List unclassified SMTP replies, the most frequent first.').action(() =>
    withDatabase(config, async (db) => {
      const replies = await asOwner(db, (trx) => listUnclassified(trx, SHOWN_MAX))
      return replies.map(({ provider, stage, code, reply, seen, firstSeenAt, lastSeenAt }) => {
        return { provider, stage, code, reply, seen, first_seen_at: firstSeenAt, last_seen_at: lastSeenAt }
      })
    }),
  )
}
