import type { Decision, PolicyRules, PolicyWhen } from '@probity/contract/constants/data/policies'
import { POLICY_RULES_MAX } from '@probity/contract/constants/policies'
import type { Policy } from '@probity/sdk'

/** Form values of a rule. Empty lists and choices are not conditions. */
export type RuleValues = {
  status: string[]
  sub_status: string[]
  traits: string[]
  safe_to_send: '' | 'true' | 'false'
  deliverability_from: string
  deliverability_below: string
  decision: Decision
  reason: string
}

export type PolicyValues = {
  name: string
  description: string
  rules: RuleValues[]
  default: { decision: Decision; reason: string }
}

export const RULES_MAX = POLICY_RULES_MAX

export const EMPTY_RULE: RuleValues = {
  status: [],
  sub_status: [],
  traits: [],
  safe_to_send: '',
  deliverability_from: '',
  deliverability_below: '',
  decision: 'review',
  reason: '',
}

export function valuesOf({ description, rules, default: otherwise }: Policy, name: string): PolicyValues {
  return { name, description, rules: rules.map(ruleValues), default: otherwise as PolicyValues['default'] }
}

function ruleValues({ when, decision, reason }: Policy['rules'][number]): RuleValues {
  return {
    status: when.status ?? [],
    sub_status: when.sub_status ?? [],
    traits: when.traits ?? [],
    safe_to_send: when.safe_to_send === undefined ? '' : when.safe_to_send ? 'true' : 'false',
    deliverability_from: textOf(when.deliverability_from),
    deliverability_below: textOf(when.deliverability_below),
    decision: decision as Decision,
    reason,
  }
}

/** As a percentage, with the decimals that the API stores. */
const textOf = (value: number | undefined) => (value === undefined ? '' : String(Math.round(value * 1e6) / 1e4))

/** The form values as the rules that the API accepts and evaluates. */
export function readRules({ rules, default: otherwise }: Pick<PolicyValues, 'rules' | 'default'>): PolicyRules {
  return {
    rules: rules.map((rule) => ({ when: readWhen(rule), decision: rule.decision, reason: rule.reason.trim() })),
    default: { ...otherwise, reason: otherwise.reason.trim() },
  }
}

function readWhen(rule: RuleValues): PolicyWhen {
  const { status, sub_status, traits, safe_to_send: safe } = rule
  const [from, below] = [readDeliverability(rule.deliverability_from), readDeliverability(rule.deliverability_below)]
  return {
    ...(status.length > 0 && { status }),
    ...(sub_status.length > 0 && { sub_status }),
    ...(traits.length > 0 && { traits }),
    ...(safe !== '' && { safe_to_send: safe === 'true' }),
    ...(from !== undefined && { deliverability_from: from }),
    ...(below !== undefined && { deliverability_below: below }),
  } as PolicyWhen // the checkbox values are API values
}

/** A percentage as a deliverability from 0 to 1; undefined if the text is empty or not a valid percentage. */
export function readDeliverability(typed: string): number | undefined {
  const text = typed.trim().replace(',', '.')
  if (!/^(\d{1,3}|\d{0,3}\.\d{1,4})$/.test(text) || Number(text) > 100) return undefined
  return Math.round(Number(text) * 1e4) / 1e6
}

export function isEmptyWhen(rule: RuleValues): boolean {
  return Object.keys(readWhen(rule)).length === 0
}

/** An unused name for a copy. */
export function freeName(name: string, taken: readonly Pick<Policy, 'name'>[]): string {
  const names = new Set(taken.map((one) => one.name))
  const base = `${name.slice(0, 40)}-copy`
  if (!names.has(base)) return base
  const number = Array.from(names, (_, n) => n + 2).find((n) => !names.has(`${base}-${n}`))
  return `${base}-${number ?? names.size + 2}`
}
