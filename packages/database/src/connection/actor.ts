import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * The actor of a transaction, for the audit log. `account` is the account of the member or key: changes to rows of other accounts are
 * not attributed to them. `unauthenticated` is a client without a key or session.
 */
export type Actor =
  | { kind: 'member'; id: string; name: string; ip: string; account?: string }
  | { kind: 'key'; id: string; name: string; ip: string; account: string }
  | { kind: 'operator'; id: string; name: string; ip: string }
  | { kind: 'command'; name: string; ip: string }
  | { kind: 'unauthenticated'; ip: string }

const actors = new AsyncLocalStorage<Actor>()

/**
 * Attaches the actor to every transaction that starts inside `work`. Asynchronous context instead of an argument: the triggers that write
 * the audit log then need no help from the code that changes a row, and no route can forget to pass the actor.
 */
export function actAs<T>(actor: Actor, work: () => T): T {
  return actors.run(actor, work)
}

/** The actor as JSON for the setting app.actor. Empty for changes that the service makes by itself. */
export function currentActor(): string {
  const actor = actors.getStore()
  return actor === undefined ? '' : JSON.stringify(actor)
}
