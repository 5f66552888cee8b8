import type { Evidence, SubStatus } from '@probity/contract/constants/validations'
import { type EvidenceCheck, type EvidenceOutcome, evidenceItem } from '@probity/contract/constants/validations'
import type { Plausibility } from '../address/plausibility.ts'
import type { Verdict } from './conclude.ts'
import type { Term } from './deliverability.ts'
import type { History } from './history.ts'

/** Beyond this many log-odds a finding counts as positive or negative. */
const SPEAKS_FROM = 0.05

/**
 * The evidence with the weight of each finding. The base rate belongs to the finding that selected it; other weights have their own
 * items. The sum of all `log_odds` is the log-odds of `deliverability`.
 */
export function explain(evidence: Evidence[], verdict: Verdict, history: History): Evidence[] {
  const { plausibility, estimate } = verdict
  const { terms, isFallback } = estimate
  const worth = (kind: Term['kind']) => terms.find((term) => term.kind === kind)?.logOdds
  const decisive = decisiveItem(evidence, verdict.subStatus)
  const explained = evidence.map((item) => (item === decisive ? { ...item, log_odds: worth('base') ?? 0 } : item))
  if (isFallback) return [...explained, evidenceItem('model', 'fallback', FALLBACK)]

  const { delivered, bounced } = history.domain
  const [byHistory, byText, byPattern] = [worth('history'), worth('text'), worth('pattern')]
  if (byHistory !== undefined && delivered + bounced > 0) {
    explained.push({
      ...evidenceItem('domain_history', direction(byHistory), describeHistory(history)),
      log_odds: byHistory,
    })
  }
  if (byText !== undefined && plausibility !== undefined) {
    explained.push({ ...describeText(plausibility, byText), log_odds: byText })
  } else if (verdict.isMachineGenerated) explained.push(evidenceItem('address_text', 'machine_like', LIKE_A_MACHINE))
  if (byPattern !== undefined && byPattern !== 0) {
    explained.push({
      ...evidenceItem('address_pattern', direction(byPattern), describePattern(byPattern)),
      log_odds: byPattern,
    })
  }
  return explained
}

/** The check whose finding decides the verdict, by reason; `recipient` for all others. */
const DECIDES: Partial<Record<SubStatus, EvidenceCheck>> = {
  syntax_error: 'syntax',
  address_literal: 'syntax',
  domain_not_found: 'mx',
  no_mail_server: 'mx',
  null_mx: 'mx',
  dns_failed: 'mx',
  not_routable: 'mx',
  not_probed: 'mx',
  disposable: 'domain_class',
  catch_all: 'catch_all',
}

function decisiveItem(evidence: Evidence[], subStatus: SubStatus): Evidence | undefined {
  const wanted = DECIDES[subStatus] ?? 'recipient'
  return evidence.find(({ check }) => check === wanted) ?? evidence.at(-1)
}

const FALLBACK =
  'The estimates of the model for this provider differed too much from reported deliveries and bounces, so only the base rate counts.'

function direction(logOdds: number): EvidenceOutcome<'domain_history' | 'address_pattern'> {
  if (Math.abs(logOdds) < SPEAKS_FROM) return 'neutral'
  return logOdds > 0 ? 'positive' : 'negative'
}

/** Outcomes fade with time, so there may be a part of one. */
function describeHistory({ domain: { delivered, bounced } }: History): string {
  const count = (value: number) => (value > 0 && value < 1 ? 'less than one' : String(Math.round(value)))
  return `Reports for this domain, weighted by age: ${count(delivered)} delivered, ${count(bounced)} bounced.`
}

const LIKE_A_MACHINE = 'The text looks auto-generated or typed at random.'

function describeText(plausibility: Plausibility, logOdds: number): Evidence {
  if (plausibility.kind === 'abstained') return evidenceItem('address_text', 'abstained', ABSTAINED[plausibility.why])
  const worth = direction(logOdds)
  if (worth === 'positive') return evidenceItem('address_text', 'human_like', 'The text looks as if a person chose it.')
  if (worth === 'negative') return evidenceItem('address_text', 'machine_like', LIKE_A_MACHINE)
  return evidenceItem('address_text', 'neutral', 'The text says little either way.')
}

const ABSTAINED: Record<Extract<Plausibility, { kind: 'abstained' }>['why'], string> = {
  not_ascii: 'The text was not weighed: the model knows the Latin alphabet only.',
  all_digits: 'The text was not weighed: it is a number.',
  too_short: 'The text was not weighed: it is too short.',
  id_like: 'The text was not weighed: it looks like an assigned id.',
}

function describePattern(logOdds: number): string {
  return logOdds > 0
    ? 'The pattern matches other addresses at this domain that received mail.'
    : 'The pattern differs from most addresses at this domain that received mail.'
}
