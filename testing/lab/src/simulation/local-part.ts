import { FAMILY_NAMES, GIVEN_NAMES, NAMES_BEYOND_ASCII, ROLES, TAGS } from './data/words.ts'
import type { Random } from './random.ts'

/** A local part as in real lists: at a business mostly full names and roles, elsewhere with digits and initials. */
export function makeLocalPart(random: Random, place: { isFirm: boolean; utf8Share: number }): string {
  if (place.utf8Share > 0 && random.chance(place.utf8Share)) return random.pick(NAMES_BEYOND_ASCII)
  if (place.isFirm && random.chance(0.1)) return random.pick(ROLES)

  const given = random.pick(GIVEN_NAMES)
  const family = random.pick(FAMILY_NAMES)
  const name = place.isFirm ? atFirm(random, given, family) : atProvider(random, given, family)
  return inSomeCase(random, name)
}

function atFirm(random: Random, given: string, family: string): string {
  const draw = random.next()
  if (draw < 0.5) return `${given}.${family}`
  if (draw < 0.7) return `${given.slice(0, 1)}${family}`
  if (draw < 0.8) return given
  if (draw < 0.88) return `${given.slice(0, 1)}.${family}`
  if (draw < 0.94) return `${family}.${given}`
  return draw < 0.97 ? family : `${given.slice(0, 1)}${family.slice(0, 1)}`
}

function atProvider(random: Random, given: string, family: string): string {
  const draw = random.next()
  if (draw < 0.28) return `${given}.${family}`
  if (draw < 0.4) return `${given}${family}`
  if (draw < 0.55) return `${given}.${family}${random.below(100)}`
  if (draw < 0.65) return `${given}${1950 + random.below(60)}`
  if (draw < 0.75) return `${given}_${family}`
  if (draw < 0.85) return `${given.slice(0, 1)}${family}${random.below(1_000)}`
  if (draw < 0.92) return `${given}-${family}`
  return draw < 0.96 ? `${given}.${family}+${random.pick(TAGS)}` : `${given}${family.slice(0, 1)}${random.below(100)}`
}

/** Some forms are filled in with capitals. */
function inSomeCase(random: Random, name: string): string {
  const draw = random.next()
  if (draw < 0.015) return name.toUpperCase()
  return draw < 0.05 ? name.replaceAll(/(?<![a-z])[a-z]/g, (letter) => letter.toUpperCase()) : name
}
