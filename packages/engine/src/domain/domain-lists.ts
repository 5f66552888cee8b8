import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { getPublicSuffix } from 'tldts'
import { FREE, RELAYS } from '../address/shared-domains.ts'
import { type ListProblem, NO_OPERATOR_LISTS, type OperatorLists, openListFiles } from './list-files.ts'

export type DomainClass = {
  isDisposable: boolean
  isFree: boolean
  isPrivacyRelay: boolean
  /** All lists with the domain or a parent of it, also below the minimum weight. */
  disposableSources: string[]
}

export type DomainLists = { classify(asciiDomain: string): DomainClass }

type ListsOptions = {
  /** Folder of the operator's lists; see `list-files.ts`. */
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
export type DisposableList = { name: string; weight: number; domains: ReadonlySet<string> }

/** At this weight, summed over the lists, a domain counts as disposable. */
export const DISPOSABLE_WEIGHT_MIN = 2

let bundled: DisposableList[] | undefined

/**
 * Read once per process at the first use: it takes a tenth of a second.
 *
 * Tried on 15 disposable and 22 other domains, the first list had all of the one and none of the other, so that it suffices by
 * itself. The others are larger and bolder (the last takes privacy relays for disposable), and most of what is on one of them is
 * on no other: they count where they agree.
 */
export function disposableLists(): DisposableList[] {
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

/** Not by `require`, which would keep the array beside our set. */
function readSet(file: string): Set<string> {
  return new Set<string>(JSON.parse(readFileSync(file, 'utf8')))
}
