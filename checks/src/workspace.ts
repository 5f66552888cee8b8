import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

/** A parsed source file of the repository. `path` is relative to the root of the work tree and has forward slashes. */
export type Source = { path: string; tree: ts.SourceFile }

export type Workspace = { root: string; paths: string[]; sources: Source[] }

/** The folders with code. A new folder at the top of the tree is added here and to the import table. */
const CODE_FOLDERS = ['apps', 'benchmarks', 'checks', 'demo', 'deploy', 'packages', 'testing']

/** Excluded folders: installed, built or measured. Folders whose name begins with a dot are excluded as well. */
const FOREIGN_FOLDERS = new Set(['coverage', 'dist', 'node_modules'])

const SOURCE = /\.[cm]?[jt]sx?$/

export function readWorkspace(root: string): Workspace {
  const paths = listPaths(root, '').filter((path) => CODE_FOLDERS.includes(path.split('/')[0] ?? ''))
  return { root, paths, sources: paths.filter((path) => SOURCE.test(path)).map((path) => readSource(root, path)) }
}

function listPaths(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (!entry.isDirectory()) return entry.isFile() ? [path] : []
    return FOREIGN_FOLDERS.has(entry.name) || entry.name.startsWith('.') ? [] : listPaths(root, path)
  })
}

function readSource(root: string, path: string): Source {
  return { path, tree: parseSource(path, readFileSync(join(root, path), 'utf8')) }
}

export function parseSource(path: string, text: string): ts.SourceFile {
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
}

/** The Markdown files at the top, below `docs` and in the folders with code. */
export function listPages({ root, paths }: Workspace): string[] {
  const docs = existsSync(join(root, 'docs')) ? listPaths(root, 'docs') : []
  return [...readdirSync(root), ...docs, ...paths].filter((path) => path.endsWith('.md'))
}

export function lineOf(tree: ts.SourceFile, node: ts.Node): number {
  return tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1
}

/** All nodes of a file that match `wanted`, in text order. */
export function findNodes<T extends ts.Node>(tree: ts.SourceFile, wanted: (node: ts.Node) => node is T): T[] {
  const found: T[] = []
  const visit = (node: ts.Node) => {
    if (wanted(node)) found.push(node)
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return found
}
