import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WEBHOOK_EVENT_TYPES } from '@probity/contract/webhook-events'
import { afterAll, expect, test } from 'vitest'
import type { OpenApiDocument } from './openapi-document.ts'
import { callApp, startTestApi } from './test-api.ts'

const api = await startTestApi()
const { text } = await callApp(api.app, { method: 'GET', url: '/api/v1/openapi.json' })
const document = JSON.parse(text) as OpenApiDocument & { openapi: string }
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
)

const folder = mkdtempSync(join(tmpdir(), 'probity-openapi-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('is served without a key, as OpenAPI 3.1, and passes the linter without an error or a warning', () => {
  expect(document.openapi).toBe('3.1.0')
  const file = join(folder, 'openapi.json')
  writeFileSync(file, text)
  const redocly = join(import.meta.dirname, '../node_modules/.bin/redocly')
  const report = execFileSync(redocly, ['lint', '--format', 'json', file], {
    encoding: 'utf8',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  })
  expect(JSON.parse(report).totals).toMatchObject({ errors: 0, warnings: 0 })
})

test('lists just what works: no operation before its time', () => {
  expect(operations.map(([name]) => name).toSorted()).toEqual([
    'DELETE /api/v1/bulk/jobs/{job_id}',
    'DELETE /api/v1/bulk/uploads/{upload_id}',
    'DELETE /api/v1/keys/{key_id}',
    'DELETE /api/v1/listings/{listing_id}',
    'DELETE /api/v1/policies/{name}',
    'DELETE /api/v1/webhooks/{webhook_id}',
    'GET /api/v1/account',
    'GET /api/v1/bulk/jobs',
    'GET /api/v1/bulk/jobs/{job_id}',
    'GET /api/v1/bulk/jobs/{job_id}/breakdown',
    'GET /api/v1/bulk/jobs/{job_id}/events',
    'GET /api/v1/bulk/jobs/{job_id}/results',
    'GET /api/v1/bulk/jobs/{job_id}/results/{row}',
    'GET /api/v1/bulk/uploads',
    'GET /api/v1/bulk/uploads/{upload_id}',
    'GET /api/v1/health/providers',
    'GET /api/v1/keys',
    'GET /api/v1/keys/{key_id}',
    'GET /api/v1/ledger',
    'GET /api/v1/listings',
    'GET /api/v1/model',
    'GET /api/v1/overview',
    'GET /api/v1/policies',
    'GET /api/v1/policies/{name}',
    'GET /api/v1/requests',
    'GET /api/v1/requests/{request_id}',
    'GET /api/v1/usage',
    'GET /api/v1/validation/single',
    'GET /api/v1/validation/single/{validation_id}',
    'GET /api/v1/webhooks',
    'GET /api/v1/webhooks/{webhook_id}',
    'GET /api/v1/webhooks/{webhook_id}/deliveries',
    'GET /api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}',
    'PATCH /api/v1/account',
    'PATCH /api/v1/keys/{key_id}',
    'PATCH /api/v1/policies/{name}',
    'PATCH /api/v1/webhooks/{webhook_id}',
    'POST /api/v1/bulk/jobs/{job_id}/cancel',
    'POST /api/v1/bulk/jobs/{job_id}/pause',
    'POST /api/v1/bulk/jobs/{job_id}/resume',
    'POST /api/v1/bulk/upload/confirm',
    'POST /api/v1/bulk/upload/preview',
    'POST /api/v1/feedback',
    'POST /api/v1/keys',
    'POST /api/v1/keys/{key_id}/rotate',
    'POST /api/v1/listings',
    'POST /api/v1/policies',
    'POST /api/v1/validation/bulk',
    'POST /api/v1/validation/single',
    'POST /api/v1/webhooks',
    'POST /api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/resend',
    'POST /api/v1/webhooks/{webhook_id}/recover',
    'POST /api/v1/webhooks/{webhook_id}/rotate',
    'POST /api/v1/webhooks/{webhook_id}/test',
  ])
})

test.each(operations)('%s has an example for its success and for its refusals', (_name, operation) => {
  const answers = Object.entries(operation.responses ?? {})
  for (const group of ['2', '4']) {
    const inGroup = answers.filter(([status]) => status.startsWith(group))
    expect(inGroup.length).toBeGreaterThan(0)
    for (const [, answer] of inGroup) {
      for (const media of Object.values(answer.content ?? {})) expect(media.example ?? media.examples).toBeDefined()
    }
  }
})

test('says what we send: every event that a webhook can be told of, with an example', () => {
  expect(Object.keys(document.webhooks ?? {})).toEqual(WEBHOOK_EVENT_TYPES)
  for (const { post } of Object.values(document.webhooks ?? {})) {
    const media = post.requestBody?.content?.['application/json']
    expect(media?.schema).toEqual({ $ref: '#/components/schemas/WebhookEvent' })
    expect(media?.example).toMatchObject({ type: 'job.completed' })
  }
})

test('schemas have names that a code generator can use', () => {
  for (const name of Object.keys(document.components.schemas ?? {})) expect(name).toMatch(/^[A-Z][A-Za-z]+$/)
})
