import { createRequire } from 'node:module'
import ts from 'typescript'
import { SLOW_PATTERNS } from './data/slow-patterns.ts'
import type { Fault } from './fault.ts'
import { isForTests } from './places.ts'
import { findNodes, lineOf, type Workspace } from './workspace.ts'

/** The build for browsers is JavaScript only: the main one looks for Java and for a binary. */
const { checkSync }: typeof import('recheck') = createRequire(import.meta.url)('recheck/lib/browser.js')

/** The programs. The docs site runs its patterns when it is built, over our own pages. */
const PROGRAMS = /^(apps\/(?!docs\/)|packages\/)[^/]+\/src\//

/**
 * Regular expressions that take superlinear time. Each literal is analyzed by its automaton; one that the analysis does not support (it has a
 * lookaround or a back reference) is run on texts that are made of its own parts.
 */
export function listSlowPatterns({ sources }: Workspace): Fault[] {
  const verdicts = new Map<string, string | undefined>()
  const findFault = (literal: string) => {
    if (!verdicts.has(literal)) verdicts.set(literal, analyze(literal))
    return verdicts.get(literal)
  }
  return sources
    .filter(({ path }) => PROGRAMS.test(path) && !isForTests(path))
    .flatMap(({ path, tree }) => {
      const literals = findNodes(tree, ts.isRegularExpressionLiteral)
      const listed = new Set(Object.keys(SLOW_PATTERNS[path] ?? {}))
      const slow = literals.flatMap((node) => {
        const fault = listed.has(node.text) ? undefined : findFault(node.text)
        return fault === undefined ? [] : [{ path, line: lineOf(tree, node), message: `${node.text} ${fault}` }]
      })
      const unused = [...listed].filter((literal) => literals.every(({ text }) => text !== literal))
      return [
        ...slow,
        ...unused.map((literal) => ({
          path,
          line: 1,
          message: `has no pattern ${literal}: remove it from slow-patterns.ts`,
        })),
      ]
    })
}

const ADVICE = 'rewrite it, or add it to checks/src/data/slow-patterns.ts with the limit of its input'
const SLOW = `takes superlinear time: ${ADVICE}`
const UNDECIDED = `takes too long to analyze: ${ADVICE}`

/** Far more than any pattern takes: the verdict must not depend on the speed of the machine. */
const ANALYSIS = { checker: 'automaton', timeout: 30_000 } as const
/** Without one of these, a pattern reads a bounded part of the text at each position. */
const UNBOUNDED = /[*+]|\{\d+,\}/

function analyze(literal: string): string | undefined {
  if (!UNBOUNDED.test(literal)) return

  const end = literal.lastIndexOf('/')
  const [source, flags] = [literal.slice(1, end), literal.slice(end + 1)]
  const { status, ...rest } = checkSync(shortenCounts(source), flags, ANALYSIS)
  if (status !== 'unknown') return status === 'vulnerable' ? SLOW : undefined
  if ('error' in rest && rest.error.kind === 'timeout') return UNDECIDED
  return isSlowOnOwnParts(source, flags) ? SLOW : undefined
}

/** Each counted repetition multiplies the automaton. Two repetitions take the same time as 36 of them, but for a constant factor. */
function shortenCounts(source: string): string {
  return source.replaceAll(/(?<!\\)\{(\d+)(,?)(\d*)\}/g, (_, min: string, comma: string, max: string) => {
    const most = max === '' ? '' : Math.min(Number(max), Math.min(Number(min), 2) + 2)
    return `{${Math.min(Number(min), 2)}${comma}${most}}`
  })
}

const SAMPLES = ['a', '0', ' ', '.', '-', '/', '"', '\n', '_', 'é']
const PARTS_MAX = 150
/** A character that patterns rarely match: the match fails at the end of the text. */
const MISMATCH = '\u0001'

function isSlowOnOwnParts(source: string, flags: string): boolean {
  const pattern = new RegExp(source, flags.replace('y', ''))
  const unescaped = source.replaceAll(/\\[dDwWsSbB]|\\[pP]\{[^}]*\}/g, '').replaceAll(/\\(.)/g, '$1')
  const words = source.match(/[\w \-@:=#<>/'",;!&%~]+/g) ?? []
  const parts = new Set([...SAMPLES, ...words, ...unescaped])
  return [...parts].slice(0, PARTS_MAX).some((part) => isSlowOn(pattern, part))
}

/** Exponential time is too slow for the first one, cubic time for the second, and quadratic time shows in the last two. */
const LENGTHS = [24, 1_000, 4_000, 16_000]
const LINEAR_MS_MAX = 10
const FAR_TOO_SLOW_MS = 100
/** Four times the text takes sixteen times as long in quadratic time. */
const GROWTH_MAX = 8

function isSlowOn(pattern: RegExp, part: string): boolean {
  let before = Number.POSITIVE_INFINITY
  for (const length of LENGTHS) {
    const text = part.repeat(Math.ceil(length / part.length)) + MISMATCH
    const ms = Math.min(measure(pattern, text), measure(pattern, text))
    if (ms > FAR_TOO_SLOW_MS || (ms > LINEAR_MS_MAX && ms / before > GROWTH_MAX)) return true
    before = ms
  }
  return false
}

/** In CPU time, since other programs use the processor too. Replaces all matches, as a loop over them starts again behind each. */
function measure(pattern: RegExp, text: string): number {
  pattern.lastIndex = 0
  const before = process.threadCpuUsage()
  text.replace(pattern, '')
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}
