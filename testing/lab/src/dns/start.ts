import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { freePort, makeFolder, removeFolder } from '../services/daemon.ts'
import { ZONES } from './data/zones.ts'
import { startNsd } from './nsd.ts'
import { openSigner } from './signer.ts'
import { startUnbound } from './unbound.ts'
import type { Names, ZoneFault, Zones } from './zone-file.ts'

export type LabDns = {
  /** The address and port of Unbound, for clients. */
  port: number
  /** The address and port of NSD, to bypass the resolver. */
  nsdPort: number
  resolver(): Resolver
  /** Adds names or replaces their records; the resolver drops its cache. */
  put(names: Names): Promise<void>
  /** Queries from clients to Unbound, and queries from Unbound to NSD. */
  countQuestions(): Promise<{ resolver: number; authority: number }>
  stop(): Promise<void>
}

/** NSD with the lab's names and Unbound as its resolver, as private processes on loopback. */
export async function startDns(
  zones: Zones = ZONES,
  { isSigned = false }: { isSigned?: boolean } = {},
): Promise<LabDns> {
  const folder = makeFolder('probity-dns')
  const silent = await startSilent()
  const signer = isSigned ? await openSigner(folder) : undefined
  const nsd = await startNsd(folder, zones.names, zonesWith(zones, 'servfail'), signer)
  const unreachable = await freePort()
  const unbound = await startUnbound(folder, {
    authority: nsd.port,
    elsewhere: {
      ...portFor(zonesWith(zones, 'silent'), silent.port),
      ...portFor(zonesWith(zones, 'unreachable'), unreachable),
    },
    refused: zonesWith(zones, 'refused'),
    trustAnchor: signer?.anchor,
  })

  let names = zones.names
  return {
    port: unbound.port,
    nsdPort: nsd.port,
    resolver: () => resolverAt(unbound.port),
    async put(more) {
      names = { ...names, ...more }
      await nsd.serve(names)
      await unbound.forget()
    },
    countQuestions: async () => ({ resolver: await unbound.countQuestions(), authority: await nsd.countQuestions() }),
    async stop() {
      await Promise.all([unbound.stop(), nsd.stop(), silent.stop()])
      removeFolder(folder)
    },
  }
}

/** Node's own resolver with one loopback server and one attempt. */
export function resolverAt(port: number): Resolver {
  const resolver = new Resolver({ timeout: 2_000, tries: 1 })
  resolver.setServers([`127.0.0.1:${port}`])
  return resolver
}

function zonesWith({ faults }: Zones, fault: ZoneFault): string[] {
  return Object.keys(faults).filter((name) => faults[name] === fault)
}

function portFor(names: string[], port: number): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, port]))
}

/** A server that accepts every query and never replies, over UDP and TCP. No real server does so on demand. */
export async function startSilent() {
  const connections = new Set<Socket>()
  const tcp = createServer((socket) => {
    connections.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => connections.delete(socket))
    socket.resume()
  })
  const port = await freePort()
  tcp.listen(port, '127.0.0.1')
  await once(tcp, 'listening')
  const udp = createSocket('udp4')
  udp.bind(port, '127.0.0.1')
  await once(udp, 'listening')
  return {
    port,
    stop: async () => {
      udp.close()
      for (const socket of connections) socket.destroy()
      tcp.close()
      await once(tcp, 'close')
    },
  }
}
