import { readFileSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { domainToASCII } from 'node:url'
import { getPublicSuffix } from 'tldts'
import { isName } from './host-name.ts'

/** The operator's lists of domains, read from `allow.txt` and so on: one domain per line, `#` before a comment. */
export type OperatorLists = Record<'allow' | 'disposable' | 'free' | 'relays', ReadonlySet<string>>

/** Why a file was rejected. The domains read from it before stay in effect. */
export type ListProblem = { file: string; reason: string }

export type ListFileOptions = {
  folder: string
  report?: ((problem: ListProblem) => void) | undefined
  now?: (() => number) | undefined
}

/** Some hundred thousand domains; reading them takes a tenth of a second, once per change. */
const FILE_BYTES_MAX = 4 * 1024 * 1024

/** Four calls to `stat` each time, so it is not done more often. */
const CHECKED_EVERY_MS = 3_000

type Kept = { stamp: string; domains: ReadonlySet<string> }

/** Returns a function that returns the current lists, and checks every few seconds whether a file has changed. */
export function openListFiles({ folder, report = () => {}, now = Date.now }: ListFileOptions): () => OperatorLists {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) report({ file: folder, reason: 'is not a folder' })
  const kept = new Map<keyof OperatorLists, Kept>()
  const read = (name: keyof OperatorLists) => {
    const file = refresh(join(folder, `${name}.txt`), kept.get(name) ?? NOTHING, report)
    kept.set(name, file)
    return file.domains
  }

  let checkAt = 0
  let lists = NO_OPERATOR_LISTS
  return () => {
    if (now() >= checkAt) {
      checkAt = now() + CHECKED_EVERY_MS
      lists = { allow: read('allow'), disposable: read('disposable'), free: read('free'), relays: read('relays') }
    }
    return lists
  }
}

const NOTHING: Kept = { stamp: '', domains: new Set() }
export const NO_OPERATOR_LISTS: OperatorLists = {
  allow: new Set(),
  disposable: new Set(),
  free: new Set(),
  relays: new Set(),
}

/** The stamp of a broken file is kept too, so that it is read and reported once and not every few seconds. */
function refresh(file: string, kept: Kept, report: (problem: ListProblem) => void): Kept {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats === undefined) return NOTHING
  const stamp = `${stats.mtimeMs} ${stats.size} ${stats.ino}`
  if (stamp === kept.stamp) return kept
  try {
    return { stamp, domains: readDomains(file, stats) }
  } catch (error) {
    report({ file, reason: (error as Error).message })
    return { stamp, domains: kept.domains }
  }
}

function readDomains(file: string, stats: Stats): Set<string> {
  if (!stats.isFile()) throw new Error('is not a file')
  if (stats.size > FILE_BYTES_MAX) throw new Error(`is larger than ${FILE_BYTES_MAX} bytes`)
  const lines = readFileSync(file, 'utf8').split('\n')
  const domains = lines.map((line, n) => readDomain(line.replace(/#.*/, '').trim(), n + 1))
  return new Set(domains.filter((domain) => domain !== ''))
}

/** Public suffixes are rejected: `co.uk` would make all domains below it disposable. */
function readDomain(text: string, line: number): string {
  if (text === '') return ''
  const domain = domainToASCII(text)
  if (!isName(domain) || getPublicSuffix(domain) === domain) throw new Error(`line ${line} is not a domain`)
  return domain
}
