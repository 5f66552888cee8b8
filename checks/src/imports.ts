import ts from 'typescript'
import { findNodes, lineOf } from './workspace.ts'

/** One reference to another module. `specifier` is undefined when the path is computed at run time. */
export type Import = { specifier: string | undefined; typeOnly: boolean; line: number }

/**
 * Everything a file imports: statically, lazily, through `require`, by re-export or in a type.
 * `import { type A }` is not type-only: with `verbatimModuleSyntax` the module is still loaded.
 */
export function listImports(tree: ts.SourceFile): Import[] {
  return findNodes(tree, isImporting).map((node) => ({
    specifier: specifierOf(node),
    typeOnly: isTypeOnly(node),
    line: lineOf(tree, node),
  }))
}

type Importing =
  | ts.ImportDeclaration
  | ts.ExportDeclaration
  | ts.ImportTypeNode
  | ts.ExternalModuleReference
  | ts.CallExpression

function isImporting(node: ts.Node): node is Importing {
  if (ts.isExportDeclaration(node)) return node.moduleSpecifier !== undefined
  if (ts.isCallExpression(node)) return isLoading(node.expression)
  return ts.isImportDeclaration(node) || ts.isImportTypeNode(node) || ts.isExternalModuleReference(node)
}

function isLoading(callee: ts.Expression): boolean {
  return callee.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(callee) && callee.text === 'require')
}

function specifierOf(node: Importing): string | undefined {
  const place = placeOfSpecifier(node)
  return place !== undefined && ts.isStringLiteralLike(place) ? place.text : undefined
}

function placeOfSpecifier(node: Importing): ts.Node | undefined {
  if (ts.isCallExpression(node)) return node.arguments[0]
  if (ts.isExternalModuleReference(node)) return node.expression
  if (ts.isImportTypeNode(node)) return ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined
  return node.moduleSpecifier
}

function isTypeOnly(node: Importing): boolean {
  if (ts.isImportDeclaration(node)) return node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword
  if (ts.isExportDeclaration(node)) return node.isTypeOnly
  return ts.isImportTypeNode(node)
}
