import type { Role } from '@probity/contract/constants/users'
import type { Session as Answer, InstallationInfo } from '@probity/contract/schemas/users'
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { ask, RequestFailed } from './ask.ts'
import { asRequestFailed } from './probity.ts'

/** An account with members always has a slug. */
export type Membership = Answer['memberships'][number] & { slug: string; role: Role }
export type Session = Omit<Answer, 'memberships'> & { memberships: Membership[] }

/** The session of the signed-in user, or null. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) =>
    ask<Session>('/session', { signal }).catch((error: unknown) => {
      if (error instanceof RequestFailed && error.status === 401) return null
      throw error
    }),
  staleTime: 60_000,
})

/** A session may expire while a page is open: a 401 response reloads it. */
export function noticeSignedOut(queryClient: QueryClient, error: unknown): void {
  if (asRequestFailed(error).status === 401) void queryClient.invalidateQueries(sessionQuery)
}

export const welcomeQuery = queryOptions({
  queryKey: ['welcome'],
  queryFn: ({ signal }) => ask<InstallationInfo>('/welcome', { signal }),
  staleTime: 300_000,
})

export function useWelcome(): InstallationInfo | undefined {
  return useQuery(welcomeQuery).data
}

export const SessionContext = createContext<Session | undefined>(undefined)

/** For pages that are shown with a session only. */
export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === undefined) throw new Error('this page needs a session')
  return session
}
