import { printTable } from '../report/print-table.ts'
import { domainOf, type Known, listKnown, SMALL_DOMAINS } from './addresses.ts'
import type { BenchPostfix } from './postfix.ts'
import { probeLists } from './prober.ts'

/** More than one batch, so that the second batch can use what the first learned. */
const DOMAIN_SIZE = 250
/** Shares of unknown recipients, assigned to the domains in turn. */
const SHARES = [0, 0.05, 0.5, 1]

/**
 * The largest number of control recipients that Postfix received at one domain, by its own log. All domains are probed
 * twice and at once, on as many connections as a worker has.
 */
export async function countControls({ place, listRefused }: BenchPostfix) {
  const lists = SMALL_DOMAINS.map((domain, n) =>
    listKnown(domain, { size: DOMAIN_SIZE, badShare: SHARES[n % SHARES.length] ?? 0, seed: n }),
  )
  await probeLists([lists.flat(), lists.flat()], place)
  const counts = countUnwanted(lists, await listRefused())
  const most = SHARES.map((_, kind) => Math.max(...counts.filter((_count, n) => n % SHARES.length === kind)))
  printTable(`${lists.length} domains of ${DOMAIN_SIZE} addresses, asked twice`, [
    ['bad addresses', ...SHARES.map((share) => `${share * 100} %`)],
    ['control recipients', ...most],
  ])
  return { control_recipients_per_domain: Math.max(...counts) }
}

/** None of these domains is a catch-all, so every unknown recipient was rejected and is in the log. */
function countUnwanted(lists: Known[][], refused: string[]): number[] {
  return lists.map((list) => {
    const wanted = new Set(list.map(({ email }) => email))
    const domain = domainOf(list[0]?.email ?? '')
    return refused.filter((email) => domainOf(email) === domain && !wanted.has(email)).length
  })
}
