import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { asOwner, connect, type Db } from '@probity/database/connect'
import { listTestResults } from '@probity/database/test-results'
import { makeFolder, removeFolder, unprivilegedUser } from '@probity/lab/services/daemon'
import { layOut } from '@probity/lab/world/loopback'
import { makeWorld, type WorldAddress, type WorldSize } from '@probity/lab/world/population'
import { parse } from 'csv-parse'
import { sql } from 'kysely'
import { ADDRESS_BASE } from './accuracy-place.ts'
import { domainOf } from './probe-list.ts'
import { askBare } from './probe-ways.ts'

/** What a list cannot be had for less than: reading it, asking for its addresses without any care, and keeping what came out. */
export type BareParts = { parse: number; probe: number; copy: number; copyChunks: number }

/** Domains that are asked at the same time, each on one connection. */
const DOMAINS_AT_ONCE = 16
const ROUNDS = 5

type Task = {
  csv: string
  size: WorldSize
  addresses: WorldAddress[]
  smtpPort: number
  databaseUrl: string
  jobId: string
}

/** The seconds that each part takes alone, one after the other. */
export async function measureBare({ csv, size, addresses, smtpPort, databaseUrl, jobId }: Task): Promise<BareParts> {
  const hostOf = openHosts(size)
  const byDomain = [...Map.groupBy(addresses, ({ email }) => domainOf(email).toLowerCase())]
  return {
    parse: await timed(async () => {
      const records = parse(csv, { columns: true })
      for await (const _ of records);
    }),
    probe: await timed(async () => {
      const waiting = byDomain.values()
      const askers = Array.from({ length: DOMAINS_AT_ONCE }, async () => {
        for (const [domain, some] of waiting) {
          const emails = some.map(({ email }) => email)
          await askBare(emails, { host: hostOf(domain).host, port: smtpPort })
        }
      })
      await Promise.all(askers)
    }),
    ...(await measureCopies(databaseUrl, jobId)),
  }
}

/** The median of several rounds: each is so short that other work on the machine would decide it. */
async function timed(work: () => Promise<void>): Promise<number> {
  const rounds: number[] = []
  while (rounds.length < ROUNDS) {
    const began = performance.now()
    await work()
    rounds.push((performance.now() - began) / 1_000)
  }
  return rounds.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0
}

/** The first mail host of a domain, as the world's DNS would say, and who runs it: what shares one budget of connections. */
export function openHosts(size: WorldSize): (domain: string) => { host: string; site: string } {
  const world = makeWorld(size)
  const { addressOf } = layOut(ADDRESS_BASE, world.domains)
  return (name) => {
    const domain = world.findDomain(name)
    const [first] = domain?.hosts.toSorted((a, b) => a.preference - b.preference) ?? []
    if (!domain?.site || first === undefined) throw new Error(`nobody takes mail for ${name}`)
    return { host: addressOf(first.name), site: domain.provider || first.name }
  }
}

/** The results that the product stored, as rows of full JSON and as the chunks that the product writes, each into a table with a key. */
async function measureCopies(databaseUrl: string, jobId: string): Promise<Pick<BareParts, 'copy' | 'copyChunks'>> {
  const user = unprivilegedUser()
  const folder = makeFolder('probity-bench-copy', user)
  const file = join(folder, 'results')
  const db = connect(databaseUrl, { connectionsMax: 1 })
  try {
    const lines = (await listTestResults(db, jobId)).map(({ rowNo, email, status, subStatus, result }) =>
      [rowNo, email, status, subStatus, result].map((value) => String(value).replaceAll('\\', '\\\\')).join('\t'),
    )
    writeFileSync(file, `${lines.join('\n')}\n`)
    chmodSync(file, 0o666) // PostgreSQL reads it, and writes the chunks to it, as another user
    const rows =
      'row_no integer primary key, email text not null, status text not null, sub_status text not null, answer json not null'
    const copy = await measureCopy(db, `create table bare_results (${rows})`, `copy bare_results from '${file}'`)
    const chunks = 'no, size, first_row, last_row, row_nos, tally, index, results'
    const select = `select ${chunks} from result_chunks where job_id = '${jobId}' order by no`
    await asOwner(db, (trx) => sql`copy (${sql.raw(select)}) to ${sql.lit(file)}`.execute(trx))
    const copyChunks = await measureCopy(
      db,
      `create table bare_results as ${select} with no data; alter table bare_results add primary key (no)`,
      `copy bare_results from '${file}'`,
    )
    return { copy, copyChunks }
  } finally {
    await db.destroy()
    removeFolder(folder)
  }
}

async function measureCopy(db: Db, create: string, copy: string): Promise<number> {
  await asOwner(db, (trx) => sql.raw(create).execute(trx))
  const began = performance.now()
  await asOwner(db, (trx) => sql.raw(copy).execute(trx))
  const seconds = (performance.now() - began) / 1_000
  await asOwner(db, (trx) => sql`drop table bare_results`.execute(trx))
  return seconds
}
