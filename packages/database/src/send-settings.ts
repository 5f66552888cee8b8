import { sql } from 'kysely'
import type { Trx } from './connect.ts'

/** What an account considers safe to send to. Recent results are stored by it. */
export type SendSettings = { sendThreshold: number; excludedTraits: string[] }

/** Changes that are looked at. Beyond that an account changes its settings by a program, and only the latest are considered. */
const CHANGES_MAX = 20

/** The settings of an account, and every combination of those that it had within the last seconds, by its audit log. */
export async function listSendSettings(trx: Trx, accountId: string, seconds: number): Promise<SendSettings[]> {
  const account = trx.selectFrom('accounts').select(['sendThreshold', 'excludedTraits']).where('id', '=', accountId)
  const now = await account.executeTakeFirstOrThrow()
  const { rows } = await sql<{ threshold: number | null; excludes: string[] | null }>`
    select (changes #>> '{send_threshold,0}')::double precision as threshold, changes #> '{excluded_traits,0}' as excludes
    from audit_entries
    where account_id = ${accountId} and at > clock_timestamp() - make_interval(secs => ${seconds})
      and changes ?| array['send_threshold', 'excluded_traits']
    order by id desc limit ${CHANGES_MAX}`.execute(trx)
  const thresholds = new Set([now.sendThreshold, ...rows.flatMap(({ threshold }) => threshold ?? [])])
  const excludes = new Map(
    [now.excludedTraits, ...rows.flatMap((row) => (row.excludes ? [row.excludes] : []))].map(keyed),
  )
  return [...thresholds].flatMap((sendThreshold) =>
    [...excludes.values()].map((excludedTraits) => ({ sendThreshold, excludedTraits })),
  )
}

function keyed(excludes: string[]): [string, string[]] {
  return [excludes.toSorted().join(), excludes]
}
