import { asOperator, withoutTenant } from '@probity/database/connection/connect'
import { countFindings } from '@probity/database/operators/doctor'
import { getInstallationMetrics } from '@probity/database/operators/health'
import { findLastBackup } from '@probity/database/system/backups'
import { listMissingMigrations } from '@probity/database/system/schema-version'
import { getProbing } from '@probity/database/validations/probing'
import { readQueueDepths } from '@probity/redis/task-queues'
import { type FigureGauge, keepFresh, watchFigures } from '@probity/telemetry/metrics'
import type { Registry } from 'prom-client'
import type { Services } from '../services.ts'

/** Scrapes come every 15 seconds; more frequent scrapes get cached values. */
const FRESH_FOR_MS = 10_000

type Looked = Pick<Services, 'db' | 'redis' | 'queuePrefix'>

async function lookAtDatabase({ db }: Pick<Looked, 'db'>) {
  const [figures, findings] = await asOperator(
    db,
    async (trx) => [await getInstallationMetrics(trx), await countFindings(trx)] as const,
  )
  const [backup, missing, probing] = await Promise.all([
    findLastBackup(db),
    listMissingMigrations(db),
    withoutTenant(db, getProbing),
  ])
  return {
    ...figures,
    findings,
    lastBackup: (backup?.getTime() ?? 0) / 1_000,
    migrationsMissing: missing.length,
    probing: probing.mode === 'smtp' ? 1 : 0,
  }
}

type Seen = Awaited<ReturnType<typeof lookAtDatabase>>

/** Gauges of the whole installation, read from PostgreSQL. Every process reports the same values, so they must not be summed. */
const OF_DATABASE: FigureGauge<Seen>[] = [
  {
    name: 'probity_processes',
    help: 'Processes with a heartbeat within the last 35 seconds.',
    labels: ['kind'],
    read: (seen) => [
      { of: { kind: 'api' }, value: seen.liveApis },
      { of: { kind: 'worker' }, value: seen.liveWorkers },
      { of: { kind: 'maintenance' }, value: seen.liveMaintenance },
    ],
  },
  {
    name: 'probity_queue_waiting',
    help: 'Items ready to process: interactive validations, job addresses and webhook deliveries.',
    labels: ['queue'],
    read: (seen) => byQueue(seen.callersWaiting, seen.listsWaiting, seen.webhooksWaiting),
  },
  {
    name: 'probity_queue_oldest_seconds',
    help: 'Age of the oldest waiting item; for jobs, the longest time without progress.',
    labels: ['queue'],
    read: (seen) => byQueue(seen.callersOldestS, seen.listsOldestS, seen.webhooksOldestS),
  },
  {
    name: 'probity_queue_deferred',
    help: 'Items waiting for their retry time: deferred by a mail server, by the rate limiter or by a webhook endpoint.',
    labels: ['queue'],
    read: (seen) => byQueue(seen.callersPutOff, seen.listsPutOff, seen.webhooksPutOff),
  },
  {
    name: 'probity_jobs',
    help: 'Jobs that are not finished.',
    labels: ['state'],
    read: (seen) => [
      { of: { state: 'in_progress' }, value: seen.listsUnderWay },
      { of: { state: 'paused' }, value: seen.listsPaused },
    ],
  },
  one(
    'probity_jobs_in_review',
    'Jobs that the abuse limits paused until an operator releases or cancels them.',
    (seen) => seen.listsInReview,
  ),
  {
    name: 'probity_credits',
    help: 'Credits of all accounts. Available credits exclude accounts with unlimited credits.',
    labels: ['state'],
    read: (seen) => [
      { of: { state: 'available' }, value: seen.creditsAvailable },
      { of: { state: 'reserved' }, value: seen.creditsReserved },
      { of: { state: 'used' }, value: seen.creditsSpent },
    ],
  },
  {
    name: 'probity_doctor_findings',
    help: 'Doctor findings of the latest run on all hosts.',
    labels: ['status'],
    read: (seen) => Object.entries(seen.findings).map(([status, value]) => ({ of: { status }, value })),
  },
  one(
    'probity_probing',
    'Whether mail servers are probed: 0 if no active worker has a working egress.',
    (seen) => seen.probing,
  ),
  one('probity_accounts_on_hold', 'Accounts on hold because of a ledger mismatch.', (seen) => seen.accountsStopped),
  one(
    'probity_ledger_reconciled_until_timestamp_seconds',
    'Time up to which the ledger is reconciled, in Unix time.',
    (seen) => seen.reconciledUntil,
  ),
  one(
    'probity_last_backup_timestamp_seconds',
    'Time of the newest backup, in Unix time; 0 if there is none.',
    (seen) => seen.lastBackup,
  ),
  one(
    'probity_migrations_missing',
    'Migrations of this version that the database lacks.',
    (seen) => seen.migrationsMissing,
  ),
  one('probity_emails_overdue', 'Emails that were due more than ten minutes ago.', (seen) => seen.lettersLate),
]

function byQueue(interactive: number, jobs: number, webhooks: number) {
  return Object.entries({ interactive, jobs, webhooks }).map(([queue, value]) => ({ of: { queue }, value }))
}

function one(name: string, help: string, read: (seen: Seen) => number): FigureGauge<Seen> {
  return { name, help, read: (seen) => [{ value: read(seen) }] }
}

export function watchInstallation(registry: Registry, services: Looked): void {
  watchFigures(
    registry,
    keepFresh(FRESH_FOR_MS, () => lookAtDatabase(services)),
    OF_DATABASE,
  )
  const { redis, queuePrefix } = services
  watchFigures(
    registry,
    keepFresh(FRESH_FOR_MS, () => readQueueDepths(redis, queuePrefix)),
    [
      {
        name: 'probity_tasks',
        help: 'Tasks in Redis, by queue and state.',
        labels: ['queue', 'state'],
        read: (depths) =>
          depths.flatMap(({ name: queue, waiting, active }) => [
            { of: { queue, state: 'waiting' }, value: waiting },
            { of: { queue, state: 'active' }, value: active },
          ]),
      },
    ],
  )
}
