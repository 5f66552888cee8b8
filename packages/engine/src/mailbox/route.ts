import type { Destinations, Stop } from './destination.ts'
import { type Dialling, resolveHost } from './dial.ts'
import type { Site } from './line.ts'
import type { NoLine } from './open-line.ts'

/** The addresses of a site's hosts, resolved one host at a time and only when it is needed. */
export type Route = {
  /** The next address; undefined when all hosts were tried. */
  next(): Promise<Stop | undefined>
  /** Why a stop gave no connection. A host that answered is not tried at its other address. */
  note(failure: NoLine): void
  /** Why each host in turn gave no connection. */
  tries: NoLine[]
}

/** More hosts than this are not tried for one question: a site with two that do not answer hardly has a third that does. */
const HOSTS_MAX = 3

type RouteOptions = { site: Site; except: Set<string>; dialling: Dialling; destinations: Destinations }

/** RFC 5321 §5.1: hosts in the order of their preference; the next one where the first is unavailable or does not accept connections. */
export function openRoute({ site, except, dialling, destinations }: RouteOptions): Route {
  const hosts = site.hosts.map(({ name }) => name).filter((name) => !except.has(name))
  const waiting = hosts.slice(0, HOSTS_MAX)
  const tries: NoLine[] = []
  let current = { host: '', addresses: [] as string[] }

  async function nextHost(): Promise<boolean> {
    const host = waiting.shift()
    if (host === undefined) return false
    const addresses = await resolveHost(host, dialling)
    if (!Array.isArray(addresses)) tries.push({ kind: 'not_dialled', host, failure: addresses.failure })
    current = { host, addresses: Array.isArray(addresses) ? addresses : [] }
    return true
  }

  return {
    async next() {
      while (current.addresses.length === 0) if (!(await nextHost())) return undefined
      const { host } = current
      const address = current.addresses.shift() ?? ''
      return { host, address, destination: await destinations.find({ site, host, address }) }
    },
    note(failure) {
      const isOver = failure.kind !== 'not_dialled' || current.addresses.length === 0
      if (!isOver) return
      current.addresses = []
      tries.push(failure)
    },
    tries,
  }
}
