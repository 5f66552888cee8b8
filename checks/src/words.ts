import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { listBannedNames } from './banned-names.ts'
import { BANNED_WORDS } from './data/banned-words.ts'
import type { Fault } from './fault.ts'
import { listPronouns } from './pronouns.ts'
import { findNodes, lineOf, listPages, type Source, type Workspace } from './workspace.ts'

/** The sources of user-facing text. */
type TextKind = 'web' | 'emails' | 'logs' | 'strings' | 'monitoring' | 'docs'
export type WordKind = TextKind | 'names' | 'comments' | 'titles'
const WORD_KINDS: WordKind[] = ['web', 'emails', 'logs', 'strings', 'monitoring', 'docs', 'names', 'comments', 'titles']

/** A text that users, customers or operators read. `line` is its first line in the file. */
type Text = { path: string; kind: TextKind; text: string; line: number }

/** Banned words of user-facing text and of names, and indefinite pronouns of comments and test titles, by kind of source. */
export function listBannedWords(workspace: Workspace): (Fault & { kind: WordKind })[] {
  const names = listBannedNames(workspace).map((fault) => ({ ...fault, kind: 'names' as const }))
  return [...listTexts(workspace).flatMap(findInText), ...names, ...listPronouns(workspace)]
}

function findInText(text: Text): (Fault & { kind: TextKind })[] {
  return findBanned(text.text).map(({ index, found, instead }) => ({
    path: text.path,
    line: text.line + countLines(text.text.slice(0, index)),
    kind: text.kind,
    message: `says "${found}" (${text.kind}): use ${instead}`,
  }))
}

export function countByKind(faults: { kind: WordKind }[]): Record<WordKind, number> {
  const counts = Object.fromEntries(WORD_KINDS.map((kind) => [kind, 0])) as Record<WordKind, number>
  for (const { kind } of faults) counts[kind] += 1
  return counts
}

function findBanned(text: string): { index: number; found: string; instead: string }[] {
  const line = text.replaceAll('\n', ' ')
  return BANNED_WORDS.flatMap(([pattern, instead]) =>
    [...line.matchAll(new RegExp(pattern.source, `${pattern.flags}g`))].map((match) => ({
      index: match.index,
      found: match[0].trim().slice(0, FOUND_MAX),
      instead,
    })),
  )
}

const FOUND_MAX = 60

function countLines(text: string): number {
  return text.split('\n').length - 1
}

function listTexts(workspace: Workspace): Text[] {
  const { root, paths, sources } = workspace
  return [
    ...sources.filter(({ path }) => isUserFacing(path)).flatMap(listStrings),
    ...paths.filter((path) => MONITORING.test(path)).flatMap((path) => listMonitoring(root, path)),
    ...listPages(workspace)
      .filter((path) => !DOCS_EXEMPT.has(path))
      .flatMap((path) => listParagraphs(root, path)),
  ]
}

const USER_FACING =
  /^(?:apps\/(?:web|api|worker|admin|cli)|packages\/(?:contract|doctor|engine|settings|sdk|database|telemetry|redis|concurrency))\//
/** Replies of mail servers are quoted in tables of the engine. */
const NOT_PRODUCT = /\.test\.|\/test-[^/]*$|\/test\/|\/generated\/|\/dist\/|^packages\/engine\/.*\/data\/reply-/
const EMAILS = /^(?:apps\/(?:api|worker)\/src\/(?:.*\/)?(?:emails?|notifications)|packages\/email\/src)\//
const MONITORING = /^deploy\/monitoring\/.*(?:alerts.*\.yml|dashboards\/[^/]*\.json)$/

function isUserFacing(path: string): boolean {
  return USER_FACING.test(path) && !NOT_PRODUCT.test(path)
}

type TextNode = ts.StringLiteralLike | ts.TemplateExpression | ts.JsxText

function isText(node: ts.Node): node is TextNode {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node) || ts.isJsxText(node)
}

function listStrings({ path, tree }: Source): Text[] {
  return findNodes(tree, isText).flatMap((node) => {
    const text = textOf(node)
    if (!isSentence(node, text) || isCode(node)) return []
    return [{ path, kind: kindOf(path, node), text, line: lineOf(tree, node) }]
  })
}

function textOf(node: TextNode): string {
  if (!ts.isTemplateExpression(node)) return node.text
  return node.head.text + node.templateSpans.map(({ literal }) => `{…}${literal.text}`).join('')
}

/** A single lower-case word is a name of the code. */
function isSentence(node: TextNode, text: string): boolean {
  return ts.isJsxText(node) || / /.test(text.trim()) || /^[A-Z][a-z]/.test(text)
}

/** SQL, paths of modules, types and class names. */
function isCode(node: ts.Node): boolean {
  const { parent } = node
  if (ts.isTaggedTemplateExpression(parent)) return true
  if (ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent) || ts.isLiteralTypeNode(parent)) return true
  return ts.isJsxAttribute(parent) && ['className', 'd', 'viewBox'].includes(parent.name.getText())
}

function kindOf(path: string, node: ts.Node): TextKind {
  if (path.startsWith('apps/web/')) return 'web'
  if (EMAILS.test(path)) return 'emails'
  return isLogged(node) ? 'logs' : 'strings'
}

function isLogged({ parent }: ts.Node): boolean {
  return (
    ts.isCallExpression(parent) &&
    ts.isPropertyAccessExpression(parent.expression) &&
    ['debug', 'info', 'warn', 'error', 'fatal'].includes(parent.expression.name.text)
  )
}

/** Texts of alerts and dashboards: values of these keys. */
const MONITORING_TEXT = /^\s*"?(?:title|description|legendFormat|summary|alert|text)"?:\s*(.*)$/

function listMonitoring(root: string, path: string): Text[] {
  const lines = readFileSync(join(root, path), 'utf8').split('\n')
  return lines.flatMap((text, n) => {
    const value = MONITORING_TEXT.exec(text)?.[1]
    return value === undefined ? [] : [{ path, kind: 'monitoring' as const, text: unquote(value), line: n + 1 }]
  })
}

function unquote(text: string): string {
  return text.replace(/,$/, '').replace(/^["']|["']$/g, '')
}

/** It defines the words, so it names those that are not used. */
const DOCS_EXEMPT = new Set(['docs/glossary.md'])

/** Code, URLs and comments are replaced by blanks, so that lines stay where they are. */
function listParagraphs(root: string, path: string): Text[] {
  const prose = readFileSync(join(root, path), 'utf8')
    .replace(/^```[\s\S]*?^```/gm, blank)
    .replace(/<!--[\s\S]*?-->/g, blank)
    .replace(/`[^`]*`/g, blank)
    .replace(/\]\([^)]*\)/g, blank)
  let line = 1
  return prose.split(/(\n\s*\n|\n(?=\s*(?:[-*|#]|\d+\.) ?))/).flatMap((text) => {
    const at = line
    line += countLines(text)
    return text.trim() === '' ? [] : [{ path, kind: 'docs' as const, text, line: at }]
  })
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ')
}
