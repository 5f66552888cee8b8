import { getPublicSuffix } from 'tldts'
import { FREE, RELAYS } from '../address/shared-domains.ts'
import { DISPOSABLE_WEIGHT_MIN, type DisposableList, disposableLists } from './disposable-lists.ts'
import { type ListProblem, NO_LISTS, type OperatorLists, openListFiles } from './list-files.ts'

export type DomainClass = {
  isDisposable: boolean
  isFree: boolean
  isPrivacyRelay: boolean
  /** Every list that names the domain or one above it, whether or not that sufficed. */
  disposableSources: string[]
}

export type Lists = { classify(asciiDomain: string): DomainClass }

type ListsOptions = {
  /** Where the operator's own lists are; see `list-files.ts`. */
  folder?: string
  report?: (problem: ListProblem) => void
  now?: () => number
}

/** What the lists we ship and the operator's own say of a domain. The operator's word goes before ours. */
export function openLists({ folder, report, now }: ListsOptions = {}): Lists {
  const lists = disposableLists()
  const ofOperator = folder === undefined ? () => NO_LISTS : openListFiles({ folder, report, now })
  ofOperator() // a broken file is reported at the start, not with the first address
  return { classify: (domain) => classify(domain.toLowerCase(), lists, ofOperator()) }
}

function classify(domain: string, lists: DisposableList[], operator: OperatorLists): DomainClass {
  const names = withParents(domain)
  const word = operatorsWord(names, operator)
  const sources = listsNaming(names, lists)
  const weight = sources.reduce((sum, source) => sum + source.weight, 0)

  const isRelay = word === 'relay' || (word !== 'disposable' && names.some((name) => RELAYS.has(name)))
  const isListed = word === undefined && !isRelay && weight >= DISPOSABLE_WEIGHT_MIN
  const isDisposable = word === 'disposable' || isListed
  return {
    isDisposable,
    isFree: !isDisposable && (FREE.has(domain) || operator.free.has(domain)),
    isPrivacyRelay: isRelay,
    disposableSources: [...(word === 'disposable' ? ['operator'] : []), ...sources.map(({ name }) => name)],
  }
}

/** The domain and what is above it, down to two labels. */
function withParents(domain: string): string[] {
  const labels = domain.split('.')
  return labels.slice(0, Math.max(1, labels.length - 1)).map((_, n) => labels.slice(n).join('.'))
}

/** The entry closest to the domain decides, and on one line with each other: allowed, then disposable, then relay. */
function operatorsWord(names: string[], { allow, disposable, relays }: OperatorLists) {
  for (const name of names) {
    if (allow.has(name)) return 'allowed'
    if (disposable.has(name)) return 'disposable'
    if (relays.has(name)) return 'relay'
  }
  return undefined
}

function listsNaming(names: string[], lists: DisposableList[]): DisposableList[] {
  // The lists hold names below which anybody can register one, such as dynu.net: those say nothing of the names below.
  return lists.filter(({ domains }) => names.some((name, n) => domains.has(name) && (n === 0 || !isPublicSuffix(name))))
}

function isPublicSuffix(name: string): boolean {
  return getPublicSuffix(name, { allowPrivateDomains: true }) === name
}
