import Value from 'typebox/value'
import { expect, test } from 'vitest'
import { PROBLEMS } from './data/problems.ts'
import type { ProblemCode } from './problem.ts'
import { ProblemBody, problemExample } from './problem.ts'

const ROWS = Object.entries(PROBLEMS) as [ProblemCode, { status: number; title: string; advice: string }][]

const SETTLED: Record<number, string[]> = {
  400: ['invalid_request', 'malformed_json', 'key_in_query', 'no_file'],
  401: ['missing_api_key', 'invalid_api_key', 'revoked_api_key', 'expired_api_key', 'not_signed_in'],
  402: ['insufficient_credits', 'key_cap_reached'],
  403: [
    'paused_api_key',
    'ip_not_allowed',
    'origin_not_allowed',
    'missing_scope',
    'scope_not_held',
    'exceeds_own_key',
    'missing_role',
    'two_factor_required',
    'code_required',
    'cross_site_request',
    'sign_up_closed',
    'account_creation_closed',
    'account_suspended',
    'plan_without_api',
  ],
  404: ['not_found', 'not_configured'],
  408: ['request_timeout'],
  409: [
    'idempotency_in_progress',
    'confirmed_otherwise',
    'job_ended',
    'job_under_review',
    'key_ended',
    'webhook_disabled',
    'last_owner',
    'already_subscribed',
    'too_many_organisations',
    'too_many_keys',
    'too_many_webhooks',
    'policy_exists',
    'too_many_policies',
    'too_many_listings',
    'too_many_uploads',
    'would_lock_out',
  ],
  410: ['event_removed', 'file_removed', 'results_expired'],
  413: ['payload_too_large', 'file_too_large'],
  415: ['unsupported_media_type', 'content_encoding_refused', 'not_csv'],
  422: [
    'idempotency_mismatch',
    'empty_file',
    'malformed_csv',
    'record_too_long',
    'too_many_columns',
    'too_many_rows',
    'too_many_emails',
    'no_email_column',
    'unknown_column',
    'column_without_emails',
    'password_refused',
    'webhook_url_rejected',
  ],
  429: ['rate_limited', 'too_many_in_flight', 'too_many_streams', 'too_many_waiting', 'domain_limit'],
  431: ['headers_too_large'],
  500: ['internal'],
  503: ['overloaded', 'account_under_audit', 'unavailable'],
}

test('the codes and their HTTP statuses are the settled ones', () => {
  expect(Object.groupBy(ROWS, ([, row]) => row.status)).toEqual(
    Object.fromEntries(Object.entries(SETTLED).map(([status, codes]) => [status, codes.map((code) => rowOf(code))])),
  )
})

test.each(ROWS)('%s has a title, advice and an HTTP error status', (code, { status, title, advice }) => {
  expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/)
  expect(status).toBeGreaterThanOrEqual(400)
  expect(status).toBeLessThan(600)
  expect(title).toMatch(/^[A-Z].*[^.]$/)
  expect(advice).toMatch(/^[A-Z].*\.$/)
})

test('no two problems share a title', () => {
  expect(new Set(ROWS.map(([, row]) => row.title)).size).toBe(ROWS.length)
})

test.each(ROWS)('the example of %s is a problem body that points to its own documentation', (code, row) => {
  const example = problemExample(code)
  expect([...Value.Errors(ProblemBody, example)]).toEqual([])
  expect(example).toMatchObject({ type: `/docs/errors#${code}`, title: row.title, status: row.status, code })
})

test('an example takes a detail and faults of its own', () => {
  const errors = [{ pointer: 'limit', detail: 'must be 1 or more' }]
  expect(problemExample('invalid_request', 'A parameter is not valid.', errors)).toMatchObject({
    detail: 'A parameter is not valid.',
    errors,
  })
  expect(problemExample('not_found')).not.toHaveProperty('errors')
  expect(problemExample('not_found')).not.toHaveProperty('retry_after_s')
  expect(problemExample('rate_limited', 'too_many_in_flight')).toHaveProperty('retry_after_s')
})

function rowOf(code: string) {
  return [code, PROBLEMS[code as ProblemCode]]
}
