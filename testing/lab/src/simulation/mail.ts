import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { Station } from './conversation.ts'
import { SITES, type SiteName } from './data/sites.ts'
import type { Loopback } from './loopback.ts'
import type { MailPopulation } from './population.ts'
import { hashText } from './random.ts'
import { openRecipientRecorder } from './recipient-record.ts'
import { openRecipients } from './recipients.ts'
import { serveSession } from './session.ts'

/** Large enough that a burst of connections waits instead of being rejected. */
const BACKLOG = 4_096

type MailOptions = {
  simulation: MailPopulation
  loopback: Loopback
  port: number
  keepsReplies?: boolean
  timeFactor?: number
}

/** The mail servers of a simulation: one listener for each address, all on one port. */
export async function startSimulatedMail(options: MailOptions) {
  const { simulation, loopback, port, keepsReplies = false, timeFactor = 1 } = options
  const recipients = openRecipients(simulation, { timeFactor })
  const recorder = openRecipientRecorder(simulation, { keepsReplies })
  const sockets = new Set<Socket>()
  const servers: Server[] = []
  const outages: Outages[] = []
  // By site, so that a server that rejects every third connection does so however many hosts the site has.
  const taken = new Map<SiteName, number>()
  let shared = port

  const stop = async () => {
    for (const outage of outages) outage.stop()
    for (const socket of sockets) socket.destroy()
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  }
  const listen = async (listener: Loopback['listeners'][number], n: number) => {
    const { site, address } = listener
    const host = `${site.replaceAll('_', '-')}-${n + 1}.mail.example`
    const station: Station = { server: listener, settings: SITES[site], host, recipients, recorder, timeFactor }
    const server = createServer((socket) => {
      const before = taken.get(site) ?? 0
      taken.set(site, before + 1)
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
      serveSession(socket, station, before)
    })
    servers.push(server)
    server.listen({ host: address, port: shared, backlog: BACKLOG })
    await once(server, 'listening')
    shared = (server.address() as AddressInfo).port
    outages.push(startOutages(server, { host: address, port: shared }, station))
  }
  try {
    const [first, ...others] = loopback.listeners
    if (first) await listen(first, 0)
    // All promises settle before a failure is reported: a listener that is still opening could not be closed.
    const opened = await Promise.allSettled(others.map((listener, n) => listen(listener, n + 1)))
    for (const one of opened) if (one.status === 'rejected') throw one.reason
  } catch (error) {
    await stop()
    throw error
  }
  return {
    port: shared,
    connections: () => [...taken.values()].reduce((sum, count) => sum + count, 0),
    recipients: recorder.read,
    stop,
  }
}

type Outages = { stop(): void }

/**
 * Closes the port of a server for a part of every period, and opens it again. Connections that exist are not affected. The hash makes each
 * server begin at another time.
 */
function startOutages(server: Server, at: { host: string; port: number }, { settings, timeFactor }: Station): Outages {
  const { outages } = settings
  if (outages === undefined) return { stop: () => {} }
  const [openMs, closedMs] = [outages.everyMs - outages.forMs, outages.forMs].map((ms) => ms / timeFactor)
  let timer: NodeJS.Timeout | undefined
  const turn = (isOpen: boolean, ms = 0) => {
    timer = setTimeout(() => {
      if (isOpen) server.close()
      else server.listen({ ...at, backlog: BACKLOG })
      turn(!isOpen, isOpen ? closedMs : openMs)
    }, ms)
  }
  turn(true, (hashText(at.host) % outages.everyMs) / timeFactor)
  return { stop: () => clearTimeout(timer) }
}
