import type {
  DoctorReport,
  Health,
  OperatorAccounts,
  OperatorEgresses,
  OperatorOptOuts,
  OperatorProviders,
  OperatorQueues,
  OperatorReviews,
  UnclassifiedReplies,
} from '@probity/contract/schemas/operators'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { providerName } from '../../labels/provider-names.ts'
import { callApi } from '../../session/client.ts'
import type { AccountsSearch } from './search.ts'

/** Operator data belongs to no account, so these query keys do not begin with one. */
export const OPERATOR_KEY = ['operator'] as const

export const healthQuery = queryOptions({
  queryKey: [...OPERATOR_KEY, 'health'],
  queryFn: ({ signal }) => callApi<Health>('/operator/health', { signal }),
})

export const doctorQuery = queryOptions({
  queryKey: [...OPERATOR_KEY, 'doctor'],
  queryFn: ({ signal }) => callApi<DoctorReport>('/operator/doctor', { signal }),
})

export const ACCOUNTS_PER_PAGE = 20

export function accountsQuery({ search, state, skip = 0 }: AccountsSearch) {
  const query = new URLSearchParams({
    skip: String(skip),
    limit: String(ACCOUNTS_PER_PAGE),
    ...(search && { search }),
    ...(state && { state }),
  })
  return queryOptions({
    queryKey: [...OPERATOR_KEY, 'accounts', query.toString()],
    queryFn: ({ signal }) => callApi<OperatorAccounts>(`/operator/accounts?${query}`, { signal }),
    placeholderData: keepPreviousData,
  })
}

export const repliesQuery = queryOptions({
  queryKey: [...OPERATOR_KEY, 'replies'],
  queryFn: ({ signal }) => callApi<UnclassifiedReplies>('/operator/replies', { signal }),
})

export function providersQuery(hours: number) {
  return queryOptions({
    queryKey: [...OPERATOR_KEY, 'providers', hours],
    queryFn: ({ signal }) => callApi<OperatorProviders>(`/operator/providers?hours=${hours}`, { signal }),
    placeholderData: keepPreviousData,
  })
}

export const egressQuery = queryOptions({
  queryKey: [...OPERATOR_KEY, 'egress'],
  queryFn: ({ signal }) => callApi<OperatorEgresses>('/operator/egress', { signal }),
})

export const queuesQuery = queryOptions({
  queryKey: [...OPERATOR_KEY, 'queues'],
  queryFn: ({ signal }) => callApi<OperatorQueues>('/operator/queues', { signal }),
})

export const reviewsQuery = queryOptions({
  queryKey: [...OPERATOR_KEY, 'reviews'],
  queryFn: ({ signal }) => callApi<OperatorReviews>('/operator/reviews', { signal }),
})

export const optOutsQuery = queryOptions({
  queryKey: [...OPERATOR_KEY, 'opt-outs'],
  queryFn: ({ signal }) => callApi<OperatorOptOuts>('/operator/opt-outs', { signal }),
})

/** The provider's name; all unknown providers are counted together. */
export function nameOf(provider: string): string {
  return provider === '' ? 'Other providers' : providerName(provider)
}
