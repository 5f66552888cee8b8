import type { Admission } from '@probity/redis/admission'
import type { FastifyRequest } from 'fastify'
import { Problem } from '../../http/problem.ts'
import { limitUser } from '../rate-limit/user-limits.ts'
import type { UserAuthentication } from './session.ts'

type ConfirmPasswordDependencies = {
  admission: Admission
  people: UserAuthentication
}

/** Requires the password of the signed-in user: a session alone may be a screen that was left open. */
export async function confirmPassword(
  services: ConfirmPasswordDependencies,
  request: FastifyRequest,
  password: string,
): Promise<void> {
  await limitUser(services, request, 'password', request.person?.email)
  const auth = await services.people.auth()
  const headers = new Headers({ cookie: request.headers.cookie ?? '' })
  try {
    await services.people.passwords.forKnownClient(() => auth.api.verifyPassword({ body: { password }, headers }))
  } catch (error) {
    // Another request may have ended the session since this one was admitted.
    if (statusOf(error) === 401) throw new Problem('unauthenticated')
    if (statusOf(error) !== 400) throw error
    throw wrongPassword()
  }
}

export function wrongPassword(): Problem {
  const errors = [{ pointer: '/password', detail: 'The password is incorrect.' }]
  return new Problem('invalid_request', undefined, { errors })
}

function statusOf(error: unknown): unknown {
  return error instanceof Error && 'statusCode' in error ? error.statusCode : undefined
}
