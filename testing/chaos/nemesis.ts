import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '@probity/lab/simulation/random'

/** The processes that can be killed and restarted, or paused and continued. */
export type Victim = { kill(): Promise<void>; revive(): Promise<void>; freeze(): void; thaw(): void }

export type VictimName = 'api' | 'worker_1' | 'worker_2' | 'redis' | 'postgres'
export type Victims = Record<VictimName, Victim> & { redis: { flush(): Promise<void> } }

type Blow =
  | { how: 'kill' | 'flush'; times: number }
  | { how: 'freeze'; times: number; ms: [least: number, most: number] }

/** Twice the heartbeat timeout: the worker continues with batches that others have settled meanwhile. */
const LONG_FREEZE: Blow = { how: 'freeze', times: 1, ms: [20_000, 22_000] }
const WORKER_BLOWS: Blow[] = [{ how: 'kill', times: 2 }, LONG_FREEZE]

/** The faults of each victim, all of which occur before any is repeated. */
const BLOWS: Record<VictimName, Blow[]> = {
  api: [{ how: 'kill', times: 3 }],
  worker_1: [...WORKER_BLOWS, { how: 'freeze', times: 1, ms: [300, 3_000] }],
  worker_2: WORKER_BLOWS,
  redis: [
    { how: 'kill', times: 2 },
    { how: 'flush', times: 3 },
    { how: 'freeze', times: 1, ms: [300, 3_000] },
  ],
  postgres: [
    { how: 'kill', times: 3 },
    { how: 'freeze', times: 1, ms: [300, 2_000] },
  ],
}

const PAUSE_MS = { least: 300, most: 1_800 }
const DOWN_MS = 1_000
const REVIVALS_MAX = 5

/** Single faults of reserved victims. `kill` also starts the victim again. */
type Faults = {
  kill(name: VictimName): Promise<void>
  freeze(name: VictimName): void
  thaw(name: VictimName): void
}

export type Nemesis = {
  /** Injects faults at random moments from now on, one victim after the other. */
  roam(): void
  /** Kills one of them now, or a moment later, and starts it again. A victim that is already down is skipped. */
  killSoon(name: VictimName, withinMs: number): Promise<void>
  /**
   * Waits until these are up and keeps all other faults away from them until `work` has ended. Not started after `end`.
   */
  reserve(names: VictimName[], work: (faults: Faults) => Promise<void>): Promise<void>
  /** The number of injected faults by name. */
  counts(): Record<string, number>
  /** Injects no further fault, and waits until all processes run again. */
  end(): Promise<void>
}

/** Injects faults, both planned ones and random ones by a seed. */
export function openNemesis(victims: Victims, { random, faultsMax }: { random: Random; faultsMax: number }): Nemesis {
  const counts: Record<string, number> = {}
  const busy = new Map<VictimName, Promise<void>>()
  const ending = new AbortController()
  let failure: unknown

  const count = (name: VictimName, how: Blow['how']) => {
    const kind = `${how}_${name.replace(/_\d$/, '')}`
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  const strike = (name: VictimName, blow: Blow): Promise<void> => {
    count(name, blow.how)
    const done = deal(victims, name, blow, random)
      .catch((error: unknown) => {
        failure = error
      })
      .finally(() => busy.delete(name))
    busy.set(name, done)
    return done
  }
  const roam = async () => {
    let plan: Choice[] = []
    for (let faults = 0; faults < faultsMax; ) {
      await sleep(PAUSE_MS.least + random.below(PAUSE_MS.most - PAUSE_MS.least), undefined, { signal: ending.signal })
      if (plan.length === 0) plan = planBlows(random)
      const next = plan.findIndex(({ name }) => !busy.has(name))
      const [chosen] = next < 0 ? [] : plan.splice(next, 1)
      if (chosen === undefined) continue // the remaining ones are already down
      faults += 1
      void strike(chosen.name, chosen.blow)
    }
  }
  let roaming: Promise<void> | undefined

  return {
    roam() {
      roaming ??= roam().catch(() => {}) // told to end
    },
    async killSoon(name, withinMs) {
      await sleep(random.below(withinMs + 1))
      if (!busy.has(name) && !ending.signal.aborted) await strike(name, { how: 'kill', times: 1 })
    },
    async reserve(names, work) {
      while (names.some((name) => busy.has(name))) await Promise.all(names.map((name) => busy.get(name)))
      if (ending.signal.aborted) return
      const done = work({
        async kill(name) {
          count(name, 'kill')
          await deal(victims, name, { how: 'kill', times: 1 }, random)
        },
        freeze(name) {
          count(name, 'freeze')
          victims[name].freeze()
        },
        thaw: (name) => victims[name].thaw(),
      })
        .catch((error: unknown) => {
          failure = error
        })
        .finally(() => names.map((name) => busy.delete(name)))
      for (const name of names) busy.set(name, done)
      await done
    },
    counts: () => ({ ...counts }),
    async end() {
      ending.abort()
      await roaming
      await Promise.all(busy.values())
      if (failure !== undefined) throw new Error('a victim did not come back', { cause: failure })
    },
  }
}

type Choice = { name: VictimName; blow: Blow }

/** All faults in random order, so that none is omitted for long. */
function planBlows(random: Random): Choice[] {
  const plan = (Object.keys(BLOWS) as VictimName[]).flatMap((name) =>
    BLOWS[name].flatMap((blow) => Array.from({ length: blow.times }, () => ({ name, blow }))),
  )
  random.shuffle(plan)
  return plan
}

async function deal(victims: Victims, name: VictimName, blow: Blow, random: Random): Promise<void> {
  const victim = victims[name]
  switch (blow.how) {
    case 'kill':
      await victim.kill()
      await sleep(random.below(DOWN_MS))
      await revive(victim)
      return
    case 'flush':
      await victims.redis.flush()
      return
    case 'freeze': {
      const [least, most] = blow.ms
      victim.freeze()
      await sleep(least + random.below(most - least))
      victim.thaw()
    }
  }
}

/** On a busy machine the recovery of a server may exceed its first timeout. */
async function revive(victim: Victim): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await victim.revive()
    } catch (error) {
      if (tries === REVIVALS_MAX) throw error
      await victim.kill()
    }
  }
}
