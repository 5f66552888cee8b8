import { linesOf, type PresetName } from '@probity/contract/preset'
import { type RawBuilder, sql } from 'kysely'

/** Which results are meant. What is not named leaves nothing out. */
export type ResultsFilter = {
  statuses: readonly string[]
  subStatuses?: readonly string[] | undefined
  /** The empty text stands for those whose provider is not known. */
  provider?: string | undefined
  domain?: string | undefined
  /** A part of the address, in any case. */
  search?: string | undefined
  /** What a preset keeps, or what it removes. */
  plan?: { preset: PresetName; part: 'keep' | 'remove' } | undefined
}

/** Whether it leaves anything out at all. */
export function isNarrow(filter: ResultsFilter): boolean {
  return termsOf(filter).length > 0
}

/** Whether a result is one of them, as a condition on `job_results`. */
export function isMeant(filter: ResultsFilter): RawBuilder<boolean> {
  return allOf(termsOf(filter))
}

/** The same for `job_counts`; undefined where it asks for what was not counted. */
export function isCounted(filter: ResultsFilter): RawBuilder<boolean> | undefined {
  return finerTerms(filter).length > 0 ? undefined : allOf(kindTerms(filter))
}

function termsOf(filter: ResultsFilter): RawBuilder<unknown>[] {
  return [...kindTerms(filter), ...finerTerms(filter)]
}

function kindTerms({ statuses, subStatuses = [] }: ResultsFilter): RawBuilder<unknown>[] {
  return [
    ...(statuses.length > 0 ? [sql`status = any (${statuses}::text[])`] : []),
    ...(subStatuses.length > 0 ? [sql`sub_status = any (${subStatuses}::text[])`] : []),
  ]
}

function finerTerms({ provider, domain, search, plan }: ResultsFilter): RawBuilder<unknown>[] {
  return [
    ...(provider === undefined ? [] : [sql`provider = ${provider}`]),
    ...(domain === undefined ? [] : [sql`domain = ${domain}`]),
    // Not LIKE, to which some characters of an address say something else.
    ...(search === undefined ? [] : [sql`strpos(lower(email), lower(${search})) > 0`]),
    ...(plan === undefined ? [] : [plan.part === 'keep' ? isKept(plan.preset) : sql`not ${isKept(plan.preset)}`]),
  ]
}

/** As `isKept` of the contract says. */
function isKept(preset: PresetName): RawBuilder<boolean> {
  const lines = linesOf(preset).map(({ status, reason, safeToSend }) =>
    allOf([
      sql`status = ${status}`,
      ...(reason === undefined ? [] : [sql`sub_status = ${reason}`]),
      ...(safeToSend === undefined ? [] : [sql`safe_to_send`]),
    ]),
  )
  const byVerdict = sql`(${sql.join(lines, sql` or `)})`
  return sql<boolean>`(case override when 'block' then false when 'allow' then status <> 'invalid' else ${byVerdict} end)`
}

function allOf(terms: RawBuilder<unknown>[]): RawBuilder<boolean> {
  return terms.length > 0 ? sql<boolean>`(${sql.join(terms, sql` and `)})` : sql<boolean>`true`
}
