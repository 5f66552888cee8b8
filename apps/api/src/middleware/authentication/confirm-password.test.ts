import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { startPeopleApi } from '../../testing/test-browser.ts'
import { askPassword } from './confirm-password.ts'

const api = await startPeopleApi()

test('askPassword rejects a request whose session has ended as not signed in', async () => {
  const request = { ip: '192.0.2.1', headers: {} } as FastifyRequest
  await expect(askPassword(api.services, request, 'any password')).rejects.toMatchObject({ code: 'unauthenticated' })
})
