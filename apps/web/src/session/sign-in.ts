import type { QueryClient } from '@tanstack/react-query'
import { ask } from './ask.ts'
import { sessionQuery } from './session.ts'

/** Signs in, and returns whether a 2FA code is required. */
export async function signIn(email: string, password: string): Promise<'signed_in' | 'code_needed'> {
  const body = { email: email.trim(), password }
  const answer = await ask<{ twoFactorRedirect?: boolean }>('/auth/sign-in/email', { method: 'POST', body })
  return answer.twoFactorRedirect === true ? 'code_needed' : 'signed_in'
}

export async function signInWithCode(kind: 'totp' | 'recovery', code: string): Promise<void> {
  const path = kind === 'totp' ? '/auth/two-factor/verify-totp' : '/auth/two-factor/verify-backup-code'
  const plain = kind === 'totp' ? code.replace(/\s/g, '') : code.trim()
  await ask(path, { method: 'POST', body: { code: plain } })
}

type NewPerson = { name: string; email: string; password: string }

/** An invitation permits the sign-up even if it is closed. */
export async function signUp({ name, email, password }: NewPerson, invitationId?: string): Promise<void> {
  const body = { name: name.trim(), email: email.trim(), password }
  await ask('/auth/sign-up/email', {
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
  await ask('/auth/sign-out', { method: 'POST', body: {} }).catch(() => undefined) // already signed out
  leaveBehind(queryClient, next)
}

export function leaveBehind(queryClient: QueryClient, next: string): void {
  queryClient.clear()
  window.location.assign(next)
}
