import { sql } from 'kysely'
import { asNobody, type Db, type Trx } from './connect.ts'

/** What came of asking the mail servers of one provider from one way out. */
export type ProbeCounts = {
  provider: string
  egress: string
  /** All that were asked, whatever came of it. */
  probes: number
  conclusive: number
  deferred: number
  blocked: number
  /** Nobody answered, or not in time. */
  noResponse: number
  /** Not asked: our own pace, or an operator, held us back. */
  throttled: number
  ms: number[]
  lastBlock: string | null
}

/** Adds to what was counted in this hour. */
export async function noteProbes(db: Db, counts: ProbeCounts[]): Promise<void> {
  const rows = counts.map(({ lastBlock, noResponse, ...rest }) => ({
    ...rest,
    no_response: noResponse,
    last_block: lastBlock,
  }))
  await asNobody(db, (trx) => sql`select record_probes(${JSON.stringify(rows)}::jsonb)`.execute(trx))
}

/** The counts of the last so many hours, the running one included, by provider and way out. As an operator. */
export async function listProbes(trx: Trx, hours: number) {
  return trx
    .selectFrom('providerHours')
    .select([
      'provider',
      'egress',
      'hour',
      'probes',
      'conclusive',
      'deferred',
      'blocked',
      'noResponse',
      'throttled',
      'ms',
    ])
    .select(['lastBlock', 'lastBlockAt'])
    .where('hour', '>', sql<Date>`clock_timestamp() - make_interval(hours => ${hours})`)
    .orderBy('hour')
    .execute()
}
