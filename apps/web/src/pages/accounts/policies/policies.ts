import { reasonLabel } from '@probity/contract/constants/labels'
import type { Policy } from '@probity/sdk'
import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { probityFor } from '../../../session/client.ts'
import { type Scene, useScene } from '../../../session/workspace.ts'
import { formatShare } from '../../../ui/format.ts'

/** All policies of the account, built-in and custom. They are the same in both modes. */
export function policiesQuery({ key, probity }: Scene) {
  return queryOptions({
    queryKey: [...key, 'policies'],
    queryFn: async ({ signal }) => (await probity.policies.list({ signal })).data,
  })
}

/** The client for changes to policies, which are account settings and independent of the mode. */
export function usePolicyBook() {
  const { membership } = useScene()
  return probityFor({ accountId: membership.account_id, mode: 'live' }).policies
}

export function useRefreshPolicies(): () => Promise<void> {
  const scene = useScene()
  const queryClient = useQueryClient()
  return useCallback(() => queryClient.invalidateQueries(policiesQuery(scene)), [scene, queryClient])
}

type When = Policy['rules'][number]['when']

const DISJUNCTION = new Intl.ListFormat('en-GB', { type: 'disjunction' })

/** The conditions of a rule, one per line. */
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
    ...(status?.length ? [`Status is ${DISJUNCTION.format(status)}`] : []),
    ...(sub_status?.length ? [`Reason is ${DISJUNCTION.format(sub_status.map(reasonWord))}`] : []),
    ...(traits?.length ? [`Address is ${DISJUNCTION.format(traits.map(traitWord))}`] : []),
    ...(safe === undefined ? [] : [safe ? 'Safe to send' : 'Not safe to send']),
    ...(from === undefined ? [] : [`Deliverability is ${formatShare(from)} or higher`]),
    ...(below === undefined ? [] : [`Deliverability is below ${formatShare(below)}`]),
  ]
}

/** A valid address has no reason. */
export function reasonWord(reason: string): string {
  return reason === '' ? 'None' : reasonLabel(reason)
}

const TRAIT_WORDS: Record<string, string> = {
  disposable: 'disposable',
  role_based: 'a role address',
  machine_generated: 'auto-generated',
  free: 'at a free provider',
  privacy_relay: 'behind a privacy relay',
  tagged: 'tagged',
}

export function traitWord(trait: string): string {
  return TRAIT_WORDS[trait] ?? trait
}
