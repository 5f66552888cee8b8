import type { FastifyRequest } from 'fastify'
import { Problem } from '../problem.ts'
import type { Services } from '../services.ts'
import { limitPerson } from './limits.ts'

/** Lets only the person themselves go on, who knows their password: a session alone may be a screen that was left open. */
export async function askPassword(services: Services, request: FastifyRequest, password: string): Promise<void> {
  await limitPerson(services, request, 'password', request.person?.email)
  const auth = await services.people.auth()
  const headers = new Headers({ cookie: request.headers.cookie ?? '' })
  try {
    await auth.api.verifyPassword({ body: { password }, headers })
  } catch (error) {
    if (!isWrongPassword(error)) throw error
    throw new Problem('invalid_request', undefined, {
      errors: [{ pointer: '/password', detail: 'The password is not right.' }],
    })
  }
}

function isWrongPassword(error: unknown): boolean {
  return error instanceof Error && 'statusCode' in error && error.statusCode === 400
}
