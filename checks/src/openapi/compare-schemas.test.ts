import { expect, test } from 'vitest'
import { compareSchemas, type Direction, type Json } from './compare-schemas.ts'

const compare = (before: Json, after: Json, direction: Direction, components: Json = {}) => {
  const document = { components: { schemas: components } }
  return compareSchemas(before, after, { before: document, after: document, direction, where: 'x' })
}

test.each([
  ['integer', 'number', [], ['x: type integer became number']],
  ['number', 'integer', ['x: type number became integer'], []],
  [['string', 'null'], 'string', ['x: type string|null became string'], []],
  [undefined, 'string', ['x: type any became string'], []],
  ['string', undefined, [], ['x: type string became any']],
])('a type that changes from %s to %s is compatible in one direction', (before, after, inRequest, inResponse) => {
  const [old, now] = [before, after].map((type) => (type === undefined ? {} : { type }))
  expect(compare(old ?? {}, now ?? {}, 'request')).toEqual(inRequest)
  expect(compare(old ?? {}, now ?? {}, 'response')).toEqual(inResponse)
})

test('formats are part of a type', () => {
  const plain = { type: 'string' }
  const time = { type: 'string', format: 'date-time' }
  expect(compare(plain, time, 'request')).toEqual(['x: format any became date-time'])
  expect(compare(plain, time, 'response')).toEqual([])
  expect(compare(time, plain, 'response')).toEqual(['x: format date-time became any'])
  expect(compare(time, plain, 'request')).toEqual([])
})

test('closed enums and extensible enums have different rules', () => {
  const closed = { enum: ['a', 'b'] }
  const open = { type: 'string', 'x-extensible-enum': ['a', 'b'] }
  expect(compare(closed, open, 'response')).toEqual(['x: values are no longer limited'])
  expect(compare(open, { type: 'string', ...closed }, 'request')).toEqual(['x: values became limited'])
  expect(compare(open, { type: 'string', ...closed }, 'response')).toEqual([])
  expect(compare(closed, { enum: ['a', 'b', 'c'] }, 'request')).toEqual([])
  expect(compare({ const: 'a' }, { const: 'b' }, 'request')).toEqual(['x: value "a" is gone'])
})

test('additional fields that were accepted must stay accepted', () => {
  const closed = { type: 'object', additionalProperties: false }
  expect(compare({ type: 'object' }, closed, 'request')).toEqual(['x: other fields are no longer accepted'])
  expect(compare({ type: 'object' }, closed, 'response')).toEqual([])
  const mapOf = (type: string) => ({ type: 'object', additionalProperties: { type } })
  expect(compare(mapOf('integer'), mapOf('string'), 'response')).toEqual(['x.*: type integer became string'])
})

test('the parts of arrays and of allOf are compared', () => {
  const arrayOf = (type: string) => ({ type: 'array', items: { type } })
  expect(compare(arrayOf('string'), arrayOf('integer'), 'response')).toEqual(['x[]: type string became integer'])
  const part = (fields: Json) => ({ allOf: [{ type: 'object', properties: fields }, { required: ['a'] }] })
  expect(compare(part({ a: {}, b: {} }), part({ a: {} }), 'response')).toEqual(['x.b is gone'])
})

test('JSON inside a string is compared', () => {
  const encoded = (type: string) => ({ type: 'string', contentSchema: { type } })
  expect(compare(encoded('string'), encoded('integer'), 'response')).toEqual(['x(json): type string became integer'])
  expect(compare(encoded('string'), { type: 'string' }, 'response')).toEqual(['x(json): type string became any'])
})

const event = (type: string, fields: Json = {}) => ({
  type: 'object',
  properties: { type: { const: type }, ...fields },
})

test('a union with a discriminator may add alternatives in responses, and removes no alternative and no field of one', () => {
  const union = (...alternatives: Json[]) => ({ oneOf: alternatives, discriminator: { propertyName: 'type' } })
  const one = event('a', { id: { type: 'string' } })
  expect(compare(union(one), union(event('b'), one), 'response')).toEqual([])
  expect(compare(union(one, event('b')), union(one), 'response')).toEqual(['x<b> is gone'])
  expect(compare(union(one), union(event('a')), 'response')).toEqual(['x<a>.id is gone'])
})

test('a union without a discriminator may add alternatives in requests only', () => {
  const narrow = { type: 'string' }
  const wide = { anyOf: [{ type: 'integer' }, { type: 'string' }] }
  expect(compare(narrow, wide, 'request')).toEqual([])
  expect(compare(narrow, wide, 'response')).toEqual(['x: alternative  was added'])
  expect(compare(wide, narrow, 'request')).toEqual(['x<0> is gone'])
})

test('a recursive schema is compared once', () => {
  const tree = (leaf: string) => ({
    type: 'object',
    properties: { leaf: { type: leaf }, below: { $ref: '#/components/schemas/Tree' } },
  })
  const ref = { $ref: '#/components/schemas/Tree' }
  const documents = ['string', 'integer'].map((leaf) => ({ components: { schemas: { Tree: tree(leaf) } } }))
  const [before = {}, after = {}] = documents
  expect(compareSchemas(ref, ref, { before, after, direction: 'response', where: 'x' })).toEqual([
    'x.leaf: type string became integer',
  ])
})
