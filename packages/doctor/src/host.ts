import { existsSync } from 'node:fs'
import { readFile, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Finding } from '@probity/contract/constants/operators'
import { readClock } from '@probity/database/system/server-settings'
import { fail, guard, pass, unknown, warn } from './finding.ts'
import type { Patient } from './patient.ts'

/** Webhook signatures and one-time passwords tolerate 2 seconds of clock skew; at 30 seconds they fail. */
const SKEW_WARN_MS = 2_000
const SKEW_FAIL_MS = 30_000

/** Free space that leaves an operator time to react. */
export type Room = { lowBytes: number; fullBytes: number }
const ROOM: Room = { lowBytes: 2 * 1024 ** 3, fullBytes: 256 * 1024 ** 2 }

/** A busy worker holds several thousand connections. */
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
  // The database clock was read between the two local readings, so a value in that range is no skew.
  const skewMs = at < before ? at - before : Math.max(0, at - after)
  const seconds = (Math.abs(skewMs) / 1_000).toFixed(1)
  const whose = isHere ? 'PostgreSQL, which runs on this host, so both may be wrong' : 'PostgreSQL'
  const saw =
    skewMs === 0
      ? `The clock agrees with ${whose}.`
      : `The clock is ${seconds} s ${skewMs > 0 ? 'behind' : 'ahead of'} ${whose}.`
  if (Math.abs(skewMs) < SKEW_WARN_MS) return pass('clock', { saw })
  const told = {
    saw,
    says: 'Synchronize both hosts with the same NTP servers.',
    lines: ['timedatectl set-ntp true', 'timedatectl timesync-status'],
  }
  return Math.abs(skewMs) < SKEW_FAIL_MS ? warn('clock', told) : fail('clock', told)
}

async function judgeRoom(subject: string, folder: string, { lowBytes, fullBytes }: Room): Promise<Finding> {
  // The first upload creates the folder; until then, its parent folder is on the same disk.
  const there = existsSync(folder) ? folder : dirname(folder)
  const { bavail, bsize, blocks } = await statfs(there)
  const free = bavail * bsize
  const share = blocks === 0 ? 0 : Math.round((100 * bavail) / blocks)
  const saw = `${sizeOf(free)} free at ${folder}, ${share}% of the disk.`
  const told = {
    subject,
    saw,
    says: 'Free disk space, or move the folder to a larger disk.',
    lines: [`df -h ${there}`, `du -xhd1 ${there}`],
  }
  if (free < fullBytes) return fail('disk', told)
  return free < lowBytes ? warn('disk', told) : pass('disk', { subject, saw })
}

function sizeOf(bytes: number): string {
  return bytes >= 1024 ** 3 ? `${(bytes / 1024 ** 3).toFixed(1)} GiB` : `${Math.round(bytes / 1024 ** 2)} MiB`
}

/** `limits` is the text of /proc/self/limits on Linux. */
export function judgeOpenFiles(limits: string): Finding {
  const [, soft = ''] = /^Max open files\s+(\S+)/m.exec(limits) ?? []
  const max = soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft || Number.NaN)
  if (Number.isNaN(max)) return unknown('open-files', { saw: 'The system does not report the open-file limit.' })
  const saw = `The open-file limit of the process is ${soft}.`
  if (max >= OPEN_FILES_MIN) return pass('open-files', { saw })
  const says = 'Raise the limit and restart the service. With systemd, in the service unit:'
  return warn('open-files', { saw, says, lines: ['LimitNOFILE=65536', 'ulimit -n 65536'] })
}
