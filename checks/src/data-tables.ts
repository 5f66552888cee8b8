import ts from 'typescript'
import type { Fault } from './fault.ts'
import { isForTests } from './places.ts'
import { findNodes, lineOf, type Workspace } from './workspace.ts'

/** A file below a folder `data` may exceed the line limit. In return it contains data and no code that runs. */
export function listFunctionsInData({ sources }: Workspace): Fault[] {
  return sources
    .filter(({ path }) => path.includes('/data/') && !isForTests(path))
    .flatMap(({ path, tree }) =>
      findNodes(tree, ts.isFunctionLike)
        .filter((node) => 'body' in node)
        .map((node) => ({ path, line: lineOf(tree, node), message: 'a function in a data folder: data only' })),
    )
}
