import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WEBHOOK_EVENT_TYPES } from '@probity/contract/constants/webhooks'
import { afterAll, expect, test } from 'vitest'
import release from '../../../../package.json' with { type: 'json' }
import { TAGS } from '../http/openapi.ts'
import { callApp, startTestApi } from '../testing/test-api.ts'
import { finishDocument, type OpenApiDocument } from './openapi.ts'

const api = await startTestApi()
const { text } = await callApp(api.app, { method: 'GET', url: '/api/v1/openapi.json' })
type ServedDocument = OpenApiDocument & {
  openapi: string
  info: object
  tags: { name: string; description: string }[]
}
const document = JSON.parse(text) as ServedDocument
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
)

const folder = mkdtempSync(join(tmpdir(), 'probity-openapi-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('the document is served without a key, as OpenAPI 3.1, and passes the Redocly rules without errors or warnings', () => {
  expect(document.openapi).toBe('3.1.0')
  const file = join(folder, 'openapi.json')
  writeFileSync(file, text)
  const redocly = join(import.meta.dirname, '../../node_modules/.bin/redocly')
  const report = execFileSync(redocly, ['lint', '--extends=recommended', '--format', 'json', file], {
    encoding: 'utf8',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  })
  expect(JSON.parse(report).totals).toMatchObject({ errors: 0, warnings: 0 })
})

test('the document has the version of the release and of the API', () => {
  expect(document.info).toMatchObject({ version: release.version, 'x-api-version': 'v1' })
  expect(api.config.publicUrl).toBeUndefined()
  expect(operations.every(([name]) => name.includes(' /api/v1/'))).toBe(true)
})

test('the document has the tags of its operations, each with a description, validation first', () => {
  const names = document.tags.map(({ name }) => name)
  expect(names).toEqual(Object.keys(TAGS))
  expect(names[0]).toBe('Validation')
  for (const { description } of document.tags) expect(description).toMatch(/^[A-Z].*\.$/)
  const used = new Set(operations.flatMap(([, { tags = [] }]) => tags))
  expect([...used].toSorted()).toEqual(names.toSorted())
})

test.each(operations)(
  '%s takes an Idempotency-Key if it charges credits or is a POST that uploads no file',
  (name, operation) => {
    const hasKey = operation.parameters?.some(({ $ref }) => $ref === '#/components/parameters/IdempotencyKey') ?? false
    const isPost = name.startsWith('POST ') && name !== 'POST /api/v1/bulk/upload/preview'
    expect(hasKey).toBe(isPost || name === 'GET /api/v1/validation/single')
    expect(document.components.parameters?.['IdempotencyKey']).toMatchObject({ name: 'Idempotency-Key', in: 'header' })
  },
)

const VERBS: Record<string, RegExp> = {
  GET: /^(list|get|stream)[A-Z]|^validateSingleByQuery$/,
  POST: /^(create|rotate|validate|preview|confirm|pause|resume|cancel|report|test|recover|resend)[A-Z]|^decide$/,
  PATCH: /^update[A-Z]/,
  DELETE: /^(delete|revoke)[A-Z]/,
}

test.each(operations)('%s has an operationId that begins with the verb of its method', (name, { operationId }) => {
  expect(operationId).toMatch(VERBS[name.split(' ')[0] ?? ''] ?? /never/)
})

test.each(operations)('%s takes a body whose schema has a descriptive name', (_name, { requestBody }) => {
  for (const { schema } of Object.values(requestBody?.content ?? {})) {
    expect(schema?.['$ref']).toMatch(/^#\/components\/schemas\/[A-Za-z]+(Request|Form|Report|Csv)$/)
  }
})

test('the document lists exactly the implemented operations', () => {
  expect(operations.map(([name]) => name).toSorted()).toEqual([
    'DELETE /api/v1/bulk/jobs/{job_id}',
    'DELETE /api/v1/bulk/jobs/{job_id}/report-links/{link_id}',
    'DELETE /api/v1/bulk/uploads/{upload_id}',
    'DELETE /api/v1/keys/{key_id}',
    'DELETE /api/v1/overrides/{override_id}',
    'DELETE /api/v1/policies/{name}',
    'DELETE /api/v1/webhooks/{webhook_id}',
    'GET /api/v1/account',
    'GET /api/v1/account/callback-secret',
    'GET /api/v1/bulk/jobs',
    'GET /api/v1/bulk/jobs/{job_id}',
    'GET /api/v1/bulk/jobs/{job_id}/breakdown',
    'GET /api/v1/bulk/jobs/{job_id}/callback',
    'GET /api/v1/bulk/jobs/{job_id}/comparison',
    'GET /api/v1/bulk/jobs/{job_id}/events',
    'GET /api/v1/bulk/jobs/{job_id}/report-links',
    'GET /api/v1/bulk/jobs/{job_id}/results',
    'GET /api/v1/bulk/jobs/{job_id}/results/{row}',
    'GET /api/v1/bulk/uploads',
    'GET /api/v1/bulk/uploads/{upload_id}',
    'GET /api/v1/bulk/uploads/{upload_id}/non-addresses',
    'GET /api/v1/bulk/uploads/{upload_id}/suggestions',
    'GET /api/v1/events/stream',
    'GET /api/v1/health/providers',
    'GET /api/v1/keys',
    'GET /api/v1/keys/{key_id}',
    'GET /api/v1/ledger',
    'GET /api/v1/model',
    'GET /api/v1/overrides',
    'GET /api/v1/overview',
    'GET /api/v1/policies',
    'GET /api/v1/policies/{name}',
    'GET /api/v1/requests',
    'GET /api/v1/requests/{request_id}',
    'GET /api/v1/usage',
    'GET /api/v1/validation/single',
    'GET /api/v1/validations/{validation_id}',
    'GET /api/v1/webhooks',
    'GET /api/v1/webhooks/{webhook_id}',
    'GET /api/v1/webhooks/{webhook_id}/deliveries',
    'GET /api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}',
    'PATCH /api/v1/account',
    'PATCH /api/v1/bulk/jobs/{job_id}',
    'PATCH /api/v1/keys/{key_id}',
    'PATCH /api/v1/policies/{name}',
    'PATCH /api/v1/webhooks/{webhook_id}',
    'POST /api/v1/account/callback-secret/rotate',
    'POST /api/v1/bulk/jobs/{job_id}/callback/resend',
    'POST /api/v1/bulk/jobs/{job_id}/cancel',
    'POST /api/v1/bulk/jobs/{job_id}/pause',
    'POST /api/v1/bulk/jobs/{job_id}/report-links',
    'POST /api/v1/bulk/jobs/{job_id}/rerun',
    'POST /api/v1/bulk/jobs/{job_id}/resume',
    'POST /api/v1/bulk/upload/confirm',
    'POST /api/v1/bulk/upload/preview',
    'POST /api/v1/bulk/uploads/{upload_id}/corrections',
    'POST /api/v1/bulk/uploads/{upload_id}/header',
    'POST /api/v1/bulk/uploads/{upload_id}/sheets',
    'POST /api/v1/erasures',
    'POST /api/v1/feedback',
    'POST /api/v1/keys',
    'POST /api/v1/keys/{key_id}/rotate',
    'POST /api/v1/overrides',
    'POST /api/v1/policies',
    'POST /api/v1/validation/bulk',
    'POST /api/v1/validation/decision',
    'POST /api/v1/validation/single',
    'POST /api/v1/webhooks',
    'POST /api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/resend',
    'POST /api/v1/webhooks/{webhook_id}/recover',
    'POST /api/v1/webhooks/{webhook_id}/rotate',
    'POST /api/v1/webhooks/{webhook_id}/test',
  ])
})

test.each(operations)('%s has an example for its success and for its problems', (_name, operation) => {
  const answers = Object.entries(operation.responses ?? {})
  for (const group of ['2', '4']) {
    const inGroup = answers.filter(([status]) => status.startsWith(group))
    expect(inGroup.length).toBeGreaterThan(0)
    for (const [, answer] of inGroup) {
      for (const media of Object.values(answer.content ?? {})) expect(media.example ?? media.examples).toBeDefined()
    }
  }
})

test('the document describes every webhook event with an example', () => {
  expect(Object.keys(document.webhooks ?? {})).toEqual(WEBHOOK_EVENT_TYPES)
  for (const { post } of Object.values(document.webhooks ?? {})) {
    const media = post.requestBody?.content?.['application/json']
    const [type] = Object.entries(document.webhooks ?? {}).find(([, one]) => one.post === post) ?? ['']
    const name = `${type.split('.').map(capitalize).join('')}Event`
    expect(media?.schema).toEqual({ $ref: `#/components/schemas/${name}` })
    expect(media?.example).toMatchObject({ type, id: expect.stringMatching(/^evt_/), api_version: 'v1' })
  }
})

test('the event bodies are one union that is discriminated by type', () => {
  const union = document.components.schemas?.['WebhookEvent'] as {
    oneOf: { $ref: string }[]
    discriminator: { propertyName: string; mapping: Record<string, string> }
  }
  expect(union.discriminator.propertyName).toBe('type')
  expect(Object.keys(union.discriminator.mapping)).toEqual(WEBHOOK_EVENT_TYPES)
  expect(Object.values(union.discriminator.mapping)).toEqual(union.oneOf.map(({ $ref }) => $ref))
  for (const { $ref } of union.oneOf) expect(document.components.schemas).toHaveProperty([$ref.split('/').at(-1) ?? ''])
})

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

test('schemas have names that a code generator can use', () => {
  for (const name of Object.keys(document.components.schemas ?? {})) {
    expect(name).toMatch(/^[A-Z][A-Za-z]+$/)
    expect(name).not.toMatch(/ToCreate|ToAdd|Changes$|^Whole|WithIts|Sheet$|^(Request|Response|Status|Error)$/)
  }
})

test('a constant is written as an enum of one value, wherever its schema comes from', () => {
  const planted = structuredClone(document)
  const schema = { title: 'Planted', type: 'object', properties: { kind: { type: 'string', const: 'a' } } }
  planted.paths = { '/planted': { get: { responses: { 200: { content: { 'application/json': { schema } } } } } } }
  const { properties } = finishDocument(planted).components.schemas?.['Planted'] ?? {}
  expect(properties).toEqual({ kind: { type: 'string', enum: ['a'] } })
})

test('two schemas with the same title and different fields are rejected', () => {
  const planted = structuredClone(document)
  const bodyOf = (fields: Record<string, Record<string, unknown>>) => ({
    content: { 'application/json': { schema: { title: 'Planted', type: 'object', properties: fields } } },
  })
  const answers = { 200: bodyOf({ a: { type: 'string' } }), 202: bodyOf({ b: { type: 'string' } }) }
  planted.paths = { '/planted': { get: { responses: answers } } }
  expect(() => finishDocument(planted)).toThrow('two schemas have the title Planted')
})
