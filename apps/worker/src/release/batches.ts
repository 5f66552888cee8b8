import type { BatchRef } from '@probity/database/batches'
import { releaseBatches } from '@probity/database/batches'
import type { BatchQueue } from '@probity/queue/batches'
import type { Services } from '../services.ts'
import { LOOK_EVERY_MS } from './glance.ts'
import { openOwnHands } from './own-hands.ts'
import { startRounds } from './rounds.ts'

type Work = (ref: BatchRef) => Promise<void>
type Hands = { queue: BatchQueue; work: Work; slots: number; isAside(): boolean }

/**
 * Lets batches out, as many as there is room for. They go through the queue to whoever is free; those that must leave by a
 * certain way out are ours to work, since we have it, unless we stand aside: then all go to others. What the queue does not take or loses is let out again seconds later.
 */
export function startReleasingBatches(services: Pick<Services, 'db' | 'log' | 'egresses' | 'glance'>, hands: Hands) {
  const { db, log, egresses, glance } = services
  const mine = openOwnHands(hands.slots, hands.work, log)
  const rounds = startRounds(
    LOOK_EVERY_MS,
    async () => {
      const isAside = hands.isAside()
      const released = await releaseBatches(db, isAside ? [] : egresses)
      const { own = [], others = [] } = Object.groupBy(released, ({ egress }) =>
        egress === null || isAside ? 'others' : 'own',
      )
      for (const { epoch: _, egress: __, ...ref } of own) mine.take(ref)
      const tasks = others.map(({ egress: _, ...task }) => task)
      if (tasks.length > 0) await hands.queue.add(tasks)
    },
    { log, name: 'letting batches out', isWanted: async () => (await glance()).batches },
  )
  return {
    hurry: () => rounds.hurry(),
    async stop() {
      await rounds.stop()
      await mine.finish()
    },
  }
}
