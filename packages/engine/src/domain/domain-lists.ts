import { readFileSync, type Stats, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { domainToASCII } from 'node:url'
import { getPublicSuffix } from 'tldts'
import { FREE, RELAYS } from '../address/shared-domains.ts'
import { isName } from './mail-hosts.ts'

export type DomainClass = {
  isDisposable: boolean
  isFree: boolean
  isPrivacyRelay: boolean
  /** All lists with the domain or a parent of it, also below the minimum weight. */
  disposableSources: string[]
}

export type DomainLists = { classify(asciiDomain: string): DomainClass }

type ListsOptions = {
  /** Folder of the operator's lists; see `openListFiles`. */
  folder?: string
  report?: (problem: ListProblem) => void
  now?: () => number
}

/** Classifies domains by the bundled lists and the operator's lists, which take precedence. */
export function openDomainLists({ folder, report, now }: ListsOptions = {}): DomainLists {
  const lists = disposableLists()
  const ofOperator = folder === undefined ? () => NO_OPERATOR_LISTS : openListFiles({ folder, report, now })
  ofOperator() // a broken file is reported at the start, not with the first address
  return { classify: (domain) => classify(domain.toLowerCase(), lists, ofOperator()) }
}

function classify(domain: string, lists: DisposableList[], operator: OperatorLists): DomainClass {
  const names = withParents(domain)
  const entry = operatorEntry(names, operator)
  const sources = listsNaming(names, lists)
  const weight = sources.reduce((sum, source) => sum + source.weight, 0)

  const isRelay = entry === 'relay' || (entry !== 'disposable' && names.some((name) => RELAYS.has(name)))
  const isListed = entry === undefined && !isRelay && weight >= DISPOSABLE_WEIGHT_MIN
  const isDisposable = entry === 'disposable' || isListed
  return {
    isDisposable,
    isFree: !isDisposable && (FREE.has(domain) || operator.free.has(domain)),
    isPrivacyRelay: isRelay,
    disposableSources: [...(entry === 'disposable' ? ['operator'] : []), ...sources.map(({ name }) => name)],
  }
}

/** The domain and its parents, down to two labels. */
function withParents(domain: string): string[] {
  const labels = domain.split('.')
  return labels.slice(0, Math.max(1, labels.length - 1)).map((_, n) => labels.slice(n).join('.'))
}

/** The entry closest to the domain decides. At the same level: allowed, then disposable, then relay. */
function operatorEntry(names: string[], { allow, disposable, relays }: OperatorLists) {
  for (const name of names) {
    if (allow.has(name)) return 'allowed'
    if (disposable.has(name)) return 'disposable'
    if (relays.has(name)) return 'relay'
  }
  return undefined
}

function listsNaming(names: string[], lists: DisposableList[]): DisposableList[] {
  // Some entries are public suffixes, such as dynu.net: they do not apply to names below.
  return lists.filter(({ domains }) => names.some((name, n) => domains.has(name) && (n === 0 || !isPublicSuffix(name))))
}

function isPublicSuffix(name: string): boolean {
  return getPublicSuffix(name, { allowPrivateDomains: true }) === name
}

const require = createRequire(import.meta.url)

/** A list of disposable domains, and its weight. */
type DisposableList = { name: string; weight: number; domains: ReadonlySet<string> }

/** At this weight, summed over the lists, a domain counts as disposable. */
const DISPOSABLE_WEIGHT_MIN = 2

let bundled: DisposableList[] | undefined

/**
 * Read once per process at the first use: it takes a tenth of a second.
 *
 * Tested on 15 disposable and 22 other domains, the first list contained all of the former and none of the latter, so it is
 * sufficient alone. The others are larger and less precise (the last lists privacy relays as disposable), and most of their entries
 * are on one of them only, so they count if two agree.
 */
function disposableLists(): DisposableList[] {
  bundled ??= [
    {
      name: 'disposable-email-domains-js',
      weight: 2,
      domains: readSet(require.resolve('disposable-email-domains-js/dist/dict/disposable_email_blocklist.json')),
    },
    { name: 'disposable-domains', weight: 1, domains: readSet(require.resolve('disposable-domains')) },
    { name: 'mailchecker', weight: 1, domains: (require('mailchecker') as typeof import('mailchecker')).blacklist() },
  ]
  return bundled
}

/** Not by `require`, which would keep the array in memory next to the set. */
function readSet(file: string): Set<string> {
  return new Set<string>(JSON.parse(readFileSync(file, 'utf8')))
}

/** The operator's lists of domains, read from `allow.txt` and so on: one domain per line, `#` before a comment. */
type OperatorLists = Record<'allow' | 'disposable' | 'free' | 'relays', ReadonlySet<string>>

/** Why a file was rejected. The domains read from it before stay in effect. */
export type ListProblem = { file: string; reason: string }

type ListFileOptions = {
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
function openListFiles({ folder, report = () => {}, now = Date.now }: ListFileOptions): () => OperatorLists {
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
const NO_OPERATOR_LISTS: OperatorLists = {
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
