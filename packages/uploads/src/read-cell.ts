import { containsAddressLike } from '@probity/contract/constants/text'
import { dedupeKey, keyOfAddress } from '@probity/engine/address/dedupe-key'
import { findAddress } from '@probity/engine/address/find-address'
import type { Address } from '@probity/engine/address/parse'

/**
 * The content of a cell that is not blank. `bare` is an address, `wrapped` is one in a display name, brackets or `mailto:`. `broken`
 * holds text that is meant as an address and has a syntax error; its email is the whole cell. `text` holds no address.
 */
export type Cell = EmailCell | { kind: 'text' }
export type EmailCell =
  | { kind: 'bare' | 'wrapped'; email: string; address: Address }
  | { kind: 'broken'; email: string }

const TEXT: Cell = { kind: 'text' }

export function readCell(cell: string): Cell {
  if (!cell.includes('@') && !cell.includes('%40')) return TEXT
  const whole = cell.trim()
  const found = findAddress(whole)
  if (found) return { kind: found.email === whole ? 'bare' : 'wrapped', ...found }
  return containsAddressLike(whole) ? { kind: 'broken', email: whole } : TEXT
}

/** Cells with the same key hold the same address. Parsing takes most of the time of a reading, so it is not done twice. */
export function keyOfCell(cell: EmailCell): string {
  return cell.kind === 'broken' ? dedupeKey(cell.email) : keyOfAddress(cell.address)
}
