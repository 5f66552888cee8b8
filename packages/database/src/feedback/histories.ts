import { MODEL_PARAMETERS } from '@probity/contract/constants/data/model-parameters'
import { sql } from 'kysely'
import { type Db, inTenant, type Trx } from '../connection/connect.ts'
import { listReliability } from './calibration.ts'

/** Outcomes with weights that decrease with age; hence fractions. */
export type Tally = { delivered: number; bounced: number }

/** `shapes` counts deliveries by shape, in the order of shapes; empty if none are known. */
export type DomainHistory = Tally & { shapes: number[] }

/** `machine` is the number of bounces that looked auto-generated. */
export type ClassHistory = Tally & { machine: number }

/** Outcomes of earlier mail to a domain, and to the classes of addresses at its provider, by sub_status. */
export type History = {
  domain: DomainHistory
  classes: Record<string, ClassHistory>
  /** False if predictions for this provider's mailboxes are too inaccurate. */
  isTrusted: boolean
}

type Asked = { domain: string; provider: string }

/** In the order of the request. The account's own outcomes and, if they are shared, a limited weight of the others'. */
export function listHistories(
  db: Db,
  accountId: string,
  asked: Asked[],
  { shared }: { shared: boolean },
): Promise<History[]> {
  return inTenant(db, accountId, async (trx) => {
    const domains = await sumDomains(trx, accountId, { names: asked.map(({ domain }) => domain), shared })
    const providers = [...new Set(asked.map(({ provider }) => provider))]
    const classes = await listClasses(trx, accountId, providers)
    const judged = await listReliability(trx, { shared, providers })
    const givenUp = new Set(judged.filter(({ hasFallenBack }) => hasFallenBack).map(({ provider }) => provider))
    return asked.map(({ domain, provider }) => ({
      domain: domains.get(domain) ?? { delivered: 0, bounced: 0, shapes: [] },
      classes: classes.get(provider) ?? {},
      isTrusted: !givenUp.has(provider),
    }))
  })
}

const { half_life_days: HALF_LIFE, shared_weight_max: SHARED_MAX } = MODEL_PARAMETERS

type Which = { names: string[]; shared: boolean }

async function sumDomains(trx: Trx, accountId: string, { names, shared }: Which): Promise<Map<string, DomainHistory>> {
  const { rows: own } = await sql<DomainHistory & { domain: string }>`
    select o.domain, o.delivered * f.factor as delivered, o.bounced * f.factor as bounced, add_decayed(o.shapes, f.factor, '{}') as shapes
    from domain_outcomes o cross join lateral (select decay_since(o.counted_at, ${HALF_LIFE}) as factor offset 0) f
    where o.account_id = ${accountId} and o.domain = any(${names}::text[])`.execute(trx)
  const others = shared ? await listOthers(trx, names) : []
  const sums = new Map<string, DomainHistory>()
  for (const { domain, ...history } of [...own, ...others]) {
    sums.set(domain, add(sums.get(domain) ?? { delivered: 0, bounced: 0, shapes: [] }, history))
  }
  return sums
}

async function listOthers(trx: Trx, names: string[]) {
  const { rows } = await sql<DomainHistory & { domain: string }>`
    select * from sum_domain_outcomes(${names}::text[], ${HALF_LIFE}, ${SHARED_MAX})`.execute(trx)
  return rows
}

function add(a: DomainHistory, b: DomainHistory): DomainHistory {
  const length = Math.max(a.shapes.length, b.shapes.length)
  return {
    delivered: notNegative(a.delivered + b.delivered),
    bounced: notNegative(a.bounced + b.bounced),
    shapes: Array.from({ length }, (_, n) => notNegative((a.shapes[n] ?? 0) + (b.shapes[n] ?? 0))),
  }
}

/** Subtracting a delivery can leave a sum slightly below zero. */
function notNegative(sum: number): number {
  return Math.max(sum, 0)
}

async function listClasses(trx: Trx, accountId: string, providers: string[]) {
  const { rows } = await sql<ClassHistory & { provider: string; subStatus: string }>`
    select o.provider, o.sub_status, o.delivered * f.factor as delivered, o.bounced * f.factor as bounced,
      o.machine * f.factor as machine
    from class_outcomes o cross join lateral (select decay_since(o.counted_at, ${HALF_LIFE}) as factor offset 0) f
    where o.account_id = ${accountId} and o.provider = any(${providers}::text[])`.execute(trx)
  const classes = new Map<string, Record<string, ClassHistory>>()
  for (const { provider, subStatus, delivered, bounced, machine } of rows) {
    const known = classes.get(provider) ?? {}
    classes.set(provider, known)
    const tally = { delivered: notNegative(delivered), bounced: notNegative(bounced), machine: notNegative(machine) }
    known[subStatus] = tally
  }
  return classes
}
