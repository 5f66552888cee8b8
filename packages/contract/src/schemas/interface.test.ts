import type { TSchema } from 'typebox'
import { expect, test } from 'vitest'
import { ConfirmRequest, Job, JobCreated, JobList, JobPage } from './jobs/jobs.ts'
import { UploadPreview } from './jobs/uploads.ts'
import { BulkRequest, BulkSummary } from './validations/bulk.ts'
import { SingleQuery, SingleRequest, ValidationResult } from './validations/single.ts'

type JsonType = 'string' | 'integer' | 'number' | 'boolean' | 'number or null' | 'string or null' | 'uuid' | 'strings'
type Fields = { [name: string]: JsonType | Fields | [Fields] }

// The fields promised by the public interface: [Fields] is an array of such objects. Fields may be added to the schemas, and these must
// never
// change.
const PROMISED: [string, TSchema, Fields][] = [
  [
    'a single result',
    ValidationResult,
    {
      email: 'string',
      status: 'string',
      sub_status: 'string',
      confidence: 'number',
      safe_to_send: 'boolean',
      is_valid: 'boolean',
      details: {
        syntax_valid: 'boolean',
        dns_valid: 'boolean',
        smtp_valid: 'boolean',
        smtp_code: 'integer',
        domain: 'string',
        provider: 'string',
        is_disposable: 'boolean',
        is_role_based: 'boolean',
        has_spf: 'boolean',
        has_dmarc: 'boolean',
      },
      catchall: { is_catchall: 'boolean', confidence: 'number or null' },
      ai_enhancement: { used: 'boolean', method: 'string or null' },
      performance: { response_time_ms: 'integer' },
      metadata: {
        timestamp: 'number',
        plan_tier: 'string',
        features_used: { catchall_detection: 'boolean', ai_enhancement: 'boolean' },
      },
    },
  ],
  [
    'a bulk summary',
    BulkSummary,
    {
      total: 'integer',
      valid_count: 'integer',
      invalid_count: 'integer',
      risky_count: 'integer',
      duplicate_count: 'integer',
      credits_used: 'integer',
      results: [{ email: 'string', status: 'string', is_valid: 'boolean', confidence: 'number' }],
    },
  ],
  [
    'an upload preview',
    UploadPreview,
    { upload_id: 'uuid', filename: 'string', columns: 'strings', suggested_email_column: 'string' },
  ],
  ['a job', Job, { id: 'uuid', status: 'string' }],
  ['a created job', JobCreated, { id: 'uuid', status: 'string' }],
  ['a single request', SingleRequest, { email: 'string' }],
  ['a single query', SingleQuery, { email: 'string' }],
  ['a bulk request', BulkRequest, { emails: 'strings' }],
  ['a confirmation', ConfirmRequest, { upload_id: 'uuid', email_column: 'string' }],
]

type Node = {
  type?: string | string[]
  format?: string
  enum?: unknown[]
  items?: Node
  properties?: Record<string, Node>
  required?: string[]
}

test.each(PROMISED)('%s has every promised field with its promised type', (_, schema, fields) => {
  expect(promisedPart(schema as Node, fields)).toEqual(fields)
})

test.each(PROMISED)('%s always contains its promised fields, with open enums', (_, schema, fields) => {
  const { properties = {}, required } = schema as Node
  expect(required).toEqual(expect.arrayContaining(Object.keys(fields)))
  for (const name of Object.keys(fields)) expect(properties[name]?.enum).toBeUndefined()
})

test('a list of jobs is a plain array', () => {
  expect(JobList).toMatchObject({ type: 'array', items: Job })
})

test('a page of jobs starts at 0 and has 10 entries by default', () => {
  expect(JobPage.properties).toMatchObject({
    skip: { type: 'integer', default: 0 },
    limit: { type: 'integer', default: 10 },
  })
  expect(JobPage.required).toBeUndefined()
})

/** Describes the promised fields of a schema in the notation of the table; missing fields stay missing. */
function promisedPart(node: Node, fields: Fields): Fields {
  const found: Fields = {}
  for (const [name, promise] of Object.entries(fields)) {
    const field = node.properties?.[name]
    if (field !== undefined) found[name] = typeOf(field, promise)
  }
  return found
}

function typeOf(node: Node, promise: Fields[string]): Fields[string] {
  if (Array.isArray(promise))
    return node.type === 'array' ? [promisedPart(node.items ?? {}, promise[0])] : (String(node.type) as JsonType)
  if (typeof promise === 'object')
    return node.type === 'object' ? promisedPart(node, promise) : (String(node.type) as JsonType)
  if (node.type === 'array' && node.items?.type === 'string') return 'strings'
  if (node.type === 'string' && node.format === 'uuid') return 'uuid'
  return [node.type].flat().join(' or ') as JsonType
}
