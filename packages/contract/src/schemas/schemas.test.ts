import type { TSchema } from 'typebox'
import Value from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { WEBHOOK_EVENT_TYPES } from '../constants/webhooks.ts'
import * as accounts from './accounts.ts'
import * as billing from './billing.ts'
import * as feedback from './feedback.ts'
import * as comparison from './jobs/comparison.ts'
import * as jobs from './jobs/jobs.ts'
import * as reports from './jobs/reports.ts'
import * as reruns from './jobs/reruns.ts'
import * as results from './jobs/results.ts'
import * as uploadChanges from './jobs/upload-changes.ts'
import * as uploads from './jobs/uploads.ts'
import * as keys from './keys.ts'
import * as mcp from './mcp.ts'
import * as overrides from './overrides.ts'
import * as policies from './policies.ts'
import * as problems from './problems.ts'
import * as requests from './requests.ts'
import * as system from './system.ts'
import * as usage from './usage.ts'
import * as bulk from './validations/bulk.ts'
import * as fields from './validations/fields.ts'
import * as single from './validations/single.ts'
import * as deliveries from './webhooks/deliveries.ts'
import * as endpoints from './webhooks/endpoints.ts'
import * as events from './webhooks/events.ts'

type Node = {
  [keyword: string]: unknown
  title?: string
  description?: string
  type?: string | string[]
  examples?: unknown[]
  default?: unknown
  properties?: Record<string, Node>
  items?: Node
  additionalProperties?: boolean | Node
}

const MODULES = {
  accounts,
  billing,
  feedback,
  jobs,
  reruns,
  comparison,
  reports,
  results,
  uploads,
  uploadChanges,
  keys,
  mcp,
  overrides,
  policies,
  problems,
  requests,
  system,
  usage,
  bulk,
  fields,
  single,
  deliveries,
  endpoints,
  events,
  eventTypes: events.WEBHOOK_BODIES,
}
/** Only routes of the web app use these. They are not in the OpenAPI document. */
const WEB_APP_ONLY = [
  'Billing',
  'Checkout',
  'PaymentPage',
  'StartCheckout',
  'DeletionPreview',
  'DeleteAccount',
  'ExportRequest',
  'Network',
  'UpdateNetwork',
  'Report',
  'ReportRequest',
]
const REQUEST_BODIES = [
  'SingleRequest',
  'DecisionRequest',
  'BulkRequest',
  'ConfirmRequest',
  'UpdateJob',
  'RerunRequest',
  'CreateReportLink',
  'UploadForm',
  'SheetRequest',
  'HeaderRequest',
  'CorrectionsRequest',
  'CreateKey',
  'UpdateKey',
  'RotateKey',
  'CreateWebhook',
  'UpdateWebhook',
  'ResendDeliveries',
  'UpdateAccount',
  'ErasureRequest',
  'FeedbackReport',
  'ValidateEmail',
  'EstimateJob',
  'StartJob',
  'ListJobs',
  'ListJobResults',
  'ExplainResult',
  'CreatePolicy',
  'UpdatePolicy',
  'AddOverrides',
]
const PARAMETERS = [
  'FeedbackQuery',
  'SingleQuery',
  'ComparisonQuery',
  'JobPage',
  'JobParams',
  'ReportLinkParams',
  'KeyPage',
  'KeyParams',
  'LedgerQuery',
  'OverviewQuery',
  'RequestParams',
  'RequestsQuery',
  'ResultParams',
  'ResultQuery',
  'ResultsQuery',
  'PreviewQuery',
  'SuggestionQuery',
  'UploadPage',
  'UploadParams',
  'UploadQuery',
  'UsageQuery',
  'WebhookPage',
  'WebhookParams',
  'DeliveryParams',
  'DeliveryQuery',
  'PolicyParams',
  'OverrideQuery',
  'OverrideParams',
]

const SCHEMAS: [string, Node][] = Object.values(MODULES)
  .flatMap((module) => Object.entries(module) as [string, unknown][])
  .filter((entry): entry is [string, Node] => isSchema(entry[1]) && !WEB_APP_ONLY.includes(entry[0]))
const WHOLE = SCHEMAS.filter(([name]) => !name.endsWith('Field'))

test('every schema of the contract is tested here', () => {
  expect(SCHEMAS.map(([name]) => name).toSorted()).toEqual(
    [
      'Account',
      'ApiKey',
      'EstimateJob',
      'ExplainResult',
      'Explanation',
      'JobEstimate',
      'JobResultsPage',
      'JobsPage',
      'ListJobResults',
      'ListJobs',
      'StartJob',
      'ValidateEmail',
      'Breakdown',
      'BulkRequest',
      'BulkSummary',
      'CorrectionsRequest',
      'HeaderRequest',
      'PreviewQuery',
      'ResultQuery',
      'SuggestionPage',
      'SuggestionQuery',
      'NonAddress',
      'NonAddressPage',
      'NonAddressQuery',
      'NonAddressSheet',
      'ResultWorkbook',
      'SheetRequest',
      'ConfirmRequest',
      'CreateKey',
      'CreatedKey',
      'DepthField',
      'Erasure',
      'ErasureRequest',
      'Evidence',
      'EvidenceList',
      'FeedbackQuery',
      'FeedbackReport',
      'FeedbackSheet',
      'FeedbackSummary',
      'ComparisonQuery',
      'CreateReportLink',
      'Job',
      'JobComparison',
      'ReportLink',
      'ReportLinkList',
      'ReportLinkParams',
      'ReportLinkWithUrl',
      'RerunRequest',
      'UpdateJob',
      'JobCreated',
      'JobList',
      'JobPage',
      'JobParams',
      'KeyList',
      'KeyLivemodeField',
      'KeyPage',
      'KeyParams',
      'KeyScopesField',
      'LastRequestField',
      'LedgerEntry',
      'LedgerPage',
      'LedgerQuery',
      'LedgerSheet',
      'AddOverrides',
      'AddedOverrides',
      'OverrideField',
      'Override',
      'OverridePage',
      'OverrideParams',
      'OverrideQuery',
      'OverrideSheet',
      'Model',
      'DecisionRequest',
      'DecisionResult',
      'DeliverabilityField',
      'DidYouMeanField',
      'RetryAtField',
      'ValidationIdField',
      'KeyTypeField',
      'WebhookUrlField',
      'CreatePolicy',
      'DecisionField',
      'Policy',
      'PolicyDecisionField',
      'PolicyList',
      'PolicyNameField',
      'PolicyParams',
      'UpdatePolicy',
      'ProblemBody',
      'Overview',
      'OverviewQuery',
      'ProbingField',
      'ProviderHealth',
      'RequestDetail',
      'RequestEntry',
      'RequestPage',
      'RequestParams',
      'RequestsQuery',
      'Result',
      'ResultLines',
      'ResultPage',
      'ResultParams',
      'ResultSheet',
      'ResultsQuery',
      'RotateKey',
      'SingleQuery',
      'SingleRequest',
      'StatusField',
      'SubStatusField',
      'UpdateKey',
      'Upload',
      'UploadForm',
      'UploadList',
      'UploadPage',
      'UploadParams',
      'UploadPreview',
      'UploadQuery',
      'Usage',
      'UsageQuery',
      'ValidationParams',
      'ValidationResult',
      'CallbackSecret',
      'CreateWebhook',
      'Delivery',
      'DeliveryList',
      'DeliveryParams',
      'DeliveryQuery',
      'ResendDeliveries',
      'ResentDeliveries',
      'UpdateAccount',
      'UpdateWebhook',
      'Webhook',
      'WebhookEvent',
      'WebhookIdField',
      'WebhookList',
      'WebhookPage',
      'WebhookParams',
      'WebhookWithSecret',
      'DeliveryDetail',
      ...WEBHOOK_EVENT_TYPES,
    ].toSorted(),
  )
})

test('formats are validated', () => {
  const uuid = { type: 'string', format: 'uuid' }
  const time = { type: ['string', 'null'], format: 'date-time' }
  expect(Value.Check(uuid, '0198f2e3-58b6-7c21-9d4f-6a0b13e7c582')).toBe(true)
  expect(Value.Check(uuid, '0198f2e3')).toBe(false)
  expect(Value.Check(time, '2026-11-02T12:00:00.000Z')).toBe(true)
  expect(Value.Check(time, null)).toBe(true)
  expect(Value.Check(time, '2 November 2026')).toBe(false)
})

describe.each(WHOLE)('%s', (name, schema) => {
  test('has a title, a description and a complete example', () => {
    expect(schema.title).toMatch(/\w/)
    expect(schema.description).toMatch(/\.$/)
    expect(schema.examples).not.toHaveLength(0)
    expect(schema).not.toHaveProperty('$id')
  })

  test('every example and default satisfies its own schema', () => {
    for (const [path, node] of walk(name, schema)) {
      const values = [...(node.examples ?? []), ...('default' in node ? [node.default] : [])]
      for (const value of values) expect([path, ...Value.Errors(node as TSchema, value)]).toEqual([path])
    }
  })

  test('every property has a description in full sentences', () => {
    for (const [path, node] of walk(name, schema)) {
      for (const [property, child] of Object.entries(node.properties ?? {})) {
        expect([path, property, child.description]).toEqual([path, property, expect.stringMatching(/^[A-Z`].*[.]$/s)])
      }
    }
  })

  test('every field that is not an object or a list of objects has an example', () => {
    for (const [path, node] of walk(name, schema)) {
      for (const [property, child] of Object.entries(node.properties ?? {})) {
        if (child.properties || child.items?.properties) continue
        expect([path, property, child.examples?.length ?? 0]).not.toEqual([path, property, 0])
      }
    }
  })

  test('null is a second type and never a branch of anyOf', () => {
    for (const [path, node] of walk(name, schema)) {
      if (path === 'WebhookEvent') continue // the union of bodies that are sent and never coerced
      expect([path, 'anyOf' in node, 'oneOf' in node, 'allOf' in node]).toEqual([path, false, false, false])
    }
  })

  test('mail domains in examples are reserved names', () => {
    const domains = JSON.stringify(schema.examples).matchAll(/@([a-z0-9.-]+)/gi)
    for (const [, domain] of domains) expect(domain).toMatch(/^example\.(com|org|net)$/)
  })
})

test('request bodies reject unknown fields', () => {
  for (const name of REQUEST_BODIES) expect([name, find(name).additionalProperties]).toEqual([name, false])
})

test('responses allow additional fields', () => {
  const answers = WHOLE.filter(([name]) => !REQUEST_BODIES.includes(name) && !PARAMETERS.includes(name))
  for (const [name, schema] of answers) {
    for (const [path, node] of walk(name, schema)) {
      expect([path, node.additionalProperties === false]).toEqual([path, false])
    }
  }
})

test('every text and array in a request has a maximum', () => {
  for (const name of REQUEST_BODIES) {
    for (const [path, node] of walk(name, find(name))) {
      const types = [node.type].flat()
      const isBoundByValue = 'enum' in node || 'format' in node
      if (types.includes('string') && !isBoundByValue) expect([path, node]).toHaveProperty('1.maxLength')
      if (types.includes('array')) expect([path, node]).toHaveProperty('1.maxItems')
    }
  }
})

function find(name: string): Node {
  const found = SCHEMAS.find(([candidate]) => candidate === name)
  if (found === undefined) throw new Error(`No schema ${name}`)
  return found[1]
}

function isSchema(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && ('~kind' in value || '~unsafe' in value)
}

/** A schema and all schemas inside it, each with its path. */
function* walk(path: string, node: Node): Generator<[string, Node]> {
  yield [path, node]
  for (const [name, child] of Object.entries(node.properties ?? {})) yield* walk(`${path}.${name}`, child)
  if (node.items) yield* walk(`${path}[]`, node.items)
  if (typeof node.additionalProperties === 'object') yield* walk(`${path}{}`, node.additionalProperties)
}
