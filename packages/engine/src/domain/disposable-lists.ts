import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** A list of disposable domains, and what being on it weighs. */
export type DisposableList = { name: string; weight: number; domains: ReadonlySet<string> }

/** At this weight, summed over the lists, a domain counts as disposable. */
export const DISPOSABLE_WEIGHT_MIN = 2

let lists: DisposableList[] | undefined

/**
 * Read once per process, and only when somebody needs them: it takes a tenth of a second.
 *
 * Tried on 15 disposable and 22 other domains, the first list had all of the one and none of the other, so that it suffices by
 * itself. The others are larger and bolder (the last takes privacy relays for disposable), and most of what is on one of them is
 * on no other: they count where they agree.
 */
export function disposableLists(): DisposableList[] {
  lists ??= [
    {
      name: 'disposable-email-domains-js',
      weight: 2,
      domains: readSet(require.resolve('disposable-email-domains-js/dist/dict/disposable_email_blocklist.json')),
    },
    { name: 'disposable-domains', weight: 1, domains: readSet(require.resolve('disposable-domains')) },
    { name: 'mailchecker', weight: 1, domains: (require('mailchecker') as typeof import('mailchecker')).blacklist() },
  ]
  return lists
}

/** Not by `require`, which would keep the array beside our set for good. */
function readSet(file: string): Set<string> {
  return new Set<string>(JSON.parse(readFileSync(file, 'utf8')))
}
