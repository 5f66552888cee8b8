import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import type { Fault } from './fault.ts'
import { parseSource, type Workspace } from './workspace.ts'

type PronounKind = 'comments' | 'titles'
type Match = { index: number; found: string; kind: PronounKind }

/** In backticks, email addresses and compounds with a hyphen the word is a name, such as the user `nobody`. */
const PRONOUN = /(?<![@.\-\w])(?!(?<=`)\w+`)(?:(?:no|some|any|every)body|who(?:so)?ever)(?![@\-\w])/gi

const CODE = /\.(?:[cm]?ts|tsx|mjs)$/
const SQL = /\.sql$/
const SHELL = /\.sh$/

/** Comments and test titles name the component, the user or the client instead of an indefinite person. */
export function listPronouns({ root, paths }: Workspace): (Fault & { kind: PronounKind })[] {
  return [...listTopPaths(root), ...paths].flatMap((path) => {
    const findMatches = finderOf(path)
    if (findMatches === undefined) return []
    const text = readFileSync(join(root, path), 'utf8')
    return findMatches(text, path).map(({ index, found, kind }) => ({
      path,
      line: text.slice(0, index).split('\n').length,
      kind,
      message: `says "${found}" (${kind}): use the user, client or component that is meant`,
    }))
  })
}

/** The workspace contains only the folders with code. */
function listTopPaths(root: string): string[] {
  const ci = existsSync(join(root, '.ci')) ? readdirSync(join(root, '.ci')).map((name) => `.ci/${name}`) : []
  return [...readdirSync(root), ...ci].filter((path) => CODE.test(path))
}

function finderOf(path: string): ((text: string, path: string) => Match[]) | undefined {
  if (CODE.test(path)) return findInCode
  if (SQL.test(path)) return (text) => findInLines(text, /--.*$/)
  return SHELL.test(path) ? (text) => findInLines(text, /(?:^|\s)#.*$/) : undefined
}

/** `comment` matches the comment of a line. */
function findInLines(text: string, comment: RegExp): Match[] {
  let start = 0
  return text.split('\n').flatMap((line) => {
    const from = line.replace(/'[^']*'/g, (quoted) => ' '.repeat(quoted.length)).search(comment)
    const found = from < 0 ? [] : findPronouns(line).filter(({ index }) => index > from)
    const matches = found.map((one) => ({ ...one, index: start + one.index, kind: 'comments' as const }))
    start += line.length + 1
    return matches
  })
}

function findInCode(text: string, path: string): Match[] {
  const matches = findPronouns(text)
  if (matches.length === 0) return []
  const tree = parseSource(path, text)
  return matches.flatMap((match) => {
    const kind = kindOf(tree, match.index)
    return kind === undefined ? [] : [{ ...match, kind }]
  })
}

function findPronouns(text: string): { index: number; found: string }[] {
  return [...text.matchAll(PRONOUN)].map(({ index, 0: found }) => ({ index, found }))
}

/** A comment belongs to the trivia before a token, or it is a JSDoc node. */
function kindOf(tree: ts.SourceFile, index: number): PronounKind | undefined {
  let node: ts.Node = tree
  for (let child: ts.Node | undefined = tree; child !== undefined && !ts.isJSDoc(node); ) {
    node = child
    child = node.getChildren(tree).find(({ pos, end }) => pos <= index && index < end)
  }
  if (ts.isJSDoc(node) || index < node.getStart(tree)) return 'comments'
  return isTitle(node) ? 'titles' : undefined
}

const TEST_FUNCTIONS = new Set(['describe', 'it', 'test'])

/** The first argument of `test(…)`, `test.skip(…)` or `test.each(…)(…)`. */
function isTitle(node: ts.Node): boolean {
  const template = ts.findAncestor(node, ts.isTemplateExpression)
  const literal = template ?? node
  const { parent } = literal
  if (!ts.isCallExpression(parent) || parent.arguments[0] !== literal) return false
  let callee: ts.Node = parent.expression
  while (ts.isCallExpression(callee) || ts.isPropertyAccessExpression(callee)) callee = callee.expression
  return ts.isIdentifier(callee) && TEST_FUNCTIONS.has(callee.text)
}
