import ts from 'typescript'
import type { Fault } from './fault.ts'
import { findNodes, lineOf, type Source, type Workspace } from './workspace.ts'

const TABLE = 'testing/e2e/data/gates.ts'
const END_TO_END = /^testing\/e2e\/.+\.test\.ts$/

/**
 * The table of gates has a row for every end-to-end test file, and a file for every row. Without a row, no gate runs the file. The gate of
 * files whose tests are all timed is `'timed'`: other runs skip their tests, but would start their servers.
 */
export function listWrongGates({ paths, sources }: Workspace): Fault[] {
  const table = sources.find(({ path }) => path === TABLE)
  const rows = table ? findNodes(table.tree, ts.isPropertyAssignment).flatMap((row) => readRow(table.tree, row)) : []
  const files = paths.filter((path) => END_TO_END.test(path))
  const without = files.filter((path) => !rows.some((row) => row.path === path))
  const stale = rows.filter((row) => !files.includes(row.path))
  return [
    ...without.map((path) => ({ path, line: 1, message: `has no row in ${TABLE}, so no gate runs it` })),
    ...stale.map(({ path, line }) => ({ path: TABLE, line, message: `there is no ${path}` })),
    ...sources.flatMap((file) => {
      const row = rows.find(({ path }) => path === file.path)
      if (row === undefined || row.isTimed === isTimedOnly(file)) return []
      const message = row.isTimed
        ? `has tests that are not tagged 'timed'`
        : `has timed tests only: its gate is 'timed'`
      return [{ path: TABLE, line: row.line, message: `${row.path} ${message}` }]
    }),
  ]
}

type Row = { path: string; line: number; isTimed: boolean }

function readRow(tree: ts.SourceFile, row: ts.PropertyAssignment): Row[] {
  if (!ts.isStringLiteral(row.name)) return []
  return [
    { path: `testing/e2e/${row.name.text}`, line: lineOf(tree, row), isTimed: ts.isStringLiteral(row.initializer) },
  ]
}

function isTimedOnly({ tree }: Source): boolean {
  const tests = findNodes(tree, isTest)
  return tests.length > 0 && (isTimedFile(tree) || tests.every((test) => isTagged(test, tree)))
}

/** `test('title', …)` and `test.each(…)('title', …)`. */
function isTest(node: ts.Node): node is ts.CallExpression {
  if (!ts.isCallExpression(node) || !/^test\b/.test(node.expression.getText())) return false
  const [title] = node.arguments
  return title !== undefined && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title))
}

function isTimedFile(tree: ts.SourceFile): boolean {
  return tree.text.includes('@module-tag timed')
}

/** Compares elapsed time: `expect(performance.now() - began).toBeLessThan(…)`. */
const COMPARES = /^toBe(Less|Greater)Than(OrEqual)?$/

/** A test that compares elapsed time with a limit is tagged `timed`, so that it runs alone: next to other tests it fails on a slow machine. */
export function listUntaggedTimings({ sources }: Workspace): Fault[] {
  return sources.filter(({ path }) => /\.test\.tsx?$/.test(path)).flatMap(listUntaggedIn)
}

function listUntaggedIn({ path, tree }: Source): Fault[] {
  if (isTimedFile(tree)) return []
  return findNodes(tree, isTiming)
    .filter((timing) => !isTagged(timing, tree))
    .map((timing) => ({ path, line: lineOf(tree, timing), message: "compares elapsed time: tag the test 'timed'" }))
}

function isTiming(node: ts.Node): node is ts.CallExpression {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false
  const { name, expression } = node.expression
  return COMPARES.test(name.text) && expression.getText().includes('performance.now()')
}

/** Whether the node or a call around it has the tag in its options. */
function isTagged(node: ts.Node, tree: ts.SourceFile): boolean {
  for (let around: ts.Node = node; around !== tree; around = around.parent) {
    const hasTag = (option: ts.Expression) =>
      ts.isObjectLiteralExpression(option) && /\btags: \[[^\]]*'timed'/.test(option.getText(tree))
    if (ts.isCallExpression(around) && around.arguments.some(hasTag)) return true
  }
  return false
}
