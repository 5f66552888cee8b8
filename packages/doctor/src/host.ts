import { existsSync } from 'node:fs'
import { readFile, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Finding } from '@probity/contract/doctor'
import { readClock } from '@probity/database/server-settings'
import { fail, guard, pass, unknown, warn } from './finding.ts'
import type { Patient } from './patient.ts'

/** As signatures of webhooks and one-time passwords bear it without a word; and as nobody bears it. */
const SKEW_WARN_MS = 2_000
const SKEW_FAIL_MS = 30_000

/** What is left for others to write while somebody comes. */
export type Room = { lowBytes: number; fullBytes: number }
const ROOM: Room = { lowBytes: 2 * 1024 ** 3, fullBytes: 256 * 1024 ** 2 }

/** A worker at work holds some thousands of connections. */
const OPEN_FILES_MIN = 4_096

export async function examineHost(
  patient: Pick<Patient, 'db' | 'uploadsFolder' | 'databaseFolder' | 'now'>,
  room = ROOM,
): Promise<Finding[]> {
  const { db, uploadsFolder, databaseFolder, now } = patient
  const found = await Promise.all([
    guard(['clock'], async () => [await compareClocks(db, now)]),
    guard(['disk'], async () => [await judgeRoom('uploads', uploadsFolder, room)]),
    guard(['disk'], async () =>
      databaseFolder === undefined ? [] : [await judgeRoom('PostgreSQL', databaseFolder, room)],
    ),
    guard(['open-files'], async () => [judgeOpenFiles(await readFile('/proc/self/limits', 'utf8'))]),
  ])
  return found.flat()
}

async function compareClocks(db: Patient['db'], now: () => number): Promise<Finding> {
  const before = now()
  const { at, isHere } = await readClock(db)
  const after = now()
  // It was read somewhere between; what lies within is no difference.
  const skewMs = at < before ? at - before : Math.max(0, at - after)
  const seconds = (Math.abs(skewMs) / 1_000).toFixed(1)
  const whose = isHere ? 'PostgreSQL, which runs on this host, so that both may be wrong' : 'PostgreSQL'
  const saw =
    skewMs === 0
      ? `It agrees with that of ${whose}.`
      : `It is ${seconds} s ${skewMs > 0 ? 'behind' : 'ahead of'} that of ${whose}.`
  if (Math.abs(skewMs) < SKEW_WARN_MS) return pass('clock', { saw })
  const told = {
    saw,
    says: 'Let both hosts follow the same time servers.',
    lines: ['timedatectl set-ntp true', 'timedatectl timesync-status'],
  }
  return Math.abs(skewMs) < SKEW_FAIL_MS ? warn('clock', told) : fail('clock', told)
}

async function judgeRoom(subject: string, folder: string, { lowBytes, fullBytes }: Room): Promise<Finding> {
  // It is made by the first upload; until then its disk is that of the folder it will be in.
  const there = existsSync(folder) ? folder : dirname(folder)
  const { bavail, bsize, blocks } = await statfs(there)
  const free = bavail * bsize
  const share = blocks === 0 ? 0 : Math.round((100 * bavail) / blocks)
  const saw = `${sizeOf(free)} are free at ${folder}, ${share} % of the disk.`
  const told = {
    subject,
    saw,
    says: 'Make room, or move the folder to a larger disk.',
    lines: [`df -h ${there}`, `du -xhd1 ${there}`],
  }
  if (free < fullBytes) return fail('disk', told)
  return free < lowBytes ? warn('disk', told) : pass('disk', { subject, saw })
}

function sizeOf(bytes: number): string {
  return bytes >= 1024 ** 3 ? `${(bytes / 1024 ** 3).toFixed(1)} GiB` : `${Math.round(bytes / 1024 ** 2)} MiB`
}

/** `limits` is what Linux says in /proc/self/limits. */
export function judgeOpenFiles(limits: string): Finding {
  const [, soft = ''] = /^Max open files\s+(\S+)/m.exec(limits) ?? []
  const max = soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft || Number.NaN)
  if (Number.isNaN(max)) return unknown('open-files', { saw: 'The system does not say how many files may be open.' })
  const saw = `A process may have ${soft} files open.`
  if (max >= OPEN_FILES_MIN) return pass('open-files', { saw })
  const says = 'Raise the limit of the service, and start it again. Under systemd, in its unit:'
  return warn('open-files', { saw, says, lines: ['LimitNOFILE=65536', 'ulimit -n 65536'] })
}
