import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Fault } from './fault.ts'
import { listPages, type Workspace } from './workspace.ts'

const LINE_MAX = 400
const CHECKED = /^(?:docs\/.*|README|CONTRIBUTING|SECURITY)\.md$/
/** Their first section is the context of the decision. */
const DECISIONS = 'docs/decisions/'

/** Pages begin with a title and what the page is for, have one sentence per line and no long lines. */
export function listFormFaults(workspace: Workspace): Fault[] {
  return listPages(workspace)
    .filter((path) => CHECKED.test(path))
    .flatMap((path) => {
      const text = readFileSync(join(workspace.root, path), 'utf8')
      const found = [...findLongLines(text), ...findTitle(text), ...findSentences(text), ...findEmptyHeaders(text)]
      const purpose = path.startsWith(DECISIONS) ? [] : findPurpose(text)
      return [...found, ...purpose].map(({ line, message }) => ({ path, line, message }))
    })
}

type Finding = Omit<Fault, 'path'>

const EMPTY_CELL = /\|\s*\|/
const DELIMITER_ROW = /^\s*\|[-:| ]+\|\s*$/

/** Screen readers announce the header of a column with each of its cells. */
function findEmptyHeaders(text: string): Finding[] {
  const lines = text.split('\n')
  return lines.flatMap((line, n) =>
    EMPTY_CELL.test(line) && DELIMITER_ROW.test(lines[n + 1] ?? '')
      ? [{ line: n + 1, message: 'has a table with an empty column header' }]
      : [],
  )
}

function findLongLines(text: string): Finding[] {
  return text
    .split('\n')
    .flatMap(({ length }, n) =>
      length > LINE_MAX ? [{ line: n + 1, message: `has ${length} characters: up to ${LINE_MAX} are allowed` }] : [],
    )
}

function findTitle(text: string): Finding[] {
  return /^# \S/.test(text) ? [] : [{ line: 1, message: 'does not begin with "# " and the title' }]
}

/** The first sentence is the description of the page in lists of pages. */
function findPurpose(text: string): Finding[] {
  const n = text.split('\n').findIndex((line, at) => at > 0 && line.trim() !== '' && !line.startsWith('<!--'))
  const first = blankOther(text).split('\n')[n] ?? ''
  const isSentence = !ITEM.test(first) && /^\S.*[.:]\**$/.test(first)
  return isSentence
    ? []
    : [{ line: Math.max(n, 0) + 1, message: 'does not begin with a sentence that says what the page is for' }]
}

/** A paragraph or an item of a list, with the number of its first line. */
type Block = { line: number; lines: string[] }

function findSentences(text: string): Finding[] {
  return listBlocks(text).flatMap(({ line, lines }) => {
    const sentences = splitSentences(lines.join('\n'))
    const at = lines.findIndex((one, n) => one.length !== sentences[n]?.length)
    if (at === -1) return []
    const isLonger = (lines[at]?.length ?? 0) > (sentences[at]?.length ?? 0)
    const message = isLonger ? 'has two sentences in one line' : 'breaks the line within a sentence'
    return [{ line: line + at, message }]
  })
}

const ITEM = /^\s*(?:[-*]|\d+\.) +/

function listBlocks(text: string): Block[] {
  const blocks: Block[] = []
  let isOpen = false
  for (const [n, line] of blankOther(text).split('\n').entries()) {
    const written = line.replace(ITEM, '').trim()
    if (written === '') isOpen = false
    else if (isOpen && !ITEM.test(line)) blocks.at(-1)?.lines.push(written)
    else {
      isOpen = true
      blocks.push({ line: n + 1, lines: [written] })
    }
  }
  return blocks
}

/** Blocks that are not prose: fenced and indented code, comments, HTML, headings, tables and rules. */
const OTHER = [
  /^( *)(```+|~~~+)[\s\S]*?^\1\2[^\n]*$/gm,
  /<!--[\s\S]*?-->/g,
  /^ *(?:#|<|\||---|:::)[^\n]*$/gm,
  /(?<=\n\n)(?: {4}[^\n]*\n)+(?=\n|$)/g,
]

/** Code and targets of links are replaced by as many characters, because dots in them end no sentence. */
const INLINE = /`[^`]*`|\]\([^()\s]*\)|<https?:[^>]*>/g

function blankOther(text: string): string {
  const prose = OTHER.reduce((rest, pattern) => rest.replace(pattern, (block) => block.replace(/[^\n]/g, '')), text)
  return prose.replace(INLINE, (code) => code.replace(/[^\n]/g, 'X'))
}

const ABBREVIATION = /\b(?:e\.g|i\.e|vs|etc|cf|approx|No)\.$/
/** A label such as "**TLS.**", which its sentence may follow in the same line. */
const LABEL = /^(\*\*?)[^*]*\1$/

function splitSentences(text: string): string[] {
  const sentences: string[] = []
  let rest = 0
  for (const { index, 0: end } of text.matchAll(/[.!?]["')*_]*(?: +|\n)(?=["'(*_]*[A-Z\d[])/g)) {
    const sentence = text.slice(rest, index + end.trimEnd().length)
    if (ABBREVIATION.test(sentence) || isInParentheses(sentence)) continue
    if (LABEL.test(sentence) && !end.endsWith('\n')) continue
    sentences.push(sentence)
    rest = index + end.length
  }
  return [...sentences, text.slice(rest)]
}

function isInParentheses(text: string): boolean {
  return text.split('(').length > text.split(')').length
}

const SCREENSHOTS = 'docs/screenshots'

/** Every screenshot is shown by a page. */
export function listUnusedScreenshots(workspace: Workspace): Fault[] {
  const { root } = workspace
  if (!existsSync(join(root, SCREENSHOTS))) return []
  const pages = listPages(workspace).map((path) => readFileSync(join(root, path), 'utf8'))
  return readdirSync(join(root, SCREENSHOTS))
    .filter((name) => !pages.some((text) => text.includes(`screenshots/${name}`)))
    .map((name) => ({ path: `${SCREENSHOTS}/${name}`, line: 1, message: 'is shown by no page: delete it' }))
}
