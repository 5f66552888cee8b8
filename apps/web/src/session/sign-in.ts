import type { QueryClient } from '@tanstack/react-query'
import { ask } from '../api/ask.ts'
import { sessionQuery } from './session.ts'

/** Whether that was all, or a code is asked for as well. */
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

/** With an invitation also where nobody else may sign up. */
export async function signUp({ name, email, password }: NewPerson, invitationId?: string): Promise<void> {
  const body = { name: name.trim(), email: email.trim(), password }
  await ask('/auth/sign-up/email', {
    method: 'POST',
    body: { ...body, ...(invitationId && { invitation_id: invitationId }) },
  })
}

/** Asks again who is signed in, after that has changed. */
export async function refreshSession(queryClient: QueryClient): Promise<void> {
  await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
}

/** Signs out, and leaves by a new page, so that the memory of this one keeps nothing of the user. */
export async function signOut(queryClient: QueryClient, next = '/app/sign-in'): Promise<void> {
  await ask('/auth/sign-out', { method: 'POST', body: {} }).catch(() => undefined) // signed out already is fine
  leaveBehind(queryClient, next)
}

export function leaveBehind(queryClient: QueryClient, next: string): void {
  queryClient.clear()
  window.location.assign(next)
}
