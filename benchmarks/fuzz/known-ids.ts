import { PAGE } from './environment.ts'
import type { Choose } from './examples.ts'
import { type Operation, WILDCARD } from './operations.ts'

type Params = Record<string, string>

/** Ids found in responses, so that later requests use existing objects. */
export type KnownIds = {
  /** Reads ids from a 2xx response to an operation with these parameters. */
  learn(operation: Operation, params: Params, body: unknown): void
  /** Forgets the ids that a response has shown to be deleted. */
  forget(params: Params): void
  paramsFor(operation: Operation, choose: Choose): Params
  /** A value for a field with the name of an id, such as `upload_id`. */
  valueFor(field: string, choose: Choose): string | undefined
}

/** Old ids are removed first: most of their objects have been deleted. */
const KEPT_MAX = 20

/** `protectedIds` are never used: a run that revokes its own key can test nothing more. */
export function openKnownIds(operations: Operation[], protectedIds: ReadonlySet<string>): KnownIds {
  const sets = new Map<string, Params[]>()
  const values = new Map<string, string[]>()
  const collections = new Map<string, { template: string; param: string }>()
  for (const { template } of operations) {
    const [, collection = '', param = ''] = /^(.*)\/\{(\w+)\}$/.exec(template) ?? []
    if (param !== '') collections.set(collection, { template, param })
  }

  function keep<T>(map: Map<string, T[]>, name: string, one: T): void {
    const kept = map.get(name) ?? []
    kept.push(one)
    if (kept.length > KEPT_MAX) kept.shift()
    map.set(name, kept)
  }

  return {
    learn({ template }, params, body) {
      const collection = collections.get(template)
      for (const one of objectsIn(body)) {
        for (const [field, value] of Object.entries(one)) {
          if (/_id$|Id$/.test(field) && typeof value === 'string') keep(values, field, value)
        }
        if (collection === undefined) continue
        const { param } = collection
        const id = one[param] ?? (param.endsWith('_id') ? one['id'] : undefined) ?? one['name']
        if (id === undefined || protectedIds.has(String(id))) continue
        keep(sets, collection.template, { ...params, [param]: String(id) })
        keep(values, param, String(id))
      }
    },
    forget(params) {
      const gone = Object.values(params)
      for (const [name, kept] of sets) {
        sets.set(
          name,
          kept.filter((one) => !Object.values(one).some((id) => gone.includes(id))),
        )
      }
      for (const [name, kept] of values) {
        values.set(
          name,
          kept.filter((id) => !gone.includes(id)),
        )
      }
    },
    paramsFor({ template, params }, choose) {
      const last = template.lastIndexOf('}') + 1
      const chosen = pick(sets.get(template.slice(0, last)), choose)
      const placeholder = (name: string) => (name === WILDCARD ? PAGE : '0198f2c9-1c44-7d03-b7a5-2f6f4e8d9a10')
      const fallback = (name: string) => values.get(name)?.at(-1) ?? placeholder(name)
      return Object.fromEntries(params.map((name) => [name, chosen?.[name] ?? fallback(name)]))
    },
    valueFor(field, choose) {
      return pick(values.get(field), choose)
    },
  }
}

/** Mostly the newest id: it is the least likely to have been deleted. */
function pick<T>(known: T[] = [], choose: Choose): T | undefined {
  return choose(3) > 0 ? known.at(-1) : known[choose(Math.max(1, known.length))]
}

/** The objects of a response: itself, the items of a list, and the items of lists in its fields. */
function objectsIn(body: unknown): Record<string, unknown>[] {
  if (Array.isArray(body)) return body.filter((one) => typeof one === 'object' && one !== null)
  if (typeof body !== 'object' || body === null) return []
  const lists = Object.values(body).filter(Array.isArray).flat()
  return [body, ...lists.filter((one) => typeof one === 'object' && one !== null)] as Record<string, unknown>[]
}
