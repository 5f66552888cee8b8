import { PROBLEMS } from '@probity/contract/constants/data/problems'
import type { ProblemCode } from '@probity/contract/constants/problems'
import { STRING_MODEL_DATA } from '@probity/engine/address/data/string-model'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { expect, test } from 'vitest'
import { describeApp } from './describe-app.ts'
import { finishDocument, type OpenApiDocument } from './openapi.ts'

type Json = Record<string, unknown>
type Example = { where: string; schema: Json; value: unknown }

const document = finishDocument((await describeApp()).swagger() as unknown as OpenApiDocument)
const ajv = new Ajv2020({ strict: false, allErrors: true })
formats.default(ajv)
ajv.addSchema({ ...document, $id: 'api' })

/** References point into the document, so a schema with references is checked as part of it. */
const check = (schema: Json) => ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')) as Json)

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null

/** Every example of the document with its schema. */
function listExamples(node: unknown, where: string): Example[] {
  if (Array.isArray(node)) return node.flatMap((part, n) => listExamples(part, `${where}/${n}`))
  if (!isObject(node)) return []
  const below = Object.entries(node).flatMap(([name, part]) =>
    // The value of an example is not a part of the document and has no examples.
    name === 'example' || name === 'examples' ? [] : listExamples(part, `${where}/${name}`),
  )
  return [...examplesAt(node, where), ...below]
}

function examplesAt(node: Json, where: string): Example[] {
  const { schema, example, examples } = node
  // A schema has its examples in an array of its own; a parameter, header or media type has them next to its schema.
  if (Array.isArray(examples)) return examples.map((value) => ({ where, schema: node, value }))
  if (!isObject(schema)) return []
  const named = isObject(examples) ? Object.values(examples).map((one) => (one as { value: unknown }).value) : []
  return [...named, ...(example === undefined ? [] : [example])].map((value) => ({ where, schema, value }))
}

const examples = listExamples(document, '')

test('every example matches its schema', () => {
  const checks = new Map<Json, ReturnType<typeof check>>()
  const faults = examples.flatMap(({ where, schema, value }) => {
    const matches = checks.get(schema) ?? check(schema)
    checks.set(schema, matches)
    return matches(value) ? [] : [`${where}: ${ajv.errorsText(matches.errors)}`]
  })
  expect(faults).toEqual([])
  expect(examples.length).toBeGreaterThan(500)
})

test('the example check rejects an example of another type', () => {
  const planted = { content: { 'application/json': { schema: { type: 'integer' }, example: 'seven' } } }
  const [found] = listExamples(planted, '')
  expect(found && check(found.schema)(found.value)).toBe(false)
})

const problems = examples
  .map(({ value }) => value)
  .filter((value): value is Json & { code: ProblemCode } => isObject(value) && 'code' in value && 'request_id' in value)

test('problem examples have the status and texts that the API sends', () => {
  expect(problems.length).toBeGreaterThan(100)
  for (const { type, status, title, detail, advice, code } of problems) {
    expect({ type, status, title, detail, advice }).toEqual({ type: `/docs/errors#${code}`, ...PROBLEMS[code] })
  }
})

test('request ids and event ids have their prefix in all examples', () => {
  const ids = [...JSON.stringify(examples.map(({ value }) => value)).matchAll(/"(request_id|event_id)":"([a-z]*_?)/g)]
  expect(ids.length).toBeGreaterThan(100)
  for (const [, name, prefix] of ids) expect([name, prefix]).toEqual([name, name === 'request_id' ? 'req_' : 'evt_'])
})

test('the example of GET /model names the model in use', () => {
  const { get } = document.paths['/api/v1/model'] ?? {}
  const { name, version } = STRING_MODEL_DATA
  expect(get?.responses?.['200']?.content?.['application/json']?.example).toMatchObject({ name, version })
})
