import type { IncomingMessage, Server } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RequestLimits } from '../../http/limits.ts'
import { matchRanges, networkOf } from '../../http/networks.ts'
import { endWithProblem, Problem } from '../../http/problem.ts'
import { isBodyIncomplete } from '../../http/request-body.ts'
import { whenClosed } from '../../http/when-closed.ts'

type Limits = Pick<RequestLimits, 'connectionsPerNetworkMax' | 'unfinishedPerNetworkMax'>
export type NetworkLimits = Limits & {
  /** Whether an address is that of a trusted proxy, behind which there are many clients. */
  isProxy(ip: string): boolean
}

export function readNetworkLimits(limits: Limits, trustedProxies: string[]): NetworkLimits {
  const { connectionsPerNetworkMax, unfinishedPerNetworkMax } = limits
  return { connectionsPerNetworkMax, unfinishedPerNetworkMax, isProxy: matchRanges(trustedProxies) }
}

const RETRY_AFTER_S = 1
const TOO_MANY_CONNECTIONS = 'Too many connections from your network are open.'
const TOO_MANY_UNFINISHED =
  'Too many requests from your network are unfinished: their bodies are incomplete, or their responses were not read.'

/** Counter per network. Networks with a count of zero take no memory. */
function countByNetwork() {
  const counts = new Map<string, number>()
  return {
    isEmpty: () => counts.size === 0,
    of: (network: string) => counts.get(network) ?? 0,
    change(network: string, by: 1 | -1): void {
      const count = (counts.get(network) ?? 0) + by
      if (count === 0) counts.delete(network)
      else counts.set(network, count)
    },
  }
}

/** Closes connections of a network that has too many, before anything is read from them. A trusted proxy may have any number. */
export function limitConnections(server: Server, { connectionsPerNetworkMax, isProxy }: NetworkLimits): void {
  const open = countByNetwork()
  server.on('connection', (socket) => {
    const { remoteAddress } = socket
    // The client has reset the connection already. Its request can still be read, but has no address to count it by.
    if (remoteAddress === undefined) return void socket.destroy()
    if (isProxy(remoteAddress)) return
    const network = networkOf(remoteAddress)
    if (open.of(network) >= connectionsPerNetworkMax) {
      endWithProblem(socket, new Problem('rate_limited', TOO_MANY_CONNECTIONS, { retryAfterS: RETRY_AFTER_S }))
      socket.destroySoon()
      return
    }
    open.change(network, 1)
    socket.once('close', () => open.change(network, -1))
  })
}

/** A response up to this size fits into the buffers of its connection, so it ends whether the client reads it or not. */
const SMALL_CHARACTERS = 16 * 1024

/**
 * Limits the requests that wait for a client: their body is incomplete, or their response is not read. Such requests hold no slot
 * (in-flight-limit.ts), so without this limit one client behind a proxy could have any number of them.
 */
export function limitUnfinished(app: FastifyInstance, { unfinishedPerNetworkMax, isProxy }: NetworkLimits): void {
  const unfinished = countByNetwork()

  /** Counts a request; the returned function ends that and may be called more than once. */
  function count({ ip }: FastifyRequest, reply: FastifyReply): () => void {
    if (isProxy(ip)) return () => {}
    const network = networkOf(ip)
    let isCounted = true
    unfinished.change(network, 1)
    const end = () => {
      if (isCounted) unfinished.change(network, -1)
      isCounted = false
    }
    whenClosed(reply.raw, end)
    return end
  }

  app.addHook('onRequest', (request, reply, done) => {
    if (unfinished.isEmpty() || request.route.config.alwaysAnswered) return done()
    if (unfinished.of(networkOf(request.ip)) < unfinishedPerNetworkMax) return done()
    reply.header('connection', 'close') // the rest of the body is not read
    done(new Problem('rate_limited', TOO_MANY_UNFINISHED, { retryAfterS: RETRY_AFTER_S }))
  })
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (isBodyIncomplete(request)) request.raw.once('end', count(request, reply))
    done(null, payload)
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    const isSmall = payload === null || payload === undefined || isSmallText(payload)
    if (!isSmall && !reply.raw.closed) count(request, reply)
    done(null, payload)
  })
}

/** A response can be ready before the parser has seen a body that is in the same packet. */
const BODY_ARRIVES_WITHIN_MS = 250
/** The client of a rejected upload must learn of it while it sends: the rest of its file is not awaited. */
const SKIPPED_BYTES_MAX = 1024 * 1024

/**
 * Marks responses to a proxy whose request body has not arrived: a proxy that would wait for the body before it passes the response on can
 * disconnect the client instead (deploy/Caddyfile). Registered after limitInFlight, so that these responses hold no slot while they wait.
 */
export function markUnreadBodies(app: FastifyInstance, { isProxy }: Pick<NetworkLimits, 'isProxy'>): void {
  app.addHook('onSend', async (request, reply) => {
    if (!isBodyIncomplete(request) || !isProxy(request.socket.remoteAddress ?? '')) return
    await skipBody(request.raw)
    if (isBodyIncomplete(request)) reply.header('probity-unread-body', 'true')
  })
}

function skipBody(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let skipped = 0
    const skip = (chunk: Buffer) => {
      skipped += chunk.length
      if (skipped > SKIPPED_BYTES_MAX) end()
    }
    const timer = setTimeout(end, BODY_ARRIVES_WITHIN_MS)
    function end() {
      clearTimeout(timer)
      request.off('data', skip)
      resolve()
    }
    request.once('end', end).once('close', end).on('data', skip)
  })
}

function isSmallText(payload: unknown): boolean {
  return typeof payload === 'string' && payload.length <= SMALL_CHARACTERS
}
