import type { Fault } from './fault.ts'
import { type Import, listImports } from './imports.ts'
import { isForTests, type Place, placeOf, placeOfImport } from './places.ts'
import type { Workspace } from './workspace.ts'

/**
 * The part of a package that another may import: all of it, its types, all of it from tests only, one folder, or its types and one folder
 * (from tests all of it).
 */
type Reach = 'all' | 'types' | 'tests' | `${string}/` | `types, ${string}/`

/**
 * The packages that each part may import. An import that is not listed is rejected, and so is a part without a row. `cli` imports the engine
 * to validate offline; `redis` imports it for the local rate limiter and the local store that replace Redis during an outage.
 */
const MAY_IMPORT: Record<string, Record<string, Reach>> = {
  contract: {},
  concurrency: {},
  engine: { contract: 'all', concurrency: 'all', lab: 'tests' },
  database: { contract: 'all', concurrency: 'all', lab: 'tests' },
  redis: { concurrency: 'all', engine: 'all', lab: 'tests' },
  uploads: { contract: 'all', engine: 'address/', settings: 'all', lab: 'tests' },
  settings: {},
  telemetry: { lab: 'tests' },
  doctor: { contract: 'all', engine: 'all', database: 'all', lab: 'tests' },
  email: { redis: 'all', lab: 'tests' },
  sdk: { contract: 'types' },
  lab: {},
  api: {
    contract: 'all',
    concurrency: 'all',
    engine: 'address/',
    database: 'all',
    redis: 'all',
    email: 'all',
    uploads: 'all',
    settings: 'all',
    telemetry: 'all',
    lab: 'tests',
  },
  worker: {
    contract: 'all',
    concurrency: 'all',
    engine: 'all',
    database: 'all',
    doctor: 'all',
    redis: 'all',
    email: 'all',
    uploads: 'all',
    settings: 'all',
    telemetry: 'all',
    lab: 'tests',
  },
  admin: {
    contract: 'all',
    engine: 'all',
    database: 'all',
    doctor: 'all',
    redis: 'all',
    uploads: 'all',
    settings: 'all',
    lab: 'tests',
  },
  web: { contract: 'types, constants/', sdk: 'all' },
  docs: {},
  cli: { contract: 'all', engine: 'all', sdk: 'all' },
  checks: {},
  model: { engine: 'address/' },
}

/** These programs start the whole system, so they may import every part of it. No part imports them. */
const WHOLE_SYSTEM = ['benchmarks', 'chaos', 'demo', 'deploy', 'e2e']

/** Published, and imported here in the same way as by its users. */
const HAS_ONE_DOOR = ['sdk']

export function listForbiddenImports({ sources }: Workspace): Fault[] {
  return sources.flatMap(({ path, tree }) =>
    listImports(tree).flatMap((imported) => {
      const message = judge(path, imported)
      return message === undefined ? [] : [{ path, line: imported.line, message }]
    }),
  )
}

function judge(path: string, imported: Import): string | undefined {
  const from = placeOf(path)
  if (from === undefined) return undefined
  const free = isForTests(path) || WHOLE_SYSTEM.includes(from.part)
  if (imported.specifier === undefined) {
    return free ? undefined : 'computes the path it imports, which no check can hold to the import table'
  }

  const to = placeOfImport(path, imported.specifier)
  if (from.part === 'contract' && from.inside.startsWith('constants/') && !isForTests(path)) {
    return judgeConstants(to, imported.specifier)
  }
  if (to === undefined) return undefined
  if (!free && isForTests(to.inside)) return `imports ${to.inside}, which is for tests only`
  if (to.part === from.part) return undefined
  return judgeParts(path, from, to, imported.typeOnly) ?? judgeSpelling(to, imported.specifier)
}

function judgeParts(path: string, from: Place, to: Place, typeOnly: boolean): string | undefined {
  if (WHOLE_SYSTEM.includes(from.part)) return undefined
  const row = MAY_IMPORT[from.part]
  if (row === undefined) return `${from.part} has no row in the import table`

  const reach = row[to.part]
  if (reach === undefined) return `${from.part} may not import ${to.part}`
  if (reach === 'types' && !typeOnly) return `${from.part} may import only types of ${to.part}, with "import type"`
  if (reach === 'tests' && !isForTests(path)) return `${from.part} may import ${to.part} only from tests`
  const [, folder] = /^types, (.+)$/.exec(reach) ?? []
  if (folder !== undefined) {
    if (typeOnly || isForTests(path) || to.inside.startsWith(folder)) return undefined
    return `${from.part} may import values only from ${folder} of ${to.part}, and types with "import type"`
  }
  if (reach.endsWith('/') && !to.inside.startsWith(reach)) return `${from.part} may import only ${reach} of ${to.part}`
  return undefined
}

/** The web app bundles `constants/`, so that folder imports neither TypeBox nor a file that does. Types are included. */
function judgeConstants(to: Place | undefined, specifier: string): string | undefined {
  if (to === undefined) return `constants/ of contract may not import ${specifier}: it has no dependencies`
  if (to.part === 'contract' && to.inside.startsWith('constants/')) return undefined
  return `constants/ of contract may not import ${to.part === 'contract' ? to.inside : to.part}`
}

/** A path into another part's folder bypasses the exports of that part and the dependencies in package.json. */
function judgeSpelling(to: Place, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return `imports ${to.part} by path: write @probity/${to.part}/${to.inside}`
  if (to.inside === '' && !HAS_ONE_DOOR.includes(to.part))
    return `imports ${to.part} as a whole: name the file, as in @probity/${to.part}/name`
  return undefined
}
