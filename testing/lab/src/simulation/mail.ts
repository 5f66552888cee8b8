import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { SITES, type SiteName } from './data/sites.ts'
import type { Loopback } from './loopback.ts'
import type { MailPopulation } from './population.ts'
import { openRecipients } from './recipients.ts'
import { serveSession } from './session.ts'

/** Large enough that a burst of connections waits instead of being rejected. */
const BACKLOG = 4_096

/** The mail servers of a simulation: one listener for each address, all on one port. */
export async function startSimulatedMail(simulation: MailPopulation, loopback: Loopback, port: number) {
  const recipients = openRecipients(simulation)
  const sockets = new Set<Socket>()
  const servers: Server[] = []
  // By site, so that a server that rejects every third connection does so however many hosts the site has.
  const taken = new Map<SiteName, number>()
  let shared = port

  const stop = async () => {
    for (const socket of sockets) socket.destroy()
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  }
  const listen = async ({ site, address }: Loopback['listeners'][number], n: number) => {
    const host = `${site.replaceAll('_', '-')}-${n + 1}.mail.example`
    const station = { site, settings: SITES[site], host, recipients }
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
  return { port: shared, connections: () => [...taken.values()].reduce((sum, count) => sum + count, 0), stop }
}
