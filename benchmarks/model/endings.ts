import { POPULAR_NUMBERS } from './data/wording.ts'
import { below, draw, pick, type Random } from './random.ts'

/** Separators between the parts of a name, repeated by frequency. */
export const SEPARATORS = ['.', '.', '.', '_', '_', '-', '', '', '']

const POPULAR = POPULAR_NUMBERS.split(' ')

/** Years, birthdays and the numbers that are left when the plain name is taken. Most names have no ending. */
export function ending(random: Random): string {
  const kind = random()
  if (kind < 0.62) return ''
  if (kind < 0.72) return String(1950 + below(random, 75))
  if (kind < 0.82) return draw(random, '0123456789', 2)
  if (kind < 0.88) return draw(random, '123456789', 1)
  if (kind < 0.94) return pick(random, POPULAR)
  return draw(random, '0123456789', 3 + below(random, 4))
}
