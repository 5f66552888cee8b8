import type { Fault } from './fault.ts'
import { listImports } from './imports.ts'
import { isForTests, placeOf, placeOfImport } from './places.ts'
import type { Source, Workspace } from './workspace.ts'

/**
 * The other engine steps that a step may import: the earlier steps of a validation. `verdict` is pure, so it may import
 * only types of the two steps that use the network.
 */
const MAY_KNOW: Record<string, Record<string, 'all' | 'types'>> = {
  address: {},
  domain: { address: 'all' },
  smtp: { address: 'all', domain: 'all' },
  verdict: { address: 'all', domain: 'types', smtp: 'types' },
}

/** The one file that combines the steps. */
const WHOLE_PATH = 'validate'

type Step = { name: string; line: number; typeOnly: boolean }

export function listForbiddenSteps({ sources }: Workspace): Fault[] {
  return sources
    .filter(({ path }) => placeOf(path)?.part === 'engine' && !isForTests(path))
    .flatMap((source) => judgeFile(source).map((fault) => ({ path: source.path, ...fault })))
}

function judgeFile(source: Source): Omit<Fault, 'path'>[] {
  const own = stepOf(placeOf(source.path)?.inside)
  const others = listSteps(source).filter(({ name }) => name !== own)
  if (own in MAY_KNOW) {
    return others.flatMap((step) => {
      const message = judge(own, step)
      return message === undefined ? [] : [{ line: step.line, message }]
    })
  }

  const known = new Set(others.map(({ name }) => name))
  const knowsAll = Object.keys(MAY_KNOW).every((step) => known.has(step))
  return knowsAll && own !== WHOLE_PATH ? [{ line: 1, message: `only ${WHOLE_PATH}.ts may know all the steps` }] : []
}

function judge(own: string, { name, typeOnly }: Step): string | undefined {
  // Other packages import `address/` without the rest of the engine, so it must not depend on it.
  if (own === 'address') return `address/ may import nothing else of the engine, not even ${name}`
  if (name === WHOLE_PATH) return `${own}/ is a step of ${WHOLE_PATH} and may not import it`
  if (!(name in MAY_KNOW)) return undefined

  const reach = MAY_KNOW[own]?.[name]
  if (reach === undefined) return `${own}/ may not import ${name}/`
  if (reach === 'types' && !typeOnly) return `${own}/ may import only types of ${name}/, with "import type"`
  return undefined
}

/** The engine imports of a file, by the folder or file directly below `src`. */
function listSteps({ path, tree }: Source): Step[] {
  return listImports(tree).flatMap(({ specifier = '', line, typeOnly }) => {
    const to = placeOfImport(path, specifier)
    return to?.part === 'engine' ? [{ name: stepOf(to.inside), line, typeOnly }] : []
  })
}

function stepOf(inside = ''): string {
  return inside.split('/')[0] ?? ''
}
