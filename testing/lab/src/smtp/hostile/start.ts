import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { Names } from '../../dns/zone-file.ts'
import { recordSession } from '../record.ts'
import type { Behaviour, Behaviours } from './behaviour.ts'
import { CONNECTION } from './connection.ts'
import { EHLO } from './ehlo.ts'
import { GREETING } from './greeting.ts'
import { QUIT } from './quit.ts'
import { RECIPIENTS } from './recipients.ts'
import { openVisit } from './session.ts'
import { STARTTLS } from './starttls.ts'

/** Every hostile behavior by name, in the order of the SMTP commands. */
export const HOSTILE: Behaviours = { ...CONNECTION, ...GREETING, ...EHLO, ...STARTTLS, ...RECIPIENTS, ...QUIT }

export type HostileOptions = {
  /** The first three bytes of the loopback addresses; each behavior has its own address. */
  base?: string
  /** The port of all behaviors; a free one by default. */
  port?: number
  /** Every delay is a number of units, so that a test may run them at any speed. */
  timeUnitMs: number
}

/** Mail servers that misbehave, each on its own address. They do not keep a process alive. */
export async function startHostile({ base = '127.66.0', port = 0, timeUnitMs }: HostileOptions) {
  const sockets = new Set<Socket>()
  const servers: Server[] = []
  let common = port
  for (const [name, behaviour] of Object.entries(HOSTILE)) {
    if (behaviour.act === undefined) continue
    const server = serve(name, behaviour, timeUnitMs, sockets)
    servers.push(server)
    server.listen(common, addressOf(name, base))
    await once(server, 'listening')
    common = (server.address() as AddressInfo).port
  }
  return {
    port: common,
    /** The DNS data of `<behaviour>.hostile.example`. */
    names: Object.assign({}, ...Object.keys(HOSTILE).map((name) => namesOf(name, base))) as Names,
    hostOf: (name: string) => addressOf(name, base),
    /** Currently open connections. */
    countOpen: () => sockets.size,
    async stop() {
      const closed = [...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve).destroy()))
      await Promise.all([...closed, ...servers.map((server) => new Promise((resolve) => server.close(resolve)))])
    },
  }
}

function serve(name: string, { act }: Behaviour, unitMs: number, sockets: Set<Socket>): Server {
  const memory = new Map<string, number>()
  const server = createServer({ noDelay: true }, (socket) => {
    const visit = openVisit(socket, { unitMs, memory })
    sockets.add(socket.unref())
    socket.on('error', () => socket.destroy()) // a client may disconnect at any time
    socket.on('close', () => {
      sockets.delete(socket)
      recordSession({ server: `${name}.hostile.example`, verbs: visit.verbs, refused: 0, errorsMax: null })
    })
    void act?.(visit)
  })
  return server.unref()
}

function addressOf(name: string, base: string): string {
  return `${base}.${Object.keys(HOSTILE).indexOf(name) + 1}`
}

function namesOf(name: string, base: string): Names {
  const domain = `${name}.hostile.example`
  return { [domain]: { mx: [[10, `mx.${domain}`]] }, [`mx.${domain}`]: { a: [addressOf(name, base)] } }
}
