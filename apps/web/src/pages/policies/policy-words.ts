import type { Policy } from '@probity/sdk'
import { formatNumber } from '../../ui/format.ts'

type When = Policy['rules'][number]['when']

const DISJUNCTION = new Intl.ListFormat('en-GB', { type: 'disjunction' })

/** What must hold for a rule, each thing in a line of its own. */
export function describeWhen(when: When): string[] {
  const {
    status,
    sub_status,
    traits,
    safe_to_send: safe,
    deliverability_from: from,
    deliverability_below: below,
  } = when
  return [
    ...(status?.length ? [`The status is ${DISJUNCTION.format(status)}`] : []),
    ...(sub_status?.length ? [`The reason is ${DISJUNCTION.format(sub_status.map(reasonWord))}`] : []),
    ...(traits?.length ? [`The address is ${DISJUNCTION.format(traits.map(traitWord))}`] : []),
    ...(safe === undefined ? [] : [safe ? 'It is safe to send to' : 'It is not safe to send to']),
    ...(from === undefined ? [] : [`The chance to arrive is ${formatNumber(from)} or higher`]),
    ...(below === undefined ? [] : [`The chance to arrive is below ${formatNumber(below)}`]),
  ]
}

/** A valid address has no reason. */
export function reasonWord(reason: string): string {
  return reason === '' ? 'none' : reason
}

const TRAIT_WORDS: Record<string, string> = {
  disposable: 'disposable',
  role_based: 'of a role',
  machine_generated: 'auto-generated',
  free: 'at a free provider',
  privacy_relay: 'behind a privacy relay',
  tagged: 'tagged',
}

export function traitWord(trait: string): string {
  return TRAIT_WORDS[trait] ?? trait
}
