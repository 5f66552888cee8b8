import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { MODEL_PARAMETERS } from '@probity/contract/constants/data/model-parameters'
import { sql } from 'kysely'
import { type Db, type Trx, withoutTenant } from '../connection/connect.ts'
import { type Move, moveSums, type Prediction } from './outcome-sums.ts'

/** One outcome of a report. The address is used as its key only, and stored as a mark only. */
export type Outcome = Omit<Move, 'n'> & { emailKey: string }

/** Outcomes of mail that was sent on one day, each address once. */
export type Report = { sentOn: string; outcomes: Outcome[] }

/** Days after sending; until then a repeated outcome is recognized. */
export const MARK_KEPT_DAYS = 90

/** Marks that are computed before other requests of the process continue. */
const MARKS_PER_TURN = 1_000

/**
 * Counts the outcomes that were not counted before, for the transaction's tenant: the sums change by exactly the inserted marks. A bounce
 * after its delivery subtracts the delivery and counts instead; a delivery never replaces a bounce. The addresses themselves are not
 * stored.
 */
export async function countOutcomes(trx: Trx, accountId: string, { sentOn, outcomes }: Report) {
  const secret = await getMarkSecret(trx)
  const marked = new Map<string, Outcome>()
  for (const [n, one] of outcomes.entries()) {
    if (n % MARKS_PER_TURN === MARKS_PER_TURN - 1) await nextTurn()
    marked.set(markOf(secret, accountId, `${one.emailKey}\0${sentOn}`), one)
  }
  const place = { accountId, sentOn }
  const inserted = await insertMarks(trx, place, marked)
  const late = [...marked].filter(([mark, { outcome }]) => outcome === 'bounced' && !inserted.has(mark))
  const turned = await changeToBounces(
    trx,
    place,
    late.map(([mark]) => mark),
  )
  const moves = [...marked].filter(([mark]) => inserted.has(mark)).map(([, one]) => moveOf(one))
  for (const { mark, factor, weight, ...prediction } of turned) {
    const { domain, shape, looksMachine } = marked.get(mark) as Outcome
    const known = prediction.p === null ? undefined : (prediction as Prediction)
    const same = { domain, shape, looksMachine, prediction: known, deliveriesBeside: undefined }
    moves.push({ ...same, outcome: 'delivered', n: -factor, weight: -factor * weight })
    moves.push({ ...same, outcome: 'bounced', n: 1, weight: 1 })
  }
  await moveSums(trx, accountId, moves)
  const delivered = [...marked].filter(([mark, one]) => one.outcome === 'delivered' && inserted.has(mark)).length
  const bounced = inserted.size - delivered + turned.length
  return { delivered, bounced, duplicate: outcomes.length - delivered - bounced }
}

function moveOf({ emailKey: _, ...outcome }: Outcome): Move {
  return { ...outcome, n: 1 }
}

export async function getMarkSecret(trx: Trx): Promise<KeyObject> {
  const secret = trx.selectFrom('secrets').select('value').where('name', '=', 'outcome_marks')
  return createSecretKey((await secret.executeTakeFirstOrThrow()).value)
}

export function markOf(secret: KeyObject, accountId: string, subject: string): string {
  return createHmac('sha256', secret).update(`${accountId}\0${subject}`).digest('hex')
}

type Place = { accountId: string; sentOn: string }

/** Returns the marks that did not exist. Inserts in the order of the marks, so that two concurrent reports never deadlock. */
async function insertMarks(trx: Trx, { accountId, sentOn }: Place, marked: Map<string, Outcome>): Promise<Set<string>> {
  const marks = [...marked.keys()]
  const given = [...marked.values()]
  const column = <T>(read: (one: Outcome) => T) => given.map(read)
  const { rows } = await sql<{ mark: string }>`
    insert into outcome_marks (expires_on, account_id, mark, outcome, weight, sub_status, provider, is_decided, p)
    select ${sentOn}::date + ${MARK_KEPT_DAYS}::integer, ${accountId}, decode(g.mark, 'hex'), g.outcome, g.weight,
      g.sub_status, g.provider, g.is_decided, g.p
    from unnest(
      ${marks}::text[], ${column((one) => one.outcome)}::text[], ${column((one) => one.weight)}::double precision[],
      ${column((one) => one.prediction?.subStatus ?? null)}::text[], ${column((one) => one.prediction?.provider ?? null)}::text[],
      ${column((one) => one.prediction?.isDecided ?? null)}::boolean[],
      ${column((one) => one.prediction?.p ?? null)}::double precision[]
    ) as g (mark, outcome, weight, sub_status, provider, is_decided, p)
    order by g.mark
    on conflict do nothing
    returning encode(mark, 'hex') as mark`.execute(trx)
  return new Set(rows.map(({ mark }) => mark))
}

type Turned = { mark: string; factor: number; weight: number } & { [Part in keyof Prediction]: Prediction[Part] | null }

/** Changes counted deliveries to bounces, and returns their weights and decay factors. */
async function changeToBounces(trx: Trx, { accountId, sentOn }: Place, marks: string[]): Promise<Turned[]> {
  if (marks.length === 0) return []
  const { rows } = await sql<Turned>`
    with counted as (
      select m.mark, m.weight, decay_since(m.counted_at, ${MODEL_PARAMETERS.half_life_days}) as factor,
        m.sub_status, m.provider, m.is_decided, m.p
      from outcome_marks m
      where m.expires_on = ${sentOn}::date + ${MARK_KEPT_DAYS}::integer and m.account_id = ${accountId}
        and m.mark in (select decode(g.mark, 'hex') from unnest(${marks}::text[]) as g (mark)) and m.outcome = 'delivered'
      order by m.mark for update
    ), turned as (
      update outcome_marks m set outcome = 'bounced', weight = 1, counted_at = clock_timestamp()
      from counted c
      where m.expires_on = ${sentOn}::date + ${MARK_KEPT_DAYS}::integer and m.account_id = ${accountId} and m.mark = c.mark
    )
    select encode(c.mark, 'hex') as mark, c.weight, c.factor, c.sub_status, c.provider, c.is_decided, c.p from counted c`.execute(
    trx,
  )
  return rows
}

/** A sum below this weight is not significant. */
const MASS_MIN = 0.05

const DOMAINS_AT_ONCE = 10_000
/** A million domains; the next run deletes the rest. */
const ROUNDS_MAX = 100

/** Deletes sums of outcomes that were reported long ago. Any process may run it at any time. */
export async function removeDecayedOutcomes(db: Db): Promise<number> {
  let removed = 0
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const { rows } = await withoutTenant(db, (trx) =>
      sql<{ n: number }>`
        select delete_decayed_outcomes(${MODEL_PARAMETERS.half_life_days}, ${MASS_MIN}, ${DOMAINS_AT_ONCE}) as n`.execute(
        trx,
      ),
    )
    const n = rows[0]?.n ?? 0
    removed += n
    if (n < DOMAINS_AT_ONCE) break
  }
  return removed
}
