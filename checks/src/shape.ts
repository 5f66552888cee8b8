import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import ts from 'typescript'
import type { Fault } from './fault.ts'
import { listImports } from './imports.ts'
import { findNodes, lineOf, type Source, type Workspace } from './workspace.ts'

/** Sizes of one app or package. Product files are tracked files without tests, test helpers, data tables and generated files. */
export type PackageShape = {
  name: string
  files: number
  lines: number
  filesPer1000Lines: number
  longestFunction: number
  smallFiles: number
}

export type Shape = {
  packages: PackageShape[]
  /** Folders with more than 25 .ts, .tsx or .sql files, tests included. */
  largeFolders: { folder: string; files: number }[]
  /** Product files with more than 400 lines. */
  longFiles: { path: string; lines: number }[]
  /** Product functions with more than 60 lines. */
  longFunctions: { path: string; line: number; lines: number }[]
  /** Product files of at most 40 lines with a single importer, which is in the same folder and could contain them. */
  smallFiles: string[]
  /** Files that import each other in a circle, each circle once. */
  cycles: string[][]
}

const FOLDER_FILES_MAX = 25
const LARGE_FOLDERS_MAX = 2
const FILES_PER_1000_LINES_MAX = 12
/** In a smaller tree the ratio is not meaningful. */
const RATIO_LINES_MIN = 1_000
const FILE_LINES_MAX = 400
const FUNCTION_LINES_MAX = 60
const SMALL_LINES_MAX = 40
const NOT_PRODUCT = /\.test\.|(?:^|\/)test-[^/]*$|\/test\/|\/data\/|generated|\.d\.ts$/

type ParsedFile = Source & { lines: number }

/** Product functions with more than 60 lines, as faults. */
export function listLongFunctions({ sources }: Workspace): Fault[] {
  return sources
    .filter(({ path }) => isProduct(path))
    .flatMap(listFunctions)
    .filter(({ lines }) => lines > FUNCTION_LINES_MAX)
    .map(({ path, line, lines }) => ({
      path,
      line,
      message: `a function of ${lines} lines: split it, ${FUNCTION_LINES_MAX} are the limit`,
    }))
}

/** Product files that are too long, folders with too many files, and apps and packages with too many small files. */
export function listShapeFaults({ paths, sources }: Workspace): Fault[] {
  const files = sources
    .filter(({ path }) => isProduct(path))
    .map((source) => ({ ...source, lines: countLines(source) }))
  const long = files.filter(({ lines }) => lines > FILE_LINES_MAX)
  const folders = listLargeFolders(paths.filter((path) => IN_PARTS.test(path)))
  return [
    ...long.map(({ path, lines }) =>
      fault(path, `has ${lines} lines: split it by topic, ${FILE_LINES_MAX} are the limit`),
    ),
    ...(folders.length > LARGE_FOLDERS_MAX ? folders : []).map(({ folder, files: count }) =>
      fault(
        folder,
        `has ${count} .ts, .tsx and .sql files: only ${LARGE_FOLDERS_MAX} folders may have over ${FOLDER_FILES_MAX}`,
      ),
    ),
    ...judgeRatio(files),
  ]
}

function judgeRatio(files: { lines: number }[]): Fault[] {
  const lines = files.reduce((sum, file) => sum + file.lines, 0)
  const ratio = ratioOf(files.length, lines)
  if (lines < RATIO_LINES_MIN || ratio <= FILES_PER_1000_LINES_MAX) return []
  const limit = `${FILES_PER_1000_LINES_MAX} are the limit over apps and packages`
  return [fault('packages', `${ratio} files per 1,000 product lines: join small files by topic, ${limit}`)]
}

function ratioOf(files: number, lines: number): number {
  return Math.round((files / lines) * 10_000) / 10
}

function fault(path: string, message: string): Fault {
  return { path, line: 1, message }
}

const IN_PARTS = /^(?:apps|packages)\//

function isProduct(path: string): boolean {
  return /^(?:apps|packages)\/.*\.tsx?$/.test(path) && !NOT_PRODUCT.test(path)
}

export function measureShape(root: string): Shape {
  const tracked = listTracked(root).filter((path) => IN_PARTS.test(path))
  const files = tracked.filter(isProduct).map((path) => parse(root, path))
  const functions = files.flatMap(listFunctions)
  const smallFiles = listSmallFiles(files)
  return {
    packages: measurePackages(files, functions, smallFiles),
    largeFolders: listLargeFolders(tracked),
    longFiles: files.filter(({ lines }) => lines > FILE_LINES_MAX).map(({ path, lines }) => ({ path, lines })),
    longFunctions: functions.filter(({ lines }) => lines > FUNCTION_LINES_MAX),
    smallFiles,
    cycles: listCycles(files),
  }
}

function listTracked(root: string): string[] {
  const text = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  return text.split('\n').filter((path) => path !== '' && existsSync(join(root, path)))
}

function parse(root: string, path: string): ParsedFile {
  const text = readFileSync(join(root, path), 'utf8')
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  return { path, lines: countLines({ tree }), tree }
}

function countLines({ tree }: Pick<Source, 'tree'>): number {
  return tree.text.split('\n').length - 1
}

function measurePackages(files: ParsedFile[], functions: Shape['longFunctions'], small: string[]): PackageShape[] {
  const byName = Map.groupBy(files, ({ path }) => path.split('/').slice(0, 2).join('/'))
  return [...byName].map(([name, some]) => {
    const lines = some.reduce((sum, file) => sum + file.lines, 0)
    const own = functions.filter(({ path }) => path.startsWith(`${name}/`))
    return {
      name,
      files: some.length,
      lines,
      filesPer1000Lines: ratioOf(some.length, lines),
      longestFunction: Math.max(0, ...own.map((each) => each.lines)),
      smallFiles: small.filter((path) => path.startsWith(`${name}/`)).length,
    }
  })
}

function listSmallFiles(files: ParsedFile[]): string[] {
  const imports = files.flatMap((file) => [...new Set(listTargets(file))].map((target) => ({ target, by: file.path })))
  const importers = Map.groupBy(imports, ({ target }) => target)
  return files
    .filter(({ path, lines }) => {
      const [first, ...others] = importers.get(path) ?? []
      return lines <= SMALL_LINES_MAX && first && others.length === 0 && dirname(first.by) === dirname(path)
    })
    .map(({ path }) => path)
}

function listLargeFolders(tracked: string[]): Shape['largeFolders'] {
  const code = tracked.filter((path) => /\.(?:tsx?|sql)$/.test(path))
  return [...Map.groupBy(code, dirname)]
    .map(([folder, some]) => ({ folder, files: some.length }))
    .filter(({ files }) => files > FOLDER_FILES_MAX)
}

function listFunctions({ path, tree }: Source): Shape['longFunctions'] {
  return findNodes(tree, isFunctionWithBody).map((node) => {
    const line = lineOf(tree, node)
    const last = tree.getLineAndCharacterOfPosition(node.getEnd()).line + 1
    return { path, line, lines: last - line + 1 }
  })
}

function isFunctionWithBody(node: ts.Node): node is ts.FunctionLikeDeclaration {
  return ts.isFunctionLike(node) && 'body' in node && node.body !== undefined
}

/** Tarjan's algorithm over imports of the workspace, types included: a component with more than one file is a cycle. */
function listCycles(files: ParsedFile[]): string[][] {
  const targets = new Map(files.map((file) => [file.path, listTargets(file)]))
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const cycles: string[][] = []
  function visit(path: string): void {
    order.set(path, order.size)
    lowest.set(path, order.size - 1)
    stack.push(path)
    for (const target of targets.get(path) ?? []) {
      if (!targets.has(target)) continue
      if (!order.has(target)) visit(target)
      if (stack.includes(target)) lowest.set(path, Math.min(lowest.get(path) ?? 0, lowest.get(target) ?? 0))
    }
    if (lowest.get(path) !== order.get(path)) return
    const component = stack.splice(stack.indexOf(path))
    if (component.length > 1) cycles.push(component)
  }
  for (const { path } of files) if (!order.has(path)) visit(path)
  return cycles
}

function listTargets({ path, tree }: ParsedFile): string[] {
  return listImports(tree).flatMap(({ specifier = '' }) => {
    if (specifier.startsWith('.')) return [normalize(join(dirname(path), specifier))]
    const [, name, inside] = /^@probity\/([^/]+)\/(.+)$/.exec(specifier) ?? []
    return name && inside ? [`packages/${name}/src/${inside}.ts`] : []
  })
}
