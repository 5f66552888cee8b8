import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { SITES } from './data/sites.ts'
import type { Loopback } from './loopback.ts'
import type { World } from './population.ts'
import { openRecipients } from './recipients.ts'
import { serveSession } from './session.ts'

/** So that a burst of connections waits instead of being turned away. */
const BACKLOG = 4_096

/** The mail servers of a world: one listener for each address, all on one port. */
export async function startWorldMail(world: World, loopback: Loopback, port: number) {
  const recipients = openRecipients(world)
  const sockets = new Set<Socket>()
  const servers: Server[] = []
  let taken = 0
  let shared = port

  const stop = async () => {
    for (const socket of sockets) socket.destroy()
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  }
  try {
    for (const { site, address } of loopback.listeners) {
      let ofListener = 0
      const host = `${site.replaceAll('_', '-')}-${address.split('.').at(-1)}.mail.example`
      const station = { site, habits: SITES[site], host, recipients }
      const server = createServer((socket) => {
        taken += 1
        sockets.add(socket)
        socket.on('close', () => sockets.delete(socket))
        serveSession(socket, station, ofListener)
        ofListener += 1
      })
      server.listen({ host: address, port: shared, backlog: BACKLOG })
      await once(server, 'listening')
      servers.push(server)
      shared = (server.address() as AddressInfo).port
    }
  } catch (error) {
    await stop()
    throw error
  }
  return { port: shared, connections: () => taken, stop }
}
