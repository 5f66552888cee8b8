import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { asOwner, connect } from '@probity/database/connect'
import { makeFolder, removeFolder, unprivilegedUser } from '@probity/lab/services/daemon'
import { layOut } from '@probity/lab/world/loopback'
import { makeWorld, type WorldAddress, type WorldSize } from '@probity/lab/world/population'
import { parse } from 'csv-parse'
import { sql } from 'kysely'
import { ADDRESS_BASE } from './accuracy-place.ts'
import { domainOf } from './probe-list.ts'
import { askBare } from './probe-ways.ts'

/** What a list cannot be had for less than: reading it, asking for its addresses without any care, and keeping what came out. */
export type BareParts = { parse: number; probe: number; copy: number }

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
    copy: await measureCopy(databaseUrl, jobId),
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

/** The very results that the product kept, into a table of the same shape with the same key. */
async function measureCopy(databaseUrl: string, jobId: string): Promise<number> {
  const user = unprivilegedUser()
  const folder = makeFolder('probity-bench-copy', user)
  const file = join(folder, 'results')
  const db = connect(databaseUrl, { connectionsMax: 1 })
  try {
    writeFileSync(file, '')
    chmodSync(file, 0o666) // PostgreSQL writes it, as another user
    const columns = sql.raw('row_no, email, status, sub_status, answer')
    await asOwner(db, async (trx) => {
      await sql`create table bare_results (row_no integer primary key, email text not null, status text not null,
        sub_status text not null, answer json not null)`.execute(trx)
      const wanted = `select row_no, email, status, sub_status, result from job_results where job_id = '${jobId}' order by row_no`
      await sql`copy (${sql.raw(wanted)}) to ${sql.lit(file)}`.execute(trx)
    })
    const began = performance.now()
    await asOwner(db, (trx) => sql`copy bare_results (${columns}) from ${sql.lit(file)}`.execute(trx))
    const seconds = (performance.now() - began) / 1_000
    await asOwner(db, (trx) => sql`drop table bare_results`.execute(trx))
    return seconds
  } finally {
    await db.destroy()
    removeFolder(folder)
  }
}
