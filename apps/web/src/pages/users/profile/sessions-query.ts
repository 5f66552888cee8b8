import type { Sessions } from '@probity/contract/schemas/users'
import { queryOptions } from '@tanstack/react-query'
import { ask } from '../../../session/ask.ts'

export type SignedInSession = Sessions['sessions'][number]

export const SESSIONS_KEY = ['sessions'] as const

/** The sessions of the user. */
export const sessionsQuery = queryOptions({
  queryKey: SESSIONS_KEY,
  queryFn: ({ signal }) => ask<Sessions>('/sessions', { signal }),
})
