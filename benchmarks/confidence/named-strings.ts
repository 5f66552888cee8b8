import { typeHangul } from '@probity/model/hangul-keys'
import { below, pick, type Random, seedRandom } from '@probity/model/random'
import names from 'all-the-package-names' with { type: 'json' }
import { HANGUL_NAMES } from './data/names-by-hand.ts'
import { listNameGroups, type NameGroup } from './name-lists.ts'

/** Strings of one kind and their source. */
export type StringGroup = { group: string; source: string; texts: string[] }

const SEED = 20_001
const PER_GROUP = 3000

/** Local parts from the names of each language, with patterns that differ from the trainer's generator. */
export function listNamed(): StringGroup[] {
  const composed = listNameGroups().map((names, index) => {
    const random = seedRandom(SEED + index)
    return { group: names.group, source: names.source, texts: makeDistinct(() => compose(random, names)) }
  })
  return [...composed, listTypedHangul()]
}

/** Each name is tried a few times at most: a short list of names yields fewer strings. */
function makeDistinct(make: () => string): string[] {
  const texts = new Set<string>()
  for (let tries = 0; tries < 4 * PER_GROUP && texts.size < PER_GROUP; tries += 1) texts.add(make())
  return [...texts]
}

/** Korean names typed on a Korean keyboard in Latin mode: of all names, the most likely to look random. */
function listTypedHangul(): StringGroup {
  const random = seedRandom(SEED + 500)
  const families = HANGUL_NAMES.family.split(' ')
  const givens = HANGUL_NAMES.given.split(' ')
  const type = () =>
    typeHangul(pick(random, families) + pick(random, givens)) + pick(random, ['', '', String(below(random, 100))])
  return { group: 'korean_typed', source: 'written for the evaluation', texts: makeDistinct(type) }
}

/**
 * Names that users and teams chose for themselves at npm, where, as at mailbox providers, each name is available once.
 */
export function listHandles(): StringGroup {
  const scopes = names.flatMap((name) => /^@([^/]+)\//.exec(name)?.[1] ?? [])
  return { group: 'handles', source: 'all-the-package-names', texts: [...new Set(scopes)] }
}

/** The weight of each pattern is the number of its entries. `f` and `l` are initials, `L` and `F` whole names. */
const PATTERNS = [
  'F.L',
  'F.L',
  'F.L',
  'F.L',
  'fL',
  'fL',
  'FL',
  'FL',
  'F',
  'L',
  'F_L',
  'L.F',
  'f.L',
  'Fl',
  'F.l',
  'LF',
  'Lf',
  'F-L',
  'FL#',
  'F#',
  'F##',
  'FL##',
  'F.L##',
  'fL##',
  'F####',
  'L####',
  'F_L###',
  'LF#',
  'fL####',
  'f.L##',
]

function compose(random: Random, { first, last }: NameGroup): string {
  const given = pick(random, first)
  const family = pick(random, last)
  const year = String(1955 + below(random, 60))
  const digits = {
    '####': year,
    '###': String(100 + below(random, 900)),
    '##': year.slice(2),
    '#': String(1 + below(random, 9)),
  }
  return pick(random, PATTERNS).replaceAll(/F|L|f|l|#+/g, (sign) => {
    if (sign === 'F') return given
    if (sign === 'L') return family
    if (sign === 'f') return given.slice(0, 1)
    if (sign === 'l') return family.slice(0, 1)
    return digits[sign as keyof typeof digits]
  })
}
