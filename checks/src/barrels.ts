import ts from 'typescript'
import type { Fault } from './fault.ts'
import type { Source, Workspace } from './workspace.ts'

/** Files that only re-export. Biome rejects the usual ones, but not those with types only. */
export function listBarrels({ sources }: Workspace): Fault[] {
  return sources.filter(isBarrel).map(({ path }) => ({ path, line: 1, message: 'only re-exports: import the files' }))
}

function isBarrel({ tree }: Source): boolean {
  const { statements } = tree
  return statements.some(ts.isExportDeclaration) && statements.every(isHandingOn)
}

function isHandingOn(statement: ts.Statement): boolean {
  return ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)
}
