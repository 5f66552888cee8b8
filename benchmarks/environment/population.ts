import { createMailPopulation, type SimulatedAddress, type SimulationSize } from '@probity/lab/simulation/population'

/**
 * Servers that reply at once and accept several recipients per transaction, large ones and small ones. At other servers
 * a job waits for greylisting, tarpits and provider limits, which are not the product's latency.
 */
const PROMPT = new Set<SimulatedAddress['behaviour']>([
  'gmail',
  'icloud',
  'google_workspace',
  'rackspace',
  'zoho',
  'strato',
  'proofpoint',
  'barracuda',
  'messagelabs',
  'cisco',
  'postfix',
  'exim',
  'ovh',
  'yandex',
  'comcast',
])

/** About half of a simulation is at such servers; this is enough for every seed. */
const ADDRESSES_PER_ROW = 3
const ROWS_PER_DOMAIN = 25
const DOMAINS_MIN = 300

/** `others` are at one large provider and not in the list: they warm up the workers before the measurement. */
export type Population = { size: SimulationSize; addresses: SimulatedAddress[]; others: SimulatedAddress[] }

const OTHERS = 5_000

/** Addresses at prompt servers, up to a number. `onlyExisting`: none that is rejected. */
export function drawPopulation(rows: number, { onlyExisting }: { onlyExisting: boolean }): Population {
  const domains = Math.max(DOMAINS_MIN, Math.round(rows / ROWS_PER_DOMAIN))
  const size = { seed: 1, domains, addresses: rows * ADDRESSES_PER_ROW }
  const prompt = createMailPopulation(size).addresses.filter(
    ({ behaviour, exists, email }) =>
      PROMPT.has(behaviour) && (exists === 'yes' || !onlyExisting) && /^[\x21-\x7e]+$/.test(email),
  )
  if (prompt.length < rows) throw new Error(`the world has ${prompt.length} addresses for a list of ${rows}`)
  const others = prompt.slice(rows).filter(({ behaviour }) => behaviour === 'gmail')
  return { size, addresses: prompt.slice(0, rows), others: others.slice(0, OTHERS) }
}

export function writeCsv(addresses: SimulatedAddress[]): string {
  return `name,email\r\n${addresses.map(({ email }, n) => `Customer ${n + 1},${email}\r\n`).join('')}`
}
