import ts from 'typescript'
import type { Fault } from './fault.ts'
import { isForTests, placeOf } from './places.ts'
import { findNodes, lineOf, type Workspace } from './workspace.ts'

/** The only file of the engine that writes to a mail server; it checks every byte before that. */
const WRITER = 'smtp/protocol/commands'

/** Writes to a socket elsewhere could send more than one command at a time (SMTP injection). */
export function listWireWrites({ sources }: Workspace): Fault[] {
  return sources
    .filter(({ path }) => placeOf(path)?.part === 'engine' && placeOf(path)?.inside !== WRITER && !isForTests(path))
    .flatMap(({ path, tree }) =>
      findNodes(tree, isWrite).map((node) => ({
        path,
        line: lineOf(tree, node),
        message: `writes by itself: what goes to a mail server goes through ${WRITER}.ts`,
      })),
    )
}

function isWrite(node: ts.Node): node is ts.CallExpression {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false
  const { text } = node.expression.name
  return text === 'write' || (text === 'end' && node.arguments.length > 0 && !isCallback(node.arguments[0]))
}

/** `end(callback)` sends no data. */
function isCallback(argument: ts.Node | undefined): boolean {
  return argument !== undefined && (ts.isArrowFunction(argument) || ts.isFunctionExpression(argument))
}
