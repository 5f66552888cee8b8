import { ending, SEPARATORS } from './endings.ts'
import { typeHangul } from './hangul-keys.ts'
import { ofBareConsonants, ofNickname, ofWords } from './nicknames.ts'
import { below, draw, pick, type Random } from './random.ts'
import { personOf, readSources, type Sources } from './sources.ts'
import { composeEastAsian, type Person } from './syllables.ts'

/** Local parts as people form them from names and words; one seed, one list. */
export function makePeople(random: Random, count: number): string[] {
  const sources = readSources()
  return Array.from({ length: count }, () => makeOne(random, sources))
}

/** Only the least name-like ones: nicknames, abbreviations, and addresses issued by offices. */
export function makeOddPeople(random: Random, count: number): string[] {
  const sources = readSources()
  return Array.from({ length: count }, () => makeOdd(random, sources))
}

function makeOne(random: Random, sources: Sources): string {
  const kind = random()
  if (kind < 0.4) return ofPerson(random, personOf(random, sources))
  if (kind < 0.52) return ofPerson(random, composeEastAsian(random))
  if (kind < 0.8) return ofWords(random, sources)
  return makeOdd(random, sources)
}

function makeOdd(random: Random, sources: Sources): string {
  const kind = random()
  if (kind < 0.5) return ofNickname(random, sources)
  if (kind < 0.65) return typeHangul(pick(random, sources.hangul)) + ending(random)
  if (kind < 0.85) return ofInitials(random, personOf(random, sources))
  return ofBareConsonants(random, sources)
}

function ofPerson(random: Random, { first, last }: Person): string {
  const separator = pick(random, SEPARATORS)
  const start = first.slice(0, 1)
  const name = pick(random, [
    first + separator + last,
    first + separator + last,
    last + separator + first,
    start + separator + last,
    start + last,
    first + separator + last.slice(0, 1),
    last + separator + start,
    first.slice(0, 3) + last.slice(0, 3 + below(random, 3)),
    first + separator + pick(random, 'abcdefghijklmnoprstw') + separator + last,
    first,
    last,
    first + last.slice(0, 1 + below(random, 3)),
  ])
  return name + ending(random)
}

/** Addresses issued by an office or a university: initials, a part of the name, a running number. */
function ofInitials(random: Random, { first, last }: Person): string {
  const initials = draw(random, 'abcdefghijklmnoprstvwy', 1 + below(random, 2))
  const start = first.slice(0, 1)
  const middle = initials.slice(0, 1)
  return pick(random, [
    start + initials + last,
    start + middle + last.slice(0, 6),
    `${start}.${middle}.${last}`,
    last.slice(0, 5) + first.slice(0, 2) + ending(random),
    start + initials + last.slice(0, 1) + draw(random, '0123456789', 2 + below(random, 3)),
    first.slice(0, 2) + last.slice(0, 2) + draw(random, '0123456789', 2 + below(random, 3)),
    last + initials,
  ])
}
