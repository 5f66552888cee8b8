import { type FreeLines, openFreeLines } from './free-lines.ts'
import type { Line, Site } from './line.ts'
import { type LineNetwork, type NoLine, openLine } from './open-line.ts'
import type { Hold, Lease, Pace } from './pace.ts'
import { isWorthKeeping } from './room.ts'
import { openWaitingRoom, type WaitingRoom } from './waiting-room.ts'

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
/** How often leave is asked for at most while others have all the lines. Those of other processes end without a word to us. */
const ASK_AGAIN_MS = 50

type Network = LineNetwork & { pace: Pace }

type Pool = {
  network: Network
  free: FreeLines
  /** Lines that are about to end, with the sites they led to. */
  ending: Map<Promise<void>, string>
  waiting: WaitingRoom
}

export function openLines(network: Network): Lines {
  const pool: Pool = { network, free: openFreeLines(), ending: new Map(), waiting: openWaitingRoom() }
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
      if (closed || isOld || !isWorthKeeping(line)) {
        void hangUp(pool, line)
      } else {
        pool.free.put(line, network.patience.idleMs, (unwanted) => void hangUp(pool, unwanted))
        pool.waiting.call(line.site.key)
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
      waiting.call(line.site.key)
    })
  ending.set(ended, line.site.key)
  return ended
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
async function waitForLeave(pool: Pool, wanted: Wanted): Promise<Leave> {
  try {
    return await askInTurn(pool, wanted)
  } finally {
    pool.waiting.call(wanted.site.key)
  }
}

async function askInTurn(pool: Pool, wanted: Wanted): Promise<Leave> {
  const { site, deadline } = wanted
  let told = pool.waiting.told(site.key)
  for (;;) {
    if (told === undefined) {
      const answer = await pool.network.pace.lease({
        egress: pool.network.egress.name,
        site: site.key,
        habits: site.habits,
      })
      if (answer.kind === 'lease') return answer
      const freed = takeFree(pool, wanted)
      if (freed) return { kind: 'line', line: freed }
      told = { hold: answer, askAgainAt: performance.now() + askAgainMs(answer) }
    }
    const { hold, askAgainAt } = told
    const isLeaving = hold.why === 'connections' && makeRoom(pool, site.key)
    if (!isLeaving && askAgainAt >= deadline) return { kind: 'held', hold }
    await pool.waiting.wait(site.key, told, Math.max(0, deadline - performance.now()))
    const line = takeFree(pool, wanted)
    if (line) return { kind: 'line', line }
    if (performance.now() >= deadline) return { kind: 'held', hold }
    told = undefined
  }
}

function askAgainMs({ why, retryAfterMs }: Hold): number {
  return why === 'connections' ? Math.max(retryAfterMs, ASK_AGAIN_MS) : retryAfterMs
}

/** Whether a line of the site is about to give its lease back. A free one to another host holds a lease that is of more use here. */
function makeRoom(pool: Pool, siteKey: string): boolean {
  if ([...pool.ending.values()].includes(siteKey)) return true
  const other = pool.free.takeOldest(siteKey)
  if (other) void hangUp(pool, other)
  return other !== undefined
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
