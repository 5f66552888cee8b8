import { type Component, nameOf } from './bill-of-materials.ts'

const AT_ONCE = 8
const ONE_MS = 20_000
const ALL_MS = 120_000
const DAY_MS = 24 * 60 * 60 * 1_000

/** The publish dates of the installed version and of the latest version of a package, and their ages in days. */
export type PublishAge = {
  name: string
  version: string
  published: string
  days: number
  last_published: string
  last_days: number
}
type Unanswered = { name: string; version: string; error: string }
type Told = { time?: Record<string, string> }

/**
 * Queries the registry for each package, a few at once and with a time limit. Packages without a response are listed
 * separately from old ones.
 */
export async function listPublishAges(
  registry: string,
  packages: Component[],
  now: number,
): Promise<{ ages: PublishAge[]; unanswered: Unanswered[] }> {
  const ages: PublishAge[] = []
  const unanswered: Unanswered[] = []
  const waiting = [...packages]
  const deadline = AbortSignal.timeout(ALL_MS)
  const ask = async () => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      const [name, version] = [nameOf(one), one.version]
      const times = await readTimes(registry, name, deadline)
      if (typeof times === 'string') unanswered.push({ name, version, error: times })
      else if (times[version] === undefined)
        unanswered.push({ name, version, error: 'the registry knows no such version' })
      else ages.push(ageOf(name, version, { times, now }))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, ask))
  return { ages: ages.toSorted((a, b) => a.days - b.days || (a.name < b.name ? -1 : 1)), unanswered }
}

async function readTimes(
  registry: string,
  name: string,
  deadline: AbortSignal,
): Promise<Record<string, string> | string> {
  const signal = AbortSignal.any([deadline, AbortSignal.timeout(ONE_MS)])
  try {
    const answer = await fetch(`${registry.replace(/\/$/, '')}/${name.replace('/', '%2f')}`, { signal })
    if (!answer.ok) return `the registry said ${answer.status}`
    const { time } = (await answer.json()) as Told
    return time ?? 'the registry gave no times'
  } catch (error) {
    return String(error)
  }
}

type Known = { times: Record<string, string>; now: number }

function ageOf(name: string, version: string, { times, now }: Known): PublishAge {
  const { created: _, modified: __, ...versions } = times
  const published = versions[version] ?? ''
  const last = Object.values(versions).toSorted().at(-1) ?? ''
  const daysSince = (at: string) => Math.floor((now - Date.parse(at)) / DAY_MS)
  return { name, version, published, days: daysSince(published), last_published: last, last_days: daysSince(last) }
}
