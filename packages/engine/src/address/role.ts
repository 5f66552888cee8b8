import { ROLE_ENDINGS, ROLES } from './data/roles.ts'
import type { Address } from './parse.ts'

const SEPARATORS = ['-', '_', '.', '']

const WORDS = new Set(ROLES.flatMap((word) => SEPARATORS.map((separator) => word.replaceAll('-', separator))))

/** Whether the address is a role address. A tag makes no difference. */
export function isRole({ local, tag }: Address): boolean {
  const name = (tag === null ? local : local.slice(0, local.indexOf('+'))).toLowerCase()
  return WORDS.has(name) || ROLE_ENDINGS.some((ending) => name.endsWith(ending))
}
