import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { whenDone } from '@probity/lab/when-done'
import { dnsError, type MailDns } from '../../domain/resolver.ts'
import type { DialOptions, Egress } from './dial.ts'

/** Response of a DNS server for a host: addresses, an error code, or no response. */
type DnsReply = string[] | 'ENODATA' | 'ENOTFOUND' | 'ESERVFAIL' | 'silence'

/** A resolver with these responses for every host, one after another; the last one is repeated. Counts the queries. */
export function fakeDns({ four = ['ENODATA'], six = ['ENODATA'] }: { four?: DnsReply[]; six?: DnsReply[] }) {
  const queries = { four: 0, six: 0 }
  const respond = (replies: DnsReply[], n: number): Promise<string[]> => {
    const reply = replies[Math.min(n, replies.length) - 1] ?? 'ENODATA'
    if (reply === 'silence') return new Promise(() => {})
    return Array.isArray(reply) ? Promise.resolve(reply) : Promise.reject(dnsError(reply, 'as configured'))
  }
  const dns: MailDns = {
    resolve4: () => respond(four, ++queries.four),
    resolve6: () => respond(six, ++queries.six),
    resolveMx: () => Promise.reject(new Error('Dialing does not query MX records.')),
    resolveTxt: () => Promise.reject(new Error('Dialing does not query TXT records.')),
  }
  return { dns, asked: queries }
}

const EGRESS: Egress = { name: 'one', heloName: 'probe.example', mailFrom: 'probe@probe.example' }

/** Dials hosts at loopback addresses, by default with a deadline of three seconds. */
export function loopback(
  four: string[],
  port: number,
  other: { egress?: Partial<Egress>; deadline?: number; allows?: (address: string) => boolean } = {},
): DialOptions {
  const { allows = (address) => address.startsWith('127.') } = other
  return {
    dns: fakeDns({ four: [four] }).dns,
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
    socket.on('error', () => {}) // a client may reset its connection
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

/** A port without a server: one that was free a moment ago. */
export async function findFreePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
