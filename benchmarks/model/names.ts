import { allLocales, type LocaleDefinition } from '@faker-js/faker'
import anyAscii from 'any-ascii'

/** The first and last names of one language, in ASCII letters as in addresses. */
export type Names = { first: string[]; last: string[] }

/**
 * Locales whose script omits vowels or is read as another language: any-ascii would turn their names into strings that
 * are never typed.
 */
const UNREADABLE = new Set(['ar', 'dv', 'fa', 'he', 'ja', 'ku_ckb', 'ur'])

/** The names of all faker locales that can be written in ASCII, in the order of their keys. */
export function listNames(): Names[] {
  return Object.keys(allLocales)
    .toSorted()
    .filter((key) => !UNREADABLE.has(key))
    .map((key) => namesOf(allLocales[key as keyof typeof allLocales]))
    .filter(({ first, last }) => first.length > 0 && last.length > 0)
}

/** faker's Hangul names, for people who type them on a Latin keyboard. */
export function listHangulNames(): string[] {
  const { first, last } = rawNames(allLocales.ko)
  return last.flatMap((family) => first.map((given) => family + given))
}

function namesOf(locale: LocaleDefinition): Names {
  const { first, last } = rawNames(locale)
  return { first: toAscii(first), last: toAscii(last) }
}

function rawNames({ person }: LocaleDefinition): Names {
  return { first: flatten(person?.first_name), last: flatten(person?.last_name) }
}

function flatten(byGender: unknown): string[] {
  const lists = Object.values((byGender ?? {}) as Record<string, unknown>).filter((list) => Array.isArray(list))
  return [...new Set((lists as string[][]).flat())].filter((name) => !name.includes('{{'))
}

/** Lower-case letters only: the form of `Nguyễn Văn`, `D'Angelo` and `Лев` in an address. */
export function toAscii(words: readonly string[]): string[] {
  const plain = words.map((word) =>
    anyAscii(word)
      .toLowerCase()
      .replaceAll(/[^a-z]/g, ''),
  )
  return [...new Set(plain)].filter((word) => word.length >= 2)
}
