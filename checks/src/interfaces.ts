import ts from 'typescript'
import type { Fault } from './fault.ts'
import { findNodes, lineOf, type Workspace } from './workspace.ts'

/**
 * `type`, not `interface`. The linters have this rule too, but reject module augmentation, which needs an interface.
 */
export function listInterfaces({ sources }: Workspace): Fault[] {
  return sources.flatMap(({ path, tree }) =>
    findNodes(tree, ts.isInterfaceDeclaration)
      .filter((node) => !ts.isModuleBlock(node.parent))
      .map((node) => ({ path, line: lineOf(tree, node), message: `write "type ${node.name.text}", not interface` })),
  )
}
