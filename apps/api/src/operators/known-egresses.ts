import type { Process } from '@probity/database/system/processes'
import Type from 'typebox'
import Value from 'typebox/value'
import { isLive } from './describe-processes.ts'

const Text = Type.Union([Type.String(), Type.Null()])

/** What a worker says of itself, as far as it is looked at here. One of another version may say less. */
const WorkerFacts = Type.Object({
  egresses: Type.Array(Type.Object({ name: Type.String(), helo: Type.String(), address: Text, proxy: Text })),
  habits: Type.Record(Type.String(), Type.Object({ connections: Type.Number(), per_minute: Type.Number() })),
})

export type KnownEgress = { name: string; helo: string; address: string | null; proxy: string | null; workers: number }
export type KnownHabits = Record<string, { connections: number; per_minute: number }>

/** The ways out of the workers that live, and what they know of providers. */
export function readWorkers(processes: Process[], now = Date.now()): { egresses: KnownEgress[]; habits: KnownHabits } {
  const workers = processes.filter((one) => one.kind === 'worker' && isLive(one, now))
  const facts = workers.flatMap(({ facts: said }) => (Value.Check(WorkerFacts, said) ? [said] : []))
  const egresses = new Map<string, KnownEgress>()
  for (const egress of facts.flatMap((said) => said.egresses)) {
    egresses.set(egress.name, { ...egress, workers: (egresses.get(egress.name)?.workers ?? 0) + 1 })
  }
  return { egresses: [...egresses.values()], habits: facts.at(-1)?.habits ?? {} }
}
