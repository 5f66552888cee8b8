import { setTimeout as sleep } from 'node:timers/promises'
import { type FreeLines, openFreeLines } from './free-lines.ts'
import type { Line, Site } from './line.ts'
import { type LineNetwork, type NoLine, openLine } from './open-line.ts'
import type { Hold, Lease, Pace } from './pace.ts'
import { isWorthKeeping } from './room.ts'

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

/** More hosts than this are not tried for one question: who has two that do not answer hardly has a third that does. */
const HOSTS_MAX = 3

/** A question's time may be up in mid-sentence; QUIT is said all the same. */
const LAST_WORDS_MS = 200
/** How long somebody who waits for leave goes without looking for a free line. */
const LOOK_AGAIN_MS = 50

type Network = LineNetwork & { pace: Pace }

type Pool = {
  network: Network
  free: FreeLines
  /** Lines that are about to end, with the sites they led to. */
  ending: Map<Promise<void>, string>
}

export function openLines(network: Network): Lines {
  const pool: Pool = { network, free: openFreeLines(), ending: new Map() }
  let closed = false
  return {
    async take(wanted) {
      const found = takeFree(pool, wanted)
      if (found) return { kind: 'line', line: found }
      const leave = await waitForLeave(pool, wanted)
      return leave.kind === 'lease' ? dialInTurn(network, wanted, leave) : leave
    },
    giveBack(line) {
      const isOld = performance.now() - line.openedAt > network.patience.lineMs / 2
      if (closed || isOld || !isWorthKeeping(line)) void hangUp(pool, line)
      else pool.free.put(line, network.patience.idleMs, (unwanted) => void hangUp(pool, unwanted))
    },
    hangUp: (line, deadline) => void hangUp(pool, line, deadline),
    async close() {
      closed = true
      for (const line of pool.free.takeAll()) void hangUp(pool, line)
      await Promise.all(pool.ending.keys())
    },
  }
}

function hangUp({ network, ending }: Pool, line: Line, deadline = Number.POSITIVE_INFINITY): Promise<void> {
  const end = Math.min(performance.now() + network.patience.quitMs, deadline + LAST_WORDS_MS)
  const ended = line.wire
    .quit(end)
    .then(() => line.lease.release({ refused: line.refused }))
    .finally(() => ending.delete(ended))
  ending.set(ended, line.site.key)
  return ended
}

function takeFree(pool: Pool, wanted: Wanted): Line | undefined {
  const line = pool.free.take(wanted.site, wanted.except)
  if (line === undefined || !line.wire.isOver()) return line
  void hangUp(pool, line) // the server has left meanwhile
  return takeFree(pool, wanted)
}

/** Waits for leave as long as it may come in time, or for a line that somebody else of this process has done with. */
async function waitForLeave(pool: Pool, wanted: Wanted): Promise<Lease | Exclude<Taken, { kind: 'no_line' }>> {
  const { site, deadline } = wanted
  const { pace, egress } = pool.network
  for (;;) {
    const answer = await pace.lease({ egress: egress.name, site: site.key, habits: site.habits })
    if (answer.kind === 'lease') return answer
    const freed = takeFree(pool, wanted)
    if (freed) return { kind: 'line', line: freed }

    const leaving = answer.why === 'connections' ? findLeaving(pool, site.key) : undefined
    if (leaving) await before(deadline, leaving)
    const askAgainAt = performance.now() + (leaving ? 0 : answer.retryAfterMs)
    if (askAgainAt >= deadline) return { kind: 'held', hold: answer }
    const line = await waitForFree(pool, wanted, askAgainAt)
    if (line) return { kind: 'line', line }
  }
}

/** A line of the site that is about to give its lease back. A free one to another host holds a lease that is of more use here. */
function findLeaving(pool: Pool, siteKey: string): Promise<void> | undefined {
  for (const [ended, key] of pool.ending) if (key === siteKey) return ended
  const other = pool.free.takeOldest(siteKey)
  return other && hangUp(pool, other)
}

async function before(deadline: number, work: Promise<void>): Promise<void> {
  const timer = new AbortController()
  const timeUp = sleep(Math.max(0, deadline - performance.now()), undefined, { signal: timer.signal })
  await Promise.race([work, timeUp]).finally(() => timer.abort())
}

async function waitForFree(pool: Pool, wanted: Wanted, until: number): Promise<Line | undefined> {
  for (;;) {
    const line = takeFree(pool, wanted)
    const leftMs = until - performance.now()
    if (line || leftMs <= 0) return line
    await sleep(Math.min(leftMs, LOOK_AGAIN_MS))
  }
}

/** RFC 5321 §5.1: hosts in the order of their preference; the next one where the first cannot be had or will not talk now. */
async function dialInTurn(network: LineNetwork, { site, except, deadline }: Wanted, lease: Lease): Promise<Taken> {
  const tries: NoLine[] = []
  for (const { name } of site.hosts.filter((host) => !except.has(host.name)).slice(0, HOSTS_MAX)) {
    const wanted = { site, host: name, lease, deadline }
    let opened = await openLine(network, wanted)
    if (opened.kind === 'broke' && opened.broke.why === 'tls_failed') opened = await openLine(network, wanted)
    if (opened.kind === 'line') return opened
    tries.push(opened)
  }
  await lease.release({ refused: 0 })
  return { kind: 'no_line', tries }
}
