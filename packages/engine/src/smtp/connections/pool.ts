import type { Site, SmtpConnection } from './connection.ts'
import {
  createDestinationLimits,
  type DestinationLimits,
  type DestinationNetwork,
  type HostAddress,
} from './destination-limits.ts'
import {
  type ConnectFailure,
  type ConnectionNetwork,
  createRoute,
  openConnection,
  type Route,
} from './open-connection.ts'
import type { Lease, ProviderRateLimiter, Target, Throttle } from './rate-limiter.ts'
import { isWorthReusing } from './recipient-window.ts'
import { type ConnectionWaiters, createConnectionWaiters, type ThrottleInfo } from './waiters.ts'

/** The connection that a probe needs: to one of the site's hosts, except those listed. */
type Wanted = { site: Site; except: ReadonlySet<string>; deadline: number }

/** The SMTP connections of this process. An idle connection is kept for a moment, in case its site gets more probes, and then closed. */
export type ConnectionPool = {
  /** An idle connection, or a new one to the first host that accepts it. */
  acquire(wanted: Wanted): Promise<AcquireResult>
  /** Returns a connection to the pool, which keeps it if further recipients can be sent on it. */
  release(connection: SmtpConnection): void
  /** Closes a connection that cannot be reused, shortly after the deadline at the latest. */
  discard(connection: SmtpConnection, deadline?: number): void
  /** Closes the idle connections. Those in use are closed when they are released. */
  close(): Promise<void>
}

export type AcquireResult =
  /** `failures`: of the hosts that were tried before it. */
  | { kind: 'connection'; connection: SmtpConnection; failures: ConnectFailure[] }
  /** The rate limiter does not allow a connection before the deadline. */
  | { kind: 'throttled'; throttle: Throttle }
  /** No host of the site accepted a connection: the failure of each host. */
  | { kind: 'failed'; failures: ConnectFailure[] }

/** QUIT is also sent when the deadline of a probe has passed. */
const QUIT_AFTER_DEADLINE_MS = 200
/**
 * The shortest delay between lease requests while all connections are in use. Other processes do not announce that they release a lease.
 */
const RETRY_LEASE_MS = 50

type Network = ConnectionNetwork & DestinationNetwork & { rateLimiter: ProviderRateLimiter }

type Pool = {
  network: Network
  destinations: DestinationLimits
  idle: IdleConnections
  /** Connections that are being closed, with the names of the limits they count against. */
  ending: Map<Promise<void>, string[]>
  waiters: ConnectionWaiters
}

export function createConnectionPool(network: Network): ConnectionPool {
  const destinations = createDestinationLimits(network)
  const pool: Pool = {
    network,
    destinations,
    idle: createIdleConnections(),
    ending: new Map(),
    waiters: createConnectionWaiters(),
  }
  let closed = false
  return {
    async acquire(wanted) {
      const found = takeIdle(pool, wanted)
      if (found) return { kind: 'connection', connection: found, failures: [] }
      const route = startRoute(pool, wanted)
      const first = await route.next()
      if (first === undefined) return { kind: 'failed', failures: route.failures }
      const lease = await waitForLease(pool, wanted, first.destination)
      return lease.kind === 'lease' ? dialRoute(network, wanted, { route, first, lease }) : lease
    },
    release(connection) {
      const isOld = performance.now() - connection.openedAt > network.timeouts.connectionMs / 2
      if (closed || isOld || !isWorthReusing(connection)) {
        void closeConnection(pool, connection)
      } else {
        pool.idle.put(connection, network.timeouts.idleMs, (expired) => void closeConnection(pool, expired))
        for (const name of limitsOf(connection)) pool.waiters.wakeNext(name)
      }
    },
    discard: (connection, deadline) => void closeConnection(pool, connection, deadline),
    async close() {
      closed = true
      for (const connection of pool.idle.takeAll()) void closeConnection(pool, connection)
      await Promise.all(pool.ending.keys())
    },
  }
}

function closeConnection(
  { network, ending, waiters }: Pool,
  connection: SmtpConnection,
  deadline = Number.POSITIVE_INFINITY,
): Promise<void> {
  const end = Math.min(performance.now() + network.timeouts.quitMs, deadline + QUIT_AFTER_DEADLINE_MS)
  const ended = connection.socket
    .quit(end)
    .then(() => connection.lease.release({ refused: connection.rejected }))
    .finally(() => {
      ending.delete(ended)
      for (const name of limitsOf(connection)) waiters.wakeNext(name)
    })
  ending.set(ended, limitsOf(connection))
  return ended
}

/** The names of the limits that a connection counts against. */
function limitsOf({ site, destination }: SmtpConnection): string[] {
  return destination === null ? [site.key] : [site.key, destination]
}

function startRoute({ network, destinations }: Pool, { site, except, deadline }: Wanted): Route {
  const { dns, policy, egress } = network
  return createRoute({ site, except, dialing: { dns, policy, egress, deadline }, destinations })
}

function takeIdle(pool: Pool, wanted: Wanted): SmtpConnection | undefined {
  const connection = pool.idle.take(wanted.site, wanted.except)
  if (connection === undefined || !connection.socket.isClosed()) return connection
  void closeConnection(pool, connection) // the server has closed it meanwhile
  return takeIdle(pool, wanted)
}

type LeaseResult = Lease | Exclude<AcquireResult, { kind: 'failed' }>

/**
 * Waits for a lease as long as one can be granted before the deadline, or for a connection that another probe of this process releases.
 * One waiter requests the lease for all that wait for the site, and wakes the next one when it is done. If a hundred waiters requested it
 * separately, the rate limiter would spend its time on rejecting them.
 */
async function waitForLease(pool: Pool, wanted: Wanted, destination: Target | undefined): Promise<LeaseResult> {
  try {
    return await requestLease(pool, wanted, destination)
  } finally {
    pool.waiters.wakeNext(wanted.site.key)
    if (destination) pool.waiters.wakeNext(destination.site)
  }
}

/** The name of the limit that delays a connection, and until when. */
type ActiveThrottle = { name: string; info: ThrottleInfo }

async function requestLease(pool: Pool, wanted: Wanted, destination: Target | undefined): Promise<LeaseResult> {
  const { site, deadline } = wanted
  const target = { egress: pool.network.egress.name, site: site.key, limits: site.limits }
  let active = findThrottled(pool, destination ? [site.key, destination.site] : [site.key])
  for (;;) {
    const freed = takeIdle(pool, wanted)
    if (freed) return { kind: 'connection', connection: freed, failures: [] }
    if (active === undefined) {
      const answer = await pool.network.rateLimiter.lease(target, destination)
      if (answer.kind === 'lease') return answer
      const name = answer.of === 'destination' && destination ? destination.site : site.key
      active = { name, info: { throttle: answer, retryAt: performance.now() + retryDelayMs(answer) } }
      continue
    }
    const { name, info } = active
    const isFreed = info.throttle.why === 'connections' && freeLease(pool, name)
    if (!isFreed && info.retryAt >= deadline) return { kind: 'throttled', throttle: info.throttle }
    await pool.waiters.wait(name, info, Math.max(0, deadline - performance.now()))
    if (performance.now() >= deadline) return takeIdleOrThrottle(pool, wanted, info.throttle)
    active = undefined
  }
}

function findThrottled({ waiters }: Pool, names: string[]): ActiveThrottle | undefined {
  for (const name of names) {
    const info = waiters.findThrottle(name)
    if (info) return { name, info }
  }
  return undefined
}

function takeIdleOrThrottle(pool: Pool, wanted: Wanted, throttle: Throttle): LeaseResult {
  const connection = takeIdle(pool, wanted)
  return connection ? { kind: 'connection', connection, failures: [] } : { kind: 'throttled', throttle }
}

function retryDelayMs({ why, retryAfterMs }: Throttle): number {
  return why === 'connections' ? Math.max(retryAfterMs, RETRY_LEASE_MS) : retryAfterMs
}

/** Whether a connection that counts against the limit is being closed. If none is, closes an idle one, whose lease is needed here. */
function freeLease(pool: Pool, name: string): boolean {
  if ([...pool.ending.values()].some((names) => names.includes(name))) return true
  const other = pool.idle.takeOldest(name)
  if (other) void closeConnection(pool, other)
  return other !== undefined
}

type Dialing = { route: Route; first: HostAddress; lease: Lease }

/**
 * Connects to the first address that accepts the connection. The site's lease is kept, and each destination's lease until the next
 * address is tried.
 */
async function dialRoute(network: Network, { site, deadline }: Wanted, dialing: Dialing): Promise<AcquireResult> {
  const { route, first, lease } = dialing
  let { destination } = lease
  for (let address: HostAddress | undefined = first; address !== undefined; address = await route.next()) {
    if (address !== first) {
      await destination?.release({ refused: 0 })
      const next = address.destination && (await network.rateLimiter.lease(address.destination))
      if (next?.kind === 'throttle') {
        await lease.release({ refused: 0 })
        return { kind: 'throttled', throttle: next }
      }
      destination = next
    }
    const wanted = { site, address, lease: joinLeases(lease, destination), deadline, hostsLeft: route.hostsLeft() }
    let opened = await openConnection(network, wanted)
    if (opened.kind === 'disconnected' && opened.disconnect.why === 'tls_failed')
      opened = await openConnection(network, wanted)
    if (opened.kind === 'connection') return { ...opened, failures: route.failures }
    route.recordFailure(opened)
  }
  await joinLeases(lease, destination).release({ refused: 0 })
  return { kind: 'failed', failures: route.failures }
}

/** One connection counts against both leases. */
function joinLeases(site: Lease, destination: Lease | undefined): Lease {
  if (destination === undefined) return site
  return {
    kind: 'lease',
    errorsMax: Math.min(site.errorsMax, destination.errorsMax),
    release: async (report) => void (await Promise.all([site.release(report), destination.release(report)])),
  }
}

/** Connections that no probe uses, by site. */
type IdleConnections = {
  /** Keeps a connection for some time, and passes it to `expire` if it was not taken by then. */
  put(connection: SmtpConnection, forMs: number, expire: (connection: SmtpConnection) => void): void
  /** A connection to one of the site's hosts. */
  take(site: Site, except: ReadonlySet<string>): SmtpConnection | undefined
  /** The longest idle connection that counts against the limits of this name, of a site or a destination. */
  takeOldest(name: string): SmtpConnection | undefined
  takeAll(): SmtpConnection[]
}

type Entry = { connection: SmtpConnection; timer: NodeJS.Timeout }

function createIdleConnections(): IdleConnections {
  const idle = new Map<string, Entry[]>()

  function takeEntry(siteKey: string, isWanted: (entry: Entry) => boolean): SmtpConnection | undefined {
    const entries = idle.get(siteKey) ?? []
    const at = entries.findIndex(isWanted)
    const [entry] = at === -1 ? [] : entries.splice(at, 1)
    if (entries.length === 0) idle.delete(siteKey)
    clearTimeout(entry?.timer)
    return entry?.connection
  }

  return {
    put(connection, forMs, expire) {
      const timer = setTimeout(() => {
        takeEntry(connection.site.key, (entry) => entry.connection === connection)
        expire(connection)
      }, forMs)
      timer.unref()
      idle.set(connection.site.key, [...(idle.get(connection.site.key) ?? []), { connection, timer }])
    },
    take(site, except) {
      const names = new Set(site.hosts.map(({ name }) => name))
      return takeEntry(site.key, ({ connection }) => names.has(connection.host) && !except.has(connection.host))
    },
    takeOldest(name) {
      const isThere = ({ connection }: Entry) => connection.destination === name
      const [site = name] = [...idle].find(([, entries]) => entries.some(isThere)) ?? []
      return takeEntry(name, () => true) ?? takeEntry(site, isThere)
    },
    takeAll() {
      const entries = [...idle.values()].flat()
      idle.clear()
      for (const { timer } of entries) clearTimeout(timer)
      return entries.map(({ connection }) => connection)
    },
  }
}
