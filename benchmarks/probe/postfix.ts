import { chmodSync, chownSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { libraryPath, unpackPackages } from '@probity/lab/mail/packages'
import { writeMain } from '@probity/lab/mail/postfix-settings'
import { type Place, startProcess } from '@probity/lab/mail/process'
import { freePort, makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { domainOf } from './addresses.ts'

/** The id of the user `nobody` in Debian's base system. */
const NOBODY_ID = 65_534

const HOST = '127.26.0.1'
const QUIET_MS = 300
const LOG_TRIES_MAX = 20

export type BenchPostfix = {
  place: Place
  /** Its master process, whose children do the work. */
  pid: number
  /** All recipients rejected so far, with repetitions. */
  listRefused(): Promise<string[]>
}

/** Debian's Postfix with one listener, its default limits, and these mailboxes. */
export async function startBenchPostfix(emails: string[], cleanUp: AsyncDisposableStack): Promise<BenchPostfix> {
  if (process.getuid?.() !== 0) throw new Error('Postfix can only be started by root.')
  const unpacked = await unpackPackages([['postfix']])
  const folder = makeFolder('probity-bench-postfix')
  cleanUp.defer(() => removeFolder(folder))
  chmodSync(folder, 0o711) // most Postfix processes do not run as root
  makeQueue(folder)

  const place = { host: HOST, port: await freePort() }
  const logFile = join(folder, 'postfix.log')
  writeOlder(join(folder, 'main.cf'), writeSettings({ folder, unpacked, logFile, emails }))
  writeOlder(join(folder, 'master.cf'), writeServices(place))
  for (const name of ['dynamicmaps.cf', 'relocated']) writeOlder(join(folder, name), '')
  writeOlder(join(folder, 'mailboxes'), emails.map((email) => `${email} kept\n`).join(''))

  await startProcess([join(unpacked, 'usr/lib/postfix/sbin/master'), '-d', '-c', folder], {
    logFile,
    answersAt: [place],
    env: { LD_LIBRARY_PATH: libraryPath(unpacked) },
    cleanUp,
  })
  const pid = Number(readFileSync(join(folder, 'queue/pid/master.pid'), 'utf8'))
  return { place, pid, listRefused: () => listRefused(logFile) }
}

function makeQueue(folder: string): void {
  mkdirSync(join(folder, 'queue/pid'), { recursive: true })
  for (const name of ['data', 'queue/private', 'queue/public', 'queue/incoming']) {
    mkdirSync(join(folder, name))
    chownSync(join(folder, name), NOBODY_ID, NOBODY_ID)
  }
}

type SettingsOptions = { folder: string; unpacked: string; logFile: string; emails: string[] }

/**
 * As in the lab, except for the domains. in_flow_delay is 0: Postfix otherwise delays clients that are a hundred
 * messages ahead of its queue manager by a second per transaction. Without delivered mail all clients are soon ahead;
 * with real mail none are.
 */
function writeSettings({ emails, ...places }: SettingsOptions): string {
  const domains = new Set(emails.map(domainOf))
  const settings = writeMain({ ...places, port: 0, policyPort: 0, verifyPort: 0 })
  const own = settings.replace(/^(virtual_mailbox_domains = ).*$/m, `$1${[...domains].join(', ')}`)
  return `${own}in_flow_delay = 0\n`
}

function writeServices({ host, port }: Place): string {
  return `${host}:${port} inet n - n - - smtpd
rewrite unix - - n - - trivial-rewrite
cleanup unix n - n - 0 cleanup
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
`
}

/** Postfix only reads a map that is at least two seconds old, because a newer one may still be incomplete. */
function writeOlder(file: string, text: string): void {
  writeFileSync(file, text)
  const past = new Date(Date.now() - 60_000)
  utimesSync(file, past, past)
}

/** A separate process writes the log, with a short delay. */
async function listRefused(logFile: string): Promise<string[]> {
  let log = readFileSync(logFile, 'utf8')
  for (let tries = 0; tries < LOG_TRIES_MAX; tries += 1) {
    await sleep(QUIET_MS)
    const later = readFileSync(logFile, 'utf8')
    if (later.length === log.length) break
    log = later
  }
  return Array.from(log.matchAll(/ reject: RCPT .* to=<([^>]*)>/g), ([, email = '']) => email)
}
