import type { LeftOutReason, MalformedOption, SeveralAddresses } from '@probity/contract/constants/jobs'
import { containsAddressLike, splitCell, unwrapPart } from '@probity/contract/constants/text'
import { dedupeKey, keyOfAddress } from '@probity/engine/address/dedupe-key'
import { type Address, parseAddress } from '@probity/engine/address/parse'
import { mayNeedRepair, repairAddress, simplifyText } from '@probity/engine/address/repair'

/** Replaces an erased address in a stored file. It is not an address, so no job reads it as one. */
export const ERASED_CELL = 'erased'

/**
 * One value of a cell. `address` is an address, also one in a display name, in brackets or in `mailto:`, or one that a repair found.
 * `malformed` is meant as an address and has a syntax error. `erased` keeps the position of an erased address.
 */
export type CellValue =
  | { kind: 'address'; email: string; address: Address; isRepaired: boolean }
  | { kind: 'malformed'; email: string }
  | { kind: 'erased' }

/** Which values of a cell are validated. The first one is the first address, or a malformed value if there is no address. */
export type CellOptions = { several: SeveralAddresses; malformed: MalformedOption }

/** What a client gets that names no options. */
export const DEFAULT_CELL_OPTIONS: CellOptions = { several: 'first', malformed: 'validate' }

/** A value of a cell with its position, from 0. */
export type ChosenValue = { position: number; email: string; value: Exclude<CellValue, { kind: 'erased' }> }
export type LeftOutValue = ChosenValue & { reason: LeftOutReason }

/** All values of a cell that is not blank, in order; none if it contains no text that is meant as an address. */
export function readCell(cell: string): CellValue[] {
  const whole = cell.trim()
  if (whole === ERASED_CELL) return [{ kind: 'erased' }]
  if (!mayHaveAddress(whole)) return []
  const address = parseAddress(whole)
  if (address.kind === 'address') return [{ kind: 'address', email: whole, address, isRepaired: false }]
  const values = splitCell(simplifyText(whole)).flatMap((part) => readPart(part, whole))
  if (values.length > 0) return values
  return containsAddressLike(whole) ? [{ kind: 'malformed', email: whole }] : []
}

function mayHaveAddress(text: string): boolean {
  return text.includes('@') || text.includes('%40') || mayNeedRepair(text)
}

function readPart(part: string, whole: string): CellValue[] {
  if (part === ERASED_CELL) return [{ kind: 'erased' }]
  if (!mayHaveAddress(part)) return []
  const candidates = unwrapPart(part)
  const values = candidates.map((candidate) => readValue(candidate, whole))
  if (values.some(({ kind }) => kind === 'address')) return values
  const repaired = repairAddress(part)
  if (repaired) return [{ kind: 'address', ...repaired, isRepaired: true }]
  const words = readWords(part)
  if (words.length > 0) return words
  if (candidates.length > 1) return values
  return containsAddressLike(part) ? [{ kind: 'malformed', email: part }] : []
}

/** An address whose text is not in the cell had invisible or full-width characters. */
function readValue(text: string, whole: string): CellValue {
  const address = parseAddress(text)
  if (address.kind === 'address') return { kind: 'address', email: text, address, isRepaired: isChanged(text, whole) }
  const repaired = repairAddress(text)
  return repaired ? { kind: 'address', ...repaired, isRepaired: true } : { kind: 'malformed', email: text }
}

/** The text of a percent-encoded `mailto:` URI is not in the cell either, and is no repair. */
function isChanged(text: string, whole: string): boolean {
  return !whole.includes(text) && !whole.includes('%')
}

const BETWEEN_WORDS = /[\s|/]+/
const CONNECTORS = new Set(['and', 'or', '&', '+', '-', 'und', 'oder', 'et', 'ou', 'y', 'o', 'e'])

/** Addresses with nothing but white space, bars, slashes and connectors between them. A name beside one may be a part of it. */
function readWords(part: string): CellValue[] {
  const words = part.split(BETWEEN_WORDS).filter((word) => word !== '' && !CONNECTORS.has(word.toLowerCase()))
  if (words.length < 2) return []
  const values = words.map((word) => readValue(word, part))
  return values.every(({ kind }) => kind === 'address') ? values : []
}

/** The values of a cell by whether they are validated. */
export function chooseValues(
  values: CellValue[],
  { several, malformed }: CellOptions,
): { chosen: ChosenValue[]; leftOut: LeftOutValue[] } {
  const present = values.flatMap((value, position) =>
    value.kind === 'erased' ? [] : [{ position, email: value.email, value }],
  )
  const allowed = malformed === 'skip' ? present.filter(({ value }) => value.kind === 'address') : present
  const first = allowed.find(({ value }) => value.kind === 'address') ?? allowed[0]
  const chosen = several === 'all' || first === undefined ? allowed : [first]
  const leftOut = present
    .filter((one) => !chosen.includes(one))
    .map((one) => ({
      ...one,
      reason:
        one.value.kind === 'malformed' && malformed === 'skip' ? ('malformed' as const) : ('another_address' as const),
    }))
  return { chosen, leftOut }
}

/** Values with the same key are the same address. Parsing takes most of the reading time, so it is not repeated. */
export function keyOfValue(value: ChosenValue['value']): string {
  return value.kind === 'malformed' ? dedupeKey(value.email) : keyOfAddress(value.address)
}
