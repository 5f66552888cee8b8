import { MODEL_PARAMETERS } from '@probity/contract/constants/data/model-parameters'
import { sql } from 'kysely'
import type { Trx } from '../connection/connect.ts'
import type { CalibrationBin } from './calibration.ts'

/** The prediction for an address before mail was sent to it. */
export type Prediction = { p: number; subStatus: string; provider: string; isDecided: boolean }

/** The change of the sums by an outcome; a subtraction if n and weight are negative. */
export type Move = {
  outcome: 'delivered' | 'bounced'
  n: number
  /** The number of outcomes that it represents, if not all of its kind were reported. */
  weight: number
  domain: string
  /** The position of its shape in the order of shapes. */
  shape: number
  /** Whether its text looks auto-generated. */
  looksMachine: boolean
  prediction: Prediction | undefined
  /** Deliveries of its class that are known as a total only. Their addresses are unknown, so only the class changes. */
  deliveriesBeside: number | undefined
}

/** Applies the changes to all sums of the transaction's tenant. */
export async function moveSums(trx: Trx, accountId: string, moves: Move[]): Promise<void> {
  await moveDomains(trx, accountId, sumDomains(moves))
  await moveClasses(trx, accountId, sumClasses(moves))
  await moveCalibration(trx, accountId, sumBins(moves))
}

const FADED = sql`decay_since(o.counted_at, ${MODEL_PARAMETERS.half_life_days})`

type DomainSum = { domain: string; delivered: number; bounced: number; shapes: number[] }

function sumDomains(moves: Move[]): DomainSum[] {
  const sums = new Map<string, DomainSum>()
  for (const { outcome, weight, domain, shape, deliveriesBeside } of moves) {
    if (deliveriesBeside !== undefined) continue
    const sum = sums.get(domain) ?? { domain, delivered: 0, bounced: 0, shapes: [] }
    sums.set(domain, sum)
    sum[outcome] += weight
    if (outcome === 'bounced') continue
    while (sum.shapes.length <= shape) sum.shapes.push(0)
    sum.shapes[shape] = (sum.shapes[shape] ?? 0) + weight
  }
  return [...sums.values()]
}

async function moveDomains(trx: Trx, accountId: string, sums: DomainSum[]): Promise<void> {
  if (sums.length === 0) return
  const shapes = sums.map((sum) => `{${sum.shapes.join()}}`)
  await sql`
    insert into domain_outcomes as o (account_id, domain, delivered, bounced, shapes)
    select ${accountId}, g.domain, g.delivered, g.bounced, g.shapes::double precision[]
    from unnest(
      ${sums.map((sum) => sum.domain)}::text[], ${sums.map((sum) => sum.delivered)}::double precision[],
      ${sums.map((sum) => sum.bounced)}::double precision[], ${shapes}::text[]
    ) as g (domain, delivered, bounced, shapes)
    order by g.domain
    on conflict (account_id, domain) do update set
      delivered = o.delivered * ${FADED} + excluded.delivered, bounced = o.bounced * ${FADED} + excluded.bounced,
      shapes = add_decayed(o.shapes, ${FADED}, excluded.shapes), counted_at = excluded.counted_at`.execute(trx)
}

type ClassSum = { subStatus: string; provider: string; delivered: number; bounced: number; machine: number }

function sumClasses(moves: Move[]): ClassSum[] {
  const sums = new Map<string, ClassSum>()
  for (const { outcome, weight, looksMachine, prediction, deliveriesBeside = 0 } of moves) {
    if (prediction === undefined) continue
    const { subStatus, provider } = prediction
    const name = `${subStatus}\0${provider}`
    const sum = sums.get(name) ?? { subStatus, provider, delivered: 0, bounced: 0, machine: 0 }
    sums.set(name, sum)
    sum[outcome] += weight
    if (outcome === 'bounced' && looksMachine) sum.machine += weight
    sum.delivered += deliveriesBeside
  }
  return [...sums.values()]
}

async function moveClasses(trx: Trx, accountId: string, sums: ClassSum[]): Promise<void> {
  if (sums.length === 0) return
  await sql`
    insert into class_outcomes as o (account_id, sub_status, provider, delivered, bounced, machine)
    select ${accountId}, g.sub_status, g.provider, g.delivered, g.bounced, g.machine
    from unnest(
      ${sums.map((sum) => sum.subStatus)}::text[], ${sums.map((sum) => sum.provider)}::text[],
      ${sums.map((sum) => sum.delivered)}::double precision[], ${sums.map((sum) => sum.bounced)}::double precision[],
      ${sums.map((sum) => sum.machine)}::double precision[]
    ) as g (sub_status, provider, delivered, bounced, machine)
    order by g.sub_status, g.provider
    on conflict (account_id, sub_status, provider) do update set
      delivered = o.delivered * ${FADED} + excluded.delivered, bounced = o.bounced * ${FADED} + excluded.bounced,
      machine = o.machine * ${FADED} + excluded.machine, counted_at = excluded.counted_at`.execute(trx)
}

const BINS = 10

type BinSum = Omit<CalibrationBin, 'countedAt'>

/** Deliveries that are known as a total only have no prediction to compare. */
function sumBins(moves: Move[]): BinSum[] {
  const sums = new Map<string, BinSum>()
  for (const { outcome, n, weight, prediction, deliveriesBeside } of moves) {
    if (prediction === undefined || deliveriesBeside !== undefined) continue
    const { p, provider, isDecided } = prediction
    const kind = isDecided ? 'decided' : 'weighed'
    const bin = Math.min(Math.floor(p * BINS), BINS - 1)
    const name = `${provider}\0${kind}\0${bin}`
    const empty = { n: 0, weight: 0, sumP: 0, sumSquaredError: 0, delivered: 0 }
    const sum = sums.get(name) ?? { provider, kind, bin, ...empty }
    sums.set(name, sum)
    const came = outcome === 'delivered' ? 1 : 0
    sum.n += n
    sum.weight += weight
    sum.sumP += weight * p
    sum.sumSquaredError += weight * (came - p) ** 2
    sum.delivered += weight * came
  }
  return [...sums.values()]
}

async function moveCalibration(trx: Trx, accountId: string, sums: BinSum[]): Promise<void> {
  if (sums.length === 0) return
  const column = <T>(read: (sum: BinSum) => T) => sums.map(read)
  await sql`
    insert into calibration as o (account_id, provider, kind, bin, n, weight, sum_p, sum_squared_error, delivered)
    select ${accountId}, g.*
    from unnest(
      ${column((sum) => sum.provider)}::text[], ${column((sum) => sum.kind)}::text[], ${column((sum) => sum.bin)}::smallint[],
      ${column((sum) => sum.n)}::double precision[], ${column((sum) => sum.weight)}::double precision[],
      ${column((sum) => sum.sumP)}::double precision[], ${column((sum) => sum.sumSquaredError)}::double precision[],
      ${column((sum) => sum.delivered)}::double precision[]
    ) as g (provider, kind, bin, n, weight, sum_p, sum_squared_error, delivered)
    order by g.provider, g.kind, g.bin
    on conflict (account_id, provider, kind, bin) do update set
      n = o.n * ${FADED} + excluded.n, weight = o.weight * ${FADED} + excluded.weight,
      sum_p = o.sum_p * ${FADED} + excluded.sum_p,
      sum_squared_error = o.sum_squared_error * ${FADED} + excluded.sum_squared_error,
      delivered = o.delivered * ${FADED} + excluded.delivered, counted_at = excluded.counted_at`.execute(trx)
}
