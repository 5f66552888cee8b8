import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { askPassword } from './ask-password.ts'
import { startPeopleApi } from './test-browser.ts'

const api = await startPeopleApi()

test('askPassword rejects a request whose session has ended as not signed in', async () => {
  const request = { ip: '192.0.2.1', headers: {} } as FastifyRequest
  await expect(askPassword(api.services, request, 'any password')).rejects.toMatchObject({ code: 'unauthenticated' })
})
