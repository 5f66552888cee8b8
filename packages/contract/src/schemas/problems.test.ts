import Value from 'typebox/value'
import { expect, test } from 'vitest'
import { PROBLEMS, type ProblemText } from '../constants/data/problems.ts'
import { SESSION_PROBLEMS } from '../constants/data/session-problems.ts'
import { ALL_PROBLEMS, type AnyProblemCode, type ProblemCode } from '../constants/problems.ts'
import { ProblemBody, problemExample } from './problems.ts'

type Row<Code> = [Code, ProblemText]
const PUBLIC_ROWS = Object.entries(PROBLEMS) as Row<ProblemCode>[]
const ROWS = Object.entries(ALL_PROBLEMS) as Row<AnyProblemCode>[]

const SETTLED: Record<number, string[]> = {
  400: ['invalid_request', 'malformed_json', 'api_key_in_query', 'conflicting_api_keys', 'no_file'],
  401: ['missing_api_key', 'invalid_api_key', 'revoked_api_key', 'expired_api_key'],
  402: ['insufficient_credits', 'api_key_cap_reached'],
  403: [
    'paused_api_key',
    'ip_not_allowed',
    'origin_not_allowed',
    'missing_scope',
    'key_type_not_allowed',
    'live_key_required',
    'scope_not_grantable',
    'exceeds_own_key',
    'account_suspended',
    'api_not_in_plan',
  ],
  404: ['not_found'],
  405: ['method_not_allowed'],
  408: ['request_timeout'],
  409: [
    'idempotency_in_progress',
    'upload_already_confirmed',
    'job_finished',
    'job_not_finished',
    'job_in_progress',
    'job_under_review',
    'inactive_api_key',
    'webhook_disabled',
    'too_many_keys',
    'too_many_webhooks',
    'policy_exists',
    'too_many_policies',
    'too_many_overrides',
    'too_many_uploads',
    'too_many_report_links',
  ],
  410: ['event_expired', 'file_removed', 'results_expired'],
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
    'no_unknown_results',
    'column_without_emails',
    'webhook_url_rejected',
  ],
  429: ['rate_limited', 'concurrency_limited', 'too_many_streams', 'queue_limit_reached'],
  431: ['headers_too_large'],
  500: ['internal_error'],
  503: ['overloaded', 'account_on_hold', 'service_unavailable'],
}

const SETTLED_FOR_SESSIONS: Record<number, string[]> = {
  401: ['unauthenticated'],
  403: [
    'missing_role',
    'two_factor_required',
    'code_required',
    'new_sign_in_required',
    'cross_site_request',
    'signup_disabled',
    'account_creation_closed',
  ],
  404: ['not_configured'],
  409: ['last_owner', 'already_subscribed', 'too_many_accounts', 'ip_lockout'],
  422: ['weak_password'],
}

test.each([
  ['public', PROBLEMS, SETTLED],
  ['session', SESSION_PROBLEMS, SETTLED_FOR_SESSIONS],
])('the %s codes and their HTTP statuses are the published ones', (_audience, problems, settled) => {
  expect(Object.groupBy(Object.entries(problems), ([, row]) => row.status)).toEqual(
    Object.fromEntries(Object.entries(settled).map(([status, codes]) => [status, codes.map((code) => rowOf(code))])),
  )
})

test('the problem schema names public codes only', () => {
  const { description, 'x-extensible-enum': values } = { ...ProblemBody.properties.code } as Record<string, unknown>
  expect(values).toEqual(Object.keys(PROBLEMS))
  expect(Object.keys(SESSION_PROBLEMS).filter((code) => String(description).includes(`\`${code}\``))).toEqual([])
})

test.each(ROWS)(
  '%s has a title, a detail, advice and an HTTP error status',
  (code, { status, title, detail, advice }) => {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(600)
    expect(title).toMatch(/^[A-Z].*[^.]$/)
    expect(detail).toMatch(/^[A-Z].*\.$/)
    expect(advice).toMatch(/^[A-Z].*\.$/)
    expect(advice).not.toBe(detail)
  },
)

test('no two problems share a title', () => {
  expect(new Set(ROWS.map(([, row]) => row.title)).size).toBe(ROWS.length)
})

test.each(PUBLIC_ROWS)('the example of %s is a problem body that points to its own documentation', (code, row) => {
  const example = problemExample(code)
  expect([...Value.Errors(ProblemBody, example)]).toEqual([])
  expect(example).toMatchObject({ type: `/docs/errors#${code}`, title: row.title, status: row.status, code })
})

test('an example can have a detail and errors of its own', () => {
  const errors = [{ pointer: 'limit', detail: 'must be 1 or more' }]
  expect(problemExample('invalid_request', 'A parameter is not valid.', errors)).toMatchObject({
    detail: 'A parameter is not valid.',
    errors,
  })
  expect(problemExample('not_found')).not.toHaveProperty('errors')
  expect(problemExample('not_found')).not.toHaveProperty('retry_after_s')
  expect(problemExample('rate_limited', 'concurrency_limited')).toHaveProperty('retry_after_s')
})

function rowOf(code: string) {
  return [code, ALL_PROBLEMS[code as AnyProblemCode]]
}
