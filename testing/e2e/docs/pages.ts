import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../environment/programs.ts'

/** A fenced block of a page: its text, and the marker in the comment directly above it. */
export type Block = {
  page: string
  line: number
  language: string
  text: string
  /** For `<!-- test: cli -->`: `test` and `cli`. */
  marker: { kind: string; value: string } | undefined
  /** The heading above the block. */
  section: string
}

/** Every page for readers: the README and all of `docs`, except the pages for contributors. */
export function listPages(): string[] {
  const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md') && !path.startsWith('decisions/'))
    .map((path) => `docs/${path}`)
  return ['README.md', ...pages.toSorted()]
}

export function readPage(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8')
}

const MARKER = /^<!-- ([a-z]+): (.*) -->\s*$/s

/** The blocks of a page in order. */
export function readBlocks(page: string, text: string = readPage(page)): Block[] {
  const fences = [...text.matchAll(/^( *)```([^\n]*)\n(.*?)^\1```$/gms)]
  return fences.map(({ index, 1: indent = '', 2: language = '', 3: inside = '' }) => {
    const before = text.slice(0, index)
    const [, kind, value = ''] = MARKER.exec(before.slice(before.lastIndexOf('<!-- '))) ?? []
    return {
      page,
      line: before.split('\n').length,
      language,
      text: inside.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      marker: kind === undefined ? undefined : { kind, value },
      section: [...before.matchAll(/^#+ (.*)$/gm)].at(-1)?.[1] ?? '',
    }
  })
}
