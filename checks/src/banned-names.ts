import ts from 'typescript'
import { ALLOWED_NAMES, BANNED_NAMES } from './data/banned-name-words.ts'
import type { Fault } from './fault.ts'
import { lineOf, type Source, type Workspace } from './workspace.ts'

/**
 * Apps and packages: exported names, files and folders use the words of the glossary. `lab` simulates mail servers and
 * has its own words.
 */
const HELD = /^(?:apps|packages)\/(?!lab\/)/

/** Migrations that have run cannot be renamed. */
const RELEASED = /\/migrations\//

type Name = { path: string; line: number; name: string; what: string }

/** Exported names, files and folders that contain a banned word. A folder is named once, with its first file. */
export function listBannedNames({ paths, sources }: Workspace): Fault[] {
  const held = paths.filter((path) => HELD.test(path) && !RELEASED.test(path))
  const names = [
    ...held.map((path) => ({ path, line: 1, name: fileName(path), what: 'file' })),
    ...listFolders(held),
    ...sources.filter(({ path }) => HELD.test(path)).flatMap(listExports),
  ]
  return names.flatMap(({ path, line, name, what }) =>
    findBanned(path, name).map(({ found, instead }) => ({
      path,
      line,
      message: `the ${what} "${name}" contains "${found}" (names): use ${instead}`,
    })),
  )
}

function findBanned(path: string, name: string): { found: string; instead: string }[] {
  const words = ALLOWED_NAMES.reduce(
    (text, allowed) => text.replace(new RegExp(`\\b${allowed.source}\\b`), ''),
    splitName(name),
  )
  return BANNED_NAMES.filter(({ within }) => within?.test(path) ?? true).flatMap(({ pattern, instead }) => {
    const [found] = new RegExp(`\\b(?:${pattern.source})\\b`).exec(words) ?? []
    return found === undefined ? [] : [{ found, instead }]
  })
}

/** The words of a name in camelCase, PascalCase, kebab-case or UPPER_CASE, in lower case with blanks between them. */
function splitName(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .replace(/[^A-Za-z0-9]+/g, ' ')
    .toLowerCase()
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function listFolders(paths: string[]): Name[] {
  const first = new Map<string, string>()
  for (const path of paths) {
    const parts = path.split('/').slice(0, -1)
    for (const n of parts.keys()) {
      const folder = parts.slice(0, n + 1).join('/')
      if (!first.has(folder)) first.set(folder, path)
    }
  }
  return [...first].map(([folder, path]) => ({ path, line: 1, name: fileName(folder), what: 'folder' }))
}

function listExports({ path, tree }: Source): Name[] {
  return tree.statements.flatMap((statement) =>
    exportedNames(statement).map((node) => ({ path, line: lineOf(tree, node), name: node.text, what: 'export' })),
  )
}

function exportedNames(statement: ts.Statement): (ts.Identifier | ts.StringLiteral)[] {
  if (ts.isExportDeclaration(statement)) {
    const { exportClause } = statement
    return exportClause && ts.isNamedExports(exportClause)
      ? exportClause.elements.map(({ name }) => name as ts.Identifier)
      : []
  }
  const isExported =
    ts.canHaveModifiers(statement) &&
    ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
  if (!isExported) return []
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) => bound(name))
  const isNamed =
    ts.isFunctionDeclaration(statement) || ts.isTypeAliasDeclaration(statement) || ts.isClassDeclaration(statement)
  return isNamed && statement.name ? [statement.name] : []
}

/** The identifiers of `const a = …` and `const { a, b } = …`. */
function bound(name: ts.BindingName): ts.Identifier[] {
  if (ts.isIdentifier(name)) return [name]
  return name.elements.flatMap((element) => (ts.isBindingElement(element) ? bound(element.name) : []))
}
