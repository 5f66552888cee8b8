import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Who does what is done, for the audit log. `account` is the one that a member or a key works in: what is done to another's rows is not
 * theirs. `nobody` is somebody who is not signed in.
 */
export type Actor =
  | { kind: 'member'; id: string; name: string; ip: string; account?: string }
  | { kind: 'key'; id: string; name: string; ip: string; account: string }
  | { kind: 'operator'; id: string; name: string; ip: string }
  | { kind: 'command'; name: string; ip: string }
  | { kind: 'nobody'; ip: string }

const actors = new AsyncLocalStorage<Actor>()

/**
 * Every transaction that is begun in `work`, however deep, says who began it. Not an argument: the triggers that write the log are meant
 * to need nothing of whoever changes a row, and a route that forgot to name somebody would be the one that is looked for.
 */
export function actAs<T>(actor: Actor, work: () => T): T {
  return actors.run(actor, work)
}

/** As it is told to the database; nothing where the service works by itself. */
export function currentActor(): string {
  const actor = actors.getStore()
  return actor === undefined ? '' : JSON.stringify(actor)
}
