import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { whenDone } from '@probity/lab/when-done'
import { dnsError, type MailDns } from '../../domain/resolver.ts'
import type { DialOptions, Egress } from './dial.ts'

/** What is said of a host: addresses, that there are none, that it does not exist, or nothing at all. */
type Said = string[] | 'ENODATA' | 'ENOTFOUND' | 'ESERVFAIL' | 'silence'

/** Answers of a resolver about any host, one after another; the last one is repeated. Counts the questions. */
export function sayOf({ four = ['ENODATA'], six = ['ENODATA'] }: { four?: Said[]; six?: Said[] }) {
  const asked = { four: 0, six: 0 }
  const answer = (says: Said[], n: number): Promise<string[]> => {
    const said = says[Math.min(n, says.length) - 1] ?? 'ENODATA'
    if (said === 'silence') return new Promise(() => {})
    return Array.isArray(said) ? Promise.resolve(said) : Promise.reject(dnsError(said, 'as told'))
  }
  const dns: MailDns = {
    resolve4: () => answer(four, ++asked.four),
    resolve6: () => answer(six, ++asked.six),
    resolveMx: () => Promise.reject(new Error('The dialler asks for no mail hosts.')),
    resolveTxt: () => Promise.reject(new Error('The dialler asks for no texts.')),
  }
  return { dns, asked }
}

const EGRESS: Egress = { name: 'one', heloName: 'probe.example', mailFrom: 'probe@probe.example' }

/** Dials hosts at loopback addresses and leaves within three seconds, unless told otherwise. */
export function loopback(
  four: string[],
  port: number,
  other: { egress?: Partial<Egress>; deadline?: number; allows?: (address: string) => boolean } = {},
): DialOptions {
  const { allows = (address) => address.startsWith('127.') } = other
  return {
    dns: sayOf({ four: [four] }).dns,
    policy: { port, allows },
    egress: { ...EGRESS, ...other.egress },
    deadline: other.deadline ?? performance.now() + 3_000,
  }
}

/** A server on a free port of 127.0.0.1 until the test is over. */
export async function serve(onConnection: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}) // clients come and go
    onConnection(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  whenDone(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  return (server.address() as AddressInfo).port
}

/** A port on which nobody listens: one that was free a moment ago. */
export async function findFreePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
