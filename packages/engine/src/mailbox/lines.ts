import { type DestinationNetwork, type Destinations, openDestinations, type Stop } from './destination.ts'
import { type FreeLines, openFreeLines } from './free-lines.ts'
import type { Line, Site } from './line.ts'
import { type LineNetwork, type NoLine, openLine } from './open-line.ts'
import type { Hold, Lease, Pace, Target } from './pace.ts'
import { isWorthKeeping } from './room.ts'
import { openRoute, type Route } from './route.ts'
import { openWaitingRoom, type Told, type WaitingRoom } from './waiting-room.ts'

/** A line to one of the site's hosts, but not to those that were tried. */
type Wanted = { site: Site; except: Set<string>; deadline: number }

/** The open lines of this process. A line that is free waits a moment for more work of its site before it is given up. */
export type Lines = {
  /** A free line, or a new one to the first host that gives one. */
  take(wanted: Wanted): Promise<Taken>
  /** Gives a line back, for others to use if it is still good for something. */
  giveBack(line: Line): void
  /** Ends a line that is no longer wanted, within a moment of the deadline at the latest. */
  hangUp(line: Line, deadline?: number): void
  /** Ends all that are free. Lines in use end when they are given back. */
  close(): Promise<void>
}

export type Taken =
  | { kind: 'line'; line: Line }
  /** We must not ask now, however much we want to. */
  | { kind: 'held'; hold: Hold }
  /** No host of the site would have us; why, for each in turn. */
  | { kind: 'no_line'; tries: NoLine[] }

/** A question's time may be up in mid-sentence; QUIT is said all the same. */
const LAST_WORDS_MS = 200
/** How often leave is asked for at most while others have all the lines. Those of other processes end without a word to us. */
const ASK_AGAIN_MS = 50

type Network = LineNetwork & DestinationNetwork & { pace: Pace }

type Pool = {
  network: Network
  destinations: Destinations
  free: FreeLines
  /** Lines that are about to end, with the names of the limits they count against. */
  ending: Map<Promise<void>, string[]>
  waiting: WaitingRoom
}

export function openLines(network: Network): Lines {
  const destinations = openDestinations(network)
  const pool: Pool = { network, destinations, free: openFreeLines(), ending: new Map(), waiting: openWaitingRoom() }
  let closed = false
  return {
    async take(wanted) {
      const found = takeFree(pool, wanted)
      if (found) return { kind: 'line', line: found }
      const route = openRouteTo(pool, wanted)
      const first = await route.next()
      if (first === undefined) return { kind: 'no_line', tries: route.tries }
      const leave = await waitForLeave(pool, wanted, first.destination)
      return leave.kind === 'lease' ? dialInTurn(network, wanted, { route, first, lease: leave }) : leave
    },
    giveBack(line) {
      const isOld = performance.now() - line.openedAt > network.patience.lineMs / 2
      if (closed || isOld || !isWorthKeeping(line)) {
        void hangUp(pool, line)
      } else {
        pool.free.put(line, network.patience.idleMs, (unwanted) => void hangUp(pool, unwanted))
        for (const name of limitsOf(line)) pool.waiting.call(name)
      }
    },
    hangUp: (line, deadline) => void hangUp(pool, line, deadline),
    async close() {
      closed = true
      for (const line of pool.free.takeAll()) void hangUp(pool, line)
      await Promise.all(pool.ending.keys())
    },
  }
}

function hangUp({ network, ending, waiting }: Pool, line: Line, deadline = Number.POSITIVE_INFINITY): Promise<void> {
  const end = Math.min(performance.now() + network.patience.quitMs, deadline + LAST_WORDS_MS)
  const ended = line.wire
    .quit(end)
    .then(() => line.lease.release({ refused: line.refused }))
    .finally(() => {
      ending.delete(ended)
      for (const name of limitsOf(line)) waiting.call(name)
    })
  ending.set(ended, limitsOf(line))
  return ended
}

/** The names of the limits that a line counts against. */
function limitsOf({ site, destination }: Line): string[] {
  return destination === null ? [site.key] : [site.key, destination]
}

function openRouteTo({ network, destinations }: Pool, { site, except, deadline }: Wanted): Route {
  const { dns, policy, egress } = network
  return openRoute({ site, except, dialling: { dns, policy, egress, deadline }, destinations })
}

function takeFree(pool: Pool, wanted: Wanted): Line | undefined {
  const line = pool.free.take(wanted.site, wanted.except)
  if (line === undefined || !line.wire.isOver()) return line
  void hangUp(pool, line) // the server has left meanwhile
  return takeFree(pool, wanted)
}

type Leave = Lease | Exclude<Taken, { kind: 'no_line' }>

/**
 * Waits for leave as long as it may come in time, or for a line that somebody else of this process has done with. One asks for all who wait for
 * the site, and whoever leaves calls the next: a hundred who ask by themselves would keep the pace busy with saying no.
 */
async function waitForLeave(pool: Pool, wanted: Wanted, destination: Target | undefined): Promise<Leave> {
  try {
    return await askInTurn(pool, wanted, destination)
  } finally {
    pool.waiting.call(wanted.site.key)
    if (destination) pool.waiting.call(destination.site)
  }
}

/** The limit that holds a connection up, by its name, and the hold. */
type HeldBy = { name: string; told: Told }

async function askInTurn(pool: Pool, wanted: Wanted, destination: Target | undefined): Promise<Leave> {
  const { site, deadline } = wanted
  const target = { egress: pool.network.egress.name, site: site.key, habits: site.habits }
  let held = findHeld(pool, destination ? [site.key, destination.site] : [site.key])
  for (;;) {
    const freed = takeFree(pool, wanted)
    if (freed) return { kind: 'line', line: freed }
    if (held === undefined) {
      const answer = await pool.network.pace.lease(target, destination)
      if (answer.kind === 'lease') return answer
      const name = answer.of === 'destination' && destination ? destination.site : site.key
      held = { name, told: { hold: answer, askAgainAt: performance.now() + askAgainMs(answer) } }
      continue
    }
    const { name, told } = held
    const isLeaving = told.hold.why === 'connections' && makeRoom(pool, name)
    if (!isLeaving && told.askAgainAt >= deadline) return { kind: 'held', hold: told.hold }
    await pool.waiting.wait(name, told, Math.max(0, deadline - performance.now()))
    if (performance.now() >= deadline) return takeFreeOrHold(pool, wanted, told.hold)
    held = undefined
  }
}

function findHeld({ waiting }: Pool, names: string[]): HeldBy | undefined {
  for (const name of names) {
    const told = waiting.told(name)
    if (told) return { name, told }
  }
  return undefined
}

function takeFreeOrHold(pool: Pool, wanted: Wanted, hold: Hold): Leave {
  const line = takeFree(pool, wanted)
  return line ? { kind: 'line', line } : { kind: 'held', hold }
}

function askAgainMs({ why, retryAfterMs }: Hold): number {
  return why === 'connections' ? Math.max(retryAfterMs, ASK_AGAIN_MS) : retryAfterMs
}

/** Whether a line that counts against the limit is about to end. A free one to another host holds a lease that is of more use here. */
function makeRoom(pool: Pool, name: string): boolean {
  if ([...pool.ending.values()].some((names) => names.includes(name))) return true
  const other = pool.free.takeOldest(name)
  if (other) void hangUp(pool, other)
  return other !== undefined
}

type Departure = { route: Route; first: Stop; lease: Lease }

/** Connects to the first address that accepts us. The site's lease is kept on the way, each destination's until the next one is tried. */
async function dialInTurn(network: Network, { site, deadline }: Wanted, departure: Departure): Promise<Taken> {
  const { route, first, lease } = departure
  let { destination } = lease
  for (let stop: Stop | undefined = first; stop !== undefined; stop = await route.next()) {
    if (stop !== first) {
      await destination?.release({ refused: 0 })
      const next = stop.destination && (await network.pace.lease(stop.destination))
      if (next?.kind === 'hold') {
        await lease.release({ refused: 0 })
        return { kind: 'held', hold: next }
      }
      destination = next
    }
    const wanted = { site, stop, lease: joinLeases(lease, destination), deadline }
    let opened = await openLine(network, wanted)
    if (opened.kind === 'broke' && opened.broke.why === 'tls_failed') opened = await openLine(network, wanted)
    if (opened.kind === 'line') return opened
    route.note(opened)
  }
  await joinLeases(lease, destination).release({ refused: 0 })
  return { kind: 'no_line', tries: route.tries }
}

/** One connection counts against both. */
function joinLeases(site: Lease, destination: Lease | undefined): Lease {
  if (destination === undefined) return site
  return {
    kind: 'lease',
    errorsMax: Math.min(site.errorsMax, destination.errorsMax),
    release: async (report) => void (await Promise.all([site.release(report), destination.release(report)])),
  }
}
