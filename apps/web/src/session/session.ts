import type { Role } from '@probity/contract/constants/users'
import type { Session as Answer, InstallationInfo } from '@probity/contract/schemas/users'
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { createContext, useContext, useEffect, useState, useSyncExternalStore } from 'react'
import { asRequestFailed, callApi, RequestFailed } from './client.ts'

/** An account with members always has a slug. */
export type Membership = Answer['memberships'][number] & { slug: string; role: Role }
export type Session = Omit<Answer, 'memberships'> & { memberships: Membership[] }

/** The session of the signed-in user, or null. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) =>
    callApi<Session>('/session', { signal }).catch((error: unknown) => {
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
  queryFn: ({ signal }) => callApi<InstallationInfo>('/welcome', { signal }),
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

/** Signs in, and returns whether a 2FA code is required. */
export async function signIn(email: string, password: string): Promise<'signed_in' | 'code_needed'> {
  const body = { email: email.trim(), password }
  const answer = await callApi<{ twoFactorRedirect?: boolean }>('/auth/sign-in/email', { method: 'POST', body })
  return answer.twoFactorRedirect === true ? 'code_needed' : 'signed_in'
}

export async function signInWithCode(kind: 'totp' | 'recovery', code: string): Promise<void> {
  const path = kind === 'totp' ? '/auth/two-factor/verify-totp' : '/auth/two-factor/verify-backup-code'
  const plain = kind === 'totp' ? code.replace(/\s/g, '') : code.trim()
  await callApi(path, { method: 'POST', body: { code: plain } })
}

type NewPerson = { name: string; email: string; password: string }

/** An invitation permits the sign-up even if it is closed. */
export async function signUp({ name, email, password }: NewPerson, invitationId?: string): Promise<void> {
  const body = { name: name.trim(), email: email.trim(), password }
  await callApi('/auth/sign-up/email', {
    method: 'POST',
    body: { ...body, ...(invitationId && { invitation_id: invitationId }) },
  })
}

/** Reloads the session after it has changed. */
export async function refreshSession(queryClient: QueryClient): Promise<void> {
  await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
}

/** Signs out and loads a new page, so that no data of the user stays in memory. */
export async function signOut(queryClient: QueryClient, next = '/app/sign-in'): Promise<void> {
  await callApi('/auth/sign-out', { method: 'POST', body: {} }).catch(() => undefined) // already signed out
  leaveBehind(queryClient, next)
}

export function leaveBehind(queryClient: QueryClient, next: string): void {
  queryClient.clear()
  window.location.assign(next)
}

/**
 * Reads a secret from the URL fragment, which browsers do not send to servers. It is removed from the URL at once, so that it is
 * neither in the history nor visible on a shared screen.
 */
export function useSecretInAddress(name: string): string | undefined {
  const [secret, setSecret] = useState(() => readSecret(name))
  useEffect(() => {
    const take = () => {
      const found = readSecret(name)
      if (found === undefined) return
      setSecret(found)
      const { pathname, search } = window.location
      window.history.replaceState(window.history.state, '', pathname + search)
    }
    take()
    // A second link pasted into the same tab does not reload the page.
    window.addEventListener('hashchange', take)
    return () => window.removeEventListener('hashchange', take)
  }, [name])
  return secret
}

/** The secret after # in the URL. It stays there, so that the page can be reloaded. */
export function useSecretHash(): string {
  return useSyncExternalStore(subscribeToHash, () => window.location.hash.slice(1))
}

function subscribeToHash(onChange: () => void): () => void {
  window.addEventListener('hashchange', onChange)
  return () => window.removeEventListener('hashchange', onChange)
}

function readSecret(name: string): string | undefined {
  return new URLSearchParams(window.location.hash.slice(1)).get(name) ?? undefined
}
