import { expect, test } from 'vitest'
import {
  AuthenticationError,
  BadRequestError,
  ConflictError,
  InternalServerError,
  NotFoundError,
  PaymentRequiredError,
  PermissionDeniedError,
  ProbityApiError,
  ProbityError,
  RateLimitError,
} from '../probity.ts'
import { failureOf, refuse, startService } from '../test-service.ts'

test.each([
  [400, BadRequestError],
  [401, AuthenticationError],
  [402, PaymentRequiredError],
  [403, PermissionDeniedError],
  [404, NotFoundError],
  [409, ConflictError],
  [413, ProbityApiError],
  [422, ProbityApiError],
  [429, RateLimitError],
  [500, InternalServerError],
  [503, InternalServerError],
])('a %i response is an error of its class', async (status, ErrorClass) => {
  const { probity } = await startService(
    (_n, reply) => refuse(reply, status, 'some_code', { 'request-id': 'req_1', 'retry-after': '7' }),
    { maxRetries: 0 },
  )
  const error = (await failureOf(probity.account.get())) as ProbityApiError
  expect(error.constructor).toBe(ErrorClass)
  expect(error.name).toBe(ErrorClass.name)
  expect(error).toBeInstanceOf(ProbityApiError)
  expect(error).toBeInstanceOf(ProbityError)
  expect(error).toMatchObject({ status, code: 'some_code', requestId: 'req_1', retryAfterSeconds: 7 })
  expect(error.headers.get('request-id')).toBe('req_1')
  expect(error.problem?.title).toBe('A title')
  expect(error.message).toBe(`A title: A detail. Some advice. (${status}, some_code, req_1)`)
})
