import { repairAddress } from '@probity/engine/address/repair'
import { createMailPopulation, type SimulationSize } from '@probity/lab/simulation/population'
import { openRandom } from '@probity/lab/simulation/random'

/** The file of a job and its expected results: the row of each address, and where it occurs first. */
export type ListFile = { csv: string; expected: Map<number, string> }

/** Rows with an address that repeat an earlier one, and rows without an address. */
const REPEATED_SHARE = 0.02
const BLANK_SHARE = 0.005

/**
 * A server that never replies keeps a probe open longer than any worker runs here, and an address that was in progress
 * at that many crashes is given up.
 */
const LEFT_OUT = 'mx_silent'

/** Other text is neither validated nor charged (packages/uploads/src/read-cell.ts). */
const ADDRESS_LIKE = /[^\s@]@+[^\s@]/

const ADDRESSES_PER_DOMAIN = 50
const DOMAINS_MIN = 300

/** The size of the simulation for a list with this number of rows. */
export function sizeOf(rows: number, seed: number): SimulationSize {
  const addresses = Math.round(rows * (1 - REPEATED_SHARE))
  return { seed, addresses, domains: Math.max(DOMAINS_MIN, Math.round(addresses / ADDRESSES_PER_DOMAIN)) }
}

/** The addresses of a simulation, and the given number of rows with an address; the same for the same seed. */
export function makeList(size: SimulationSize, rows: number): ListFile {
  const random = openRandom(size.seed)
  const simulation = createMailPopulation(size)
  const written = new Set<string>()
  const addresses = simulation.addresses.filter(({ email, behaviour }) => {
    const isRepeated = written.size === written.add(withoutBrackets(email)).size
    // A repaired address can be the one of another mailbox.
    return !isRepeated && behaviour !== LEFT_OUT && repairAddress(email) === undefined
  })
  const lines = ['name,email']
  const expected = new Map<number, string>()
  const write = (email: string) => lines.push(`Customer ${lines.length},${quote(email)}`)
  let filled = 0

  for (const { email } of addresses) {
    write(email)
    if (!ADDRESS_LIKE.test(email)) continue
    expected.set(lines.length, withoutBrackets(email))
    filled += 1
    if (random.chance(BLANK_SHARE)) write('')
    if (filled + 1 > (expected.size * rows) / addresses.length) continue
    write(addresses[random.below(expected.size)]?.email ?? '')
    filled += 1
  }
  return { csv: `${lines.join('\r\n')}\r\n`, expected }
}

/** Brackets are not part of the address: a copied cell may repeat the address of another mailbox. */
function withoutBrackets(email: string): string {
  return email.replace(/^<(.*)>$/, '$1')
}

function quote(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
