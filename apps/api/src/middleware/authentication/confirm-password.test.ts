import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { startUsersApi } from '../../testing/test-browser.ts'
import { confirmPassword } from './confirm-password.ts'

const api = await startUsersApi()

test('confirmPassword rejects a request whose session has ended as not signed in', async () => {
  const request = { ip: '192.0.2.1', headers: {} } as FastifyRequest
  await expect(confirmPassword(api.services, request, 'any password')).rejects.toMatchObject({
    code: 'unauthenticated',
  })
})
