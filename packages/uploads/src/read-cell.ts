import { findAddresses } from '@probity/contract/address-text'
import { TEXT_UNITS_MAX } from '@probity/engine/address/characters'
import { findAddress } from '@probity/engine/address/find-address'

/**
 * The content of a cell that is not blank. `bare` is an address, `wrapped` is one in a display name, brackets or `mailto:`. `broken`
 * holds text that is meant as an address and has a syntax error; its email is the whole cell. `text` holds no address.
 */
export type Cell = { kind: 'bare' | 'wrapped' | 'broken'; email: string } | { kind: 'text' }

const TEXT: Cell = { kind: 'text' }

export function readCell(cell: string): Cell {
  if (!cell.includes('@') && !cell.includes('%40')) return TEXT
  const whole = cell.trim()
  const email = findAddress(whole)
  if (email !== undefined) return { kind: email === whole ? 'bare' : 'wrapped', email }
  // A text that is too long for an address is not searched.
  const isBroken = whole.length > TEXT_UNITS_MAX || findAddresses(whole).length > 0
  return isBroken ? { kind: 'broken', email: whole } : TEXT
}
