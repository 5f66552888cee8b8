import ts from 'typescript'
import type { Fault } from './fault.ts'
import { isForTests } from './places.ts'
import { findNodes, lineOf, type Workspace } from './workspace.ts'

/**
 * Biome restricts `process.env` and `process.exit` to `main.ts`, but only detects them in this form. So `process` must
 * be followed by a dot: neither `const { env } = process` nor `process` as an argument.
 */
export function listProcessAliases({ sources }: Workspace): Fault[] {
  return sources
    .filter(({ path }) => !isForTests(path))
    .flatMap(({ path, tree }) =>
      findNodes(tree, isAlias).map((node) => ({
        path,
        line: lineOf(tree, node),
        message: 'takes process as a value: write process.name, so that the linter sees what is used',
      })),
    )
}

function isAlias(node: ts.Node): node is ts.Identifier {
  if (!ts.isIdentifier(node) || node.text !== 'process') return false
  const parent: ts.Node & { name?: ts.Node; propertyName?: ts.Node } = node.parent
  if (ts.isShorthandPropertyAssignment(parent)) return true
  if (parent.name === node || parent.propertyName === node) return false // another property of this name
  if (ts.isTypeNode(parent) || ts.isQualifiedName(parent) || ts.isTypeOfExpression(parent)) return false
  return !(
    (ts.isPropertyAccessExpression(parent) || ts.isElementAccessExpression(parent)) &&
    parent.expression === node
  )
}
