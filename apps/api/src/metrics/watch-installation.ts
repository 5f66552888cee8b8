import { findLastBackup } from '@probity/database/backups'
import { asNobody, asOperator } from '@probity/database/connect'
import { getFigures } from '@probity/database/figures'
import { countFindings } from '@probity/database/findings'
import { getProbing } from '@probity/database/probing'
import { listMissingMigrations } from '@probity/database/schema-version'
import { readDepths } from '@probity/queue/depth'
import { keepFresh } from '@probity/telemetry/keep-fresh'
import { type FigureGauge, watchFigures } from '@probity/telemetry/watch-figures'
import type { Registry } from 'prom-client'
import type { Services } from '../services.ts'

/** Scrapes come every fifteen seconds; whoever scrapes more often reads the same again. */
const FRESH_FOR_MS = 10_000

type Looked = Pick<Services, 'db' | 'redis' | 'queuePrefix'>

async function lookAtDatabase({ db }: Pick<Looked, 'db'>) {
  const [figures, findings] = await asOperator(
    db,
    async (trx) => [await getFigures(trx), await countFindings(trx)] as const,
  )
  const [backup, missing, probing] = await Promise.all([
    findLastBackup(db),
    listMissingMigrations(db),
    asNobody(db, getProbing),
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

/** What PostgreSQL knows of the whole installation: the same from every process, so that sums over processes mean nothing. */
const OF_DATABASE: FigureGauge<Seen>[] = [
  {
    name: 'probity_processes',
    help: 'Processes of the installation that spoke within the last 35 seconds.',
    labels: ['kind'],
    read: (seen) => [
      { of: { kind: 'api' }, value: seen.liveApis },
      { of: { kind: 'worker' }, value: seen.liveWorkers },
    ],
  },
  {
    name: 'probity_queue_waiting',
    help: 'What waits and could be worked on: addresses of callers and of lists, and events for webhooks.',
    labels: ['queue'],
    read: (seen) => byQueue(seen.callersWaiting, seen.listsWaiting, seen.webhooksWaiting),
  },
  {
    name: 'probity_queue_oldest_seconds',
    help: 'How long the oldest of it has waited; for lists, how long nothing was done of the one that stands still longest.',
    labels: ['queue'],
    read: (seen) => byQueue(seen.callersOldestS, seen.listsOldestS, seen.webhooksOldestS),
  },
  {
    name: 'probity_queue_put_off',
    help: 'What waits for its time to come: put off by a mail server, by our own pace or by a receiver.',
    labels: ['queue'],
    read: (seen) => byQueue(seen.callersPutOff, seen.listsPutOff, seen.webhooksPutOff),
  },
  {
    name: 'probity_lists',
    help: 'Lists that have not come to their end.',
    labels: ['state'],
    read: (seen) => [
      { of: { state: 'under_way' }, value: seen.listsUnderWay },
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
    help: 'Credits of all accounts together; what is available leaves out accounts whose credits are not counted.',
    labels: ['state'],
    read: (seen) => [
      { of: { state: 'available' }, value: seen.creditsAvailable },
      { of: { state: 'reserved' }, value: seen.creditsReserved },
      { of: { state: 'spent' }, value: seen.creditsSpent },
    ],
  },
  {
    name: 'probity_doctor_findings',
    help: 'What the doctor found when it last looked, over all hosts.',
    labels: ['status'],
    read: (seen) => Object.entries(seen.findings).map(([status, value]) => ({ of: { status }, value })),
  },
  one(
    'probity_probing',
    'Whether mail servers are asked: 0 where no worker that lives has a way out to them.',
    (seen) => seen.probing,
  ),
  one(
    'probity_accounts_stopped',
    'Accounts that are not charged because their books do not add up.',
    (seen) => seen.accountsStopped,
  ),
  one(
    'probity_audited_until_timestamp_seconds',
    'Until when the books were gone over, in Unix time.',
    (seen) => seen.reconciledUntil,
  ),
  one(
    'probity_last_backup_timestamp_seconds',
    'When the last backup was made, in Unix time; 0 where none was.',
    (seen) => seen.lastBackup,
  ),
  one(
    'probity_migrations_missing',
    'Migrations of this version that the database lacks.',
    (seen) => seen.migrationsMissing,
  ),
  one(
    'probity_letters_late',
    'Letters to people that should have gone out ten minutes ago.',
    (seen) => seen.lettersLate,
  ),
]

function byQueue(callers: number, lists: number, webhooks: number) {
  return Object.entries({ callers, lists, webhooks }).map(([queue, value]) => ({ of: { queue }, value }))
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
    keepFresh(FRESH_FOR_MS, () => readDepths(redis, queuePrefix)),
    [
      {
        name: 'probity_tasks',
        help: 'Tasks in Redis, on their way to workers or with one.',
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
