import { posix } from 'node:path'

/**
 * A location in the tree: the part, and the path below its `src` (below the part itself for files outside of `src`).
 */
export type Place = { part: string; inside: string }

/** The part a file belongs to: a folder below `apps`, `packages` or `testing`, `benchmarks/model`, or a folder at the top. */
export function placeOf(path: string): Place | undefined {
  const [, grouped, alone, rest] =
    /^(?:(?:apps|packages|testing|benchmarks(?=\/model\/))\/([^/]+)|([^/.]+))\/(.+)$/.exec(path) ?? []
  const part = grouped ?? alone
  if (part === undefined || rest === undefined) return undefined
  return { part, inside: rest.replace(/^src\//, '').replace(/\.[cm]?[jt]sx?$/, '') }
}

/** The target of an import in the file `path`, if it is in this repository. */
export function placeOfImport(path: string, specifier: string): Place | undefined {
  if (specifier.startsWith('.')) return placeOf(posix.join(posix.dirname(path), specifier))

  const [, part, inside = ''] = /^@probity\/([^/]+)(?:\/(.+))?$/.exec(specifier) ?? []
  return part === undefined ? undefined : { part, inside: posix.normalize(inside).replace(/^\.$/, '') }
}

/** A test, or a helper for tests only, whose file name begins with `test-`. */
export function isForTests(path: string): boolean {
  return /(\.test|(^|\/)test-[^/]*?)(\.tsx?)?$/.test(path)
}
