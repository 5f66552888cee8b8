import type { NameData, Names } from '../dns/zone-file.ts'
import { startRelay } from '../relay.ts'
import { MAIL_DOMAINS, MAIL_HOSTS, type MailHostId } from './data/mail-fixtures.ts'
import { startExim } from './exim.ts'
import { startOpensmtpd } from './opensmtpd.ts'
import { unpackPackages } from './packages.ts'
import { startPostfix } from './postfix.ts'
import type { MailProgram, Place } from './process.ts'

/** A real mail server behind a relay that records the SMTP verbs. */
export type MailServer = {
  id: MailHostId
  /** The address for clients. */
  host: string
  port: number
  /** The server itself; direct connections are not recorded. */
  behind: Place
  logFile: string
  /** Connections through the relay so far. */
  connections(): number
}

export type MailTown = {
  port: number
  servers: Record<MailHostId, MailServer>
  /** Records for `startDns` that lead the domains of MAIL_DOMAINS to the servers. */
  names: Names
  stop(): Promise<void>
}

/** Packages of one group can be installed together; the groups exclude each other. */
const PACKAGES = [['postfix', 'postgrey'], ['exim4-daemon-light'], ['opensmtpd']]

/** Real mail servers for all domains of MAIL_DOMAINS, each on its own loopback address, all on one port. */
export async function startMailServers({ port, delayMs = 0 }: { port: number; delayMs?: number }): Promise<MailTown> {
  if (process.getuid?.() !== 0) {
    throw new Error(
      'Real mail servers can only be started by root: each gives up its rights by itself, and wants some to give up.',
    )
  }
  const unpacked = await unpackPackages(PACKAGES)
  const cleanUp = new AsyncDisposableStack()
  try {
    const programs = await all([
      startPostfix(unpacked, cleanUp),
      startExim(unpacked, cleanUp),
      startOpensmtpd(unpacked, cleanUp),
    ])
    const servers = await all(programs.flatMap((program) => startRelays(program, { port, delayMs, cleanUp })))
    return {
      port,
      servers: Object.fromEntries(servers.map((server) => [server.id, server])) as Record<MailHostId, MailServer>,
      names: listNames(),
      stop: () => cleanUp.disposeAsync(),
    }
  } catch (error) {
    await cleanUp.disposeAsync()
    throw error
  }
}

/**
 * Unlike `Promise.all`, waits for all of them before it fails, so that the started servers are known and can be ended.
 */
async function all<T>(starts: Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(starts)
  return Promise.all(starts)
}

type RelaysOptions = { port: number; delayMs: number; cleanUp: AsyncDisposableStack }

function startRelays({ places, logFile }: MailProgram, { port, delayMs, cleanUp }: RelaysOptions) {
  return Object.entries(places).map(async ([name, behind]) => {
    const id = name as MailHostId
    const { host, name: server, errorsMax } = MAIL_HOSTS[id]
    const relay = await startRelay({ host, port, to: behind, delayMs, record: { server, errorsMax } })
    cleanUp.defer(() => relay.stop())
    return { id, host, port, behind, logFile, connections: () => relay.connections() }
  })
}

function listNames(): Names {
  const hosts = Object.values(MAIL_HOSTS).map(({ name, host }): [string, NameData] => [name, { a: [host] }])
  const domains = Object.entries(MAIL_DOMAINS).map(([domain, { at }]): [string, NameData] => [
    domain,
    { mx: [[10, MAIL_HOSTS[at].name]] },
  ])
  return Object.fromEntries([...hosts, ...domains])
}
