import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { plant, REAL_ROOT } from '../test-workspace.ts'
import { listBreakingChanges } from './compare-documents.ts'
import type { Json } from './compare-schemas.ts'
import { canonize, readCurrent, readSnapshot, updateSnapshot } from './snapshot.ts'

const snapshot = readSnapshot(REAL_ROOT)

/** The node at a path of names. The parent of a planted change must exist, or the test would plant nothing. */
function at(document: Json, ...path: string[]): Json {
  return path.reduce((node, name) => {
    const next = node[name]
    if (typeof next !== 'object' || next === null) throw new Error(`nothing at ${name} of ${path.join(' ')}`)
    return next as Json
  }, document)
}

const schemaOf = (document: Json, name: string) => at(document, 'components', 'schemas', name)
const fieldOf = (document: Json, schema: string, field: string) => at(schemaOf(document, schema), 'properties', field)
const operationOf = (document: Json, method: string, path: string) => at(document, 'paths', `/api/v1${path}`, method)
const parameterOf = (operation: Json, name: string) => {
  const found = (operation['parameters'] as Json[]).find((one) => one['name'] === name)
  return found ?? expect.fail(`no parameter ${name}`)
}

/** The findings after a change of the real document. */
function findAfter(change: (document: Json) => void): string[] {
  const document = structuredClone(snapshot)
  change(document)
  return listBreakingChanges(snapshot, document)
}

test('the API has no incompatible change against its snapshot, and the snapshot is complete', () => {
  const current = readCurrent(REAL_ROOT)
  expect(listBreakingChanges(snapshot, current)).toEqual([])
  // An addition is protected once it is in the snapshot: pnpm openapi --write
  expect(updateSnapshot(REAL_ROOT, current, false)).toEqual({ kind: 'current' })
})

function set(node: Json, name: string, value: unknown): void {
  node[name] = value
}

function drop(node: Json, name: string): void {
  expect(node).toHaveProperty([name])
  delete node[name]
}

const without = (node: Json, list: string, value: string) => {
  const before = node[list] as string[]
  expect(before).toContain(value)
  node[list] = before.filter((one) => one !== value)
}

const BREAKING: [name: string, change: (document: Json) => void, finding: RegExp][] = [
  ['a path is removed', (all) => drop(at(all, 'paths'), '/api/v1/account'), /^GET \/api\/v1\/account is gone$/],
  ['a method is removed', (all) => drop(at(all, 'paths', '/api/v1/account'), 'patch'), /^PATCH .* is gone$/],
  [
    'a response field is removed',
    (all) => drop(at(schemaOf(all, 'ValidationResult'), 'properties'), 'safe_to_send'),
    /200 .*\.safe_to_send is gone$/,
  ],
  [
    'a response field of a part is removed',
    (all) => drop(at(fieldOf(all, 'ValidationResult', 'details'), 'properties'), 'has_spf'),
    /\.details\.has_spf is gone$/,
  ],
  [
    'a response field changes its type',
    (all) => set(fieldOf(all, 'ValidationResult', 'confidence'), 'type', 'string'),
    /\.confidence: type number became string$/,
  ],
  [
    'a response field may become null',
    (all) => set(fieldOf(all, 'ValidationResult', 'email'), 'type', ['string', 'null']),
    /\.email: type string became string\|null$/,
  ],
  [
    'a response field is no longer always there',
    (all) => without(schemaOf(all, 'ValidationResult'), 'required', 'status'),
    /\.status is no longer always there$/,
  ],
  [
    'a value of an open list is removed',
    (all) => without(schemaOf(all, 'ValidationStatus'), 'x-extensible-enum', 'risky'),
    /\.status: value "risky" is gone$/,
  ],
  [
    'a value is added to a closed list of a response',
    (all) => set(at(fieldOf(all, 'Account', 'probing'), 'properties', 'mode'), 'enum', ['dns', 'http', 'smtp']),
    /\.probing\.mode: value "http" was added to a closed list$/,
  ],
  [
    'a request field is removed',
    (all) => drop(at(schemaOf(all, 'SingleValidationRequest'), 'properties'), 'timeout'),
    /body .*\.timeout is gone$/,
  ],
  [
    'a new request field is required',
    (all) => {
      at(schemaOf(all, 'SingleValidationRequest'), 'properties')['purpose'] = { type: 'string' }
      schemaOf(all, 'SingleValidationRequest')['required'] = ['email', 'purpose']
    },
    /^POST \/api\/v1\/validation\/single body .*\.purpose became required$/,
  ],
  [
    'an optional request field becomes required',
    (all) => set(schemaOf(all, 'SingleValidationRequest'), 'required', ['email', 'timeout']),
    /\.timeout became required$/,
  ],
  [
    'a value of a request is removed',
    (all) => without(at(parameterOf(operationOf(all, 'get', '/ledger'), 'format'), 'schema'), 'enum', 'csv'),
    /query parameter format: value "csv" is gone$/,
  ],
  [
    'a limit of a request is tightened',
    (all) => set(fieldOf(all, 'BulkValidationRequest', 'emails'), 'maxItems', 500),
    /\.emails: maxItems 1000 became 500$/,
  ],
  [
    'a parameter is removed',
    (all) => {
      const operation = operationOf(all, 'get', '/bulk/jobs')
      const left = (operation['parameters'] as Json[]).filter((one) => one['name'] !== 'search')
      expect(left.length).toBeGreaterThan(0)
      operation['parameters'] = left
    },
    /^GET \/api\/v1\/bulk\/jobs query parameter search is gone$/,
  ],
  [
    'a parameter becomes required',
    (all) => set(parameterOf(operationOf(all, 'get', '/bulk/jobs'), 'search'), 'required', true),
    /query parameter search became required$/,
  ],
  [
    'a parameter changes its default',
    (all) => set(at(parameterOf(operationOf(all, 'get', '/bulk/jobs'), 'limit'), 'schema'), 'default', 20),
    /query parameter limit: default 10 became 20$/,
  ],
  [
    'a status code is removed',
    (all) => drop(at(operationOf(all, 'post', '/validation/single'), 'responses'), '402'),
    /^POST \/api\/v1\/validation\/single 402 is gone$/,
  ],
  [
    'a success gets another status code',
    (all) => {
      const responses = at(operationOf(all, 'post', '/keys'), 'responses')
      responses['200'] = responses['201']
    },
    /^POST \/api\/v1\/keys 200 is a new success$/,
  ],
  [
    'a media type is removed',
    (all) => drop(at(operationOf(all, 'get', '/ledger'), 'responses', '200', 'content'), 'text/csv'),
    /200 \(text\/csv\) is gone$/,
  ],
  [
    'a response header is removed',
    (all) => drop(at(operationOf(all, 'get', '/bulk/jobs'), 'responses', '200', 'headers'), 'X-Total-Count'),
    /200 header X-Total-Count is gone$/,
  ],
  [
    'a way to authenticate is removed',
    (all) => set(at(all, 'components', 'securitySchemes', 'apiKey'), 'name', 'X-Key'),
    /no longer accepts a way to authenticate$/,
  ],
  ['an event is removed', (all) => drop(at(all, 'webhooks'), 'job.completed'), /^webhook job\.completed is gone$/],
]

test.each(BREAKING)('a finding is reported when %s', (_name, change, finding) => {
  const findings = findAfter(change)
  expect(findings).toContainEqual(expect.stringMatching(finding))
})

const ADDITIVE: [name: string, change: (document: Json) => void][] = [
  [
    'a response field is added',
    (all) => {
      at(schemaOf(all, 'ValidationResult'), 'properties')['added'] = { type: 'string' }
      ;(schemaOf(all, 'ValidationResult')['required'] as string[]).push('added')
    },
  ],
  [
    'an optional request field is added',
    (all) => set(at(schemaOf(all, 'SingleValidationRequest'), 'properties'), 'added', { type: 'string' }),
  ],
  [
    'a value is added to an open list',
    (all) => void (schemaOf(all, 'ValidationStatus')['x-extensible-enum'] as string[]).push('added'),
  ],
  [
    'an operation is added',
    (all) => set(at(all, 'paths'), '/api/v1/added', { get: operationOf(all, 'get', '/account') }),
  ],
  [
    'an optional parameter is added',
    (all) =>
      (operationOf(all, 'get', '/bulk/jobs')['parameters'] as Json[]).push({
        ...{ name: 'added', in: 'query', required: false, schema: { type: 'string' } },
      }),
  ],
  [
    'an error status is added',
    (all) => {
      const responses = at(operationOf(all, 'get', '/account'), 'responses')
      responses['418'] = responses['401']
    },
  ],
  ['an event is added', (all) => set(at(all, 'webhooks'), 'job.added', at(all, 'webhooks', 'job.completed'))],
  ['a limit of a request is relaxed', (all) => set(fieldOf(all, 'BulkValidationRequest', 'emails'), 'maxItems', 2_000)],
  [
    'another way to authenticate is added',
    (all) => {
      at(all, 'components', 'securitySchemes')['added'] = { type: 'http', scheme: 'bearer' }
      ;(all['security'] as Json[]).push({ added: [] })
    },
  ],
]

test.each(ADDITIVE)('no finding is reported when %s', (_name, change) => {
  const document = structuredClone(snapshot)
  change(document)
  expect(document).not.toEqual(snapshot)
  expect(listBreakingChanges(snapshot, document)).toEqual([])
})

test('descriptions, examples, titles and component names may change', () => {
  const described = (words: string, component: string) => ({
    openapi: '3.1.0',
    info: { title: words, version: words },
    paths: {
      '/things': {
        get: {
          summary: words,
          responses: {
            200: {
              description: words,
              content: {
                'application/json': { schema: { $ref: `#/components/schemas/${component}` }, example: words },
              },
            },
          },
        },
      },
    },
    components: {
      schemas: {
        [component]: {
          title: words,
          type: 'object',
          properties: { title: { type: 'string', description: words, examples: [words] } },
        },
      },
    },
  })
  const one = canonize(described('one', 'One'))
  expect(listBreakingChanges(one, canonize(described('two', 'Two')))).toEqual([])
  expect(JSON.stringify(one)).not.toContain('"one"')
  expect(at(one, 'components', 'schemas', 'One', 'properties')).toEqual({ title: { type: 'string' } })
})

const FILE = 'packages/contract/openapi.json'
const broken = structuredClone(snapshot)
delete at(broken, 'paths')['/api/v1/account']
const added = structuredClone(snapshot)
at(added, 'paths')['/api/v1/added'] = {}

function plantSnapshot(files: Record<string, string> = {}): string {
  const root = plant({ 'packages/contract/package.json': '{}', ...files })
  expect(updateSnapshot(root, snapshot, true)).toEqual({ kind: 'written' })
  return root
}

test('--write stores any change before the first release', () => {
  const root = plantSnapshot()
  expect(updateSnapshot(root, broken, true)).toEqual({ kind: 'written' })
  expect(readSnapshot(root)).toEqual(broken)
})

test('--write stores additions and rejects incompatible changes, and without it the snapshot is unchanged', () => {
  const root = plantSnapshot({ 'packages/database/released.json': '{}' })
  const before = readFileSync(join(root, FILE), 'utf8')
  expect(updateSnapshot(root, broken, false)).toMatchObject({
    kind: 'stale',
    breaking: ['GET /api/v1/account is gone', 'PATCH /api/v1/account is gone'],
  })
  expect(updateSnapshot(root, broken, true)).toMatchObject({ kind: 'refused' })
  expect(updateSnapshot(root, added, false)).toMatchObject({ kind: 'stale', breaking: [] })
  expect(readFileSync(join(root, FILE), 'utf8')).toBe(before)
  expect(updateSnapshot(root, added, true)).toEqual({ kind: 'written' })
  expect(readSnapshot(root)).toEqual(added)
})
