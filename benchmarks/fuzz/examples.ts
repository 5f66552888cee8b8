/** The parts of JSON Schema that are needed to create a value. */
export type Schema = {
  type?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  const?: unknown
  enum?: unknown[]
  examples?: unknown[]
  default?: unknown
  minimum?: number
  format?: string
}

/** Decides between variants of a value: an integer from 0 to below `max`. */
export type Choose = (max: number) => number

/** A value that the schema allows, mostly its own examples, with some of its optional fields. */
export function exampleOf(schema: Schema, choose: Choose): unknown {
  const { examples, const: constant, enum: values, anyOf, properties, items, type } = schema
  if (properties && (examples === undefined || choose(2) === 0)) return objectOf(schema, choose)
  if (examples && examples.length > 0) return structuredClone(examples[choose(examples.length)])
  if (constant !== undefined) return constant
  if (values && values.length > 0) return values[choose(values.length)]
  if (anyOf && anyOf.length > 0) return exampleOf(anyOf[choose(anyOf.length)] ?? {}, choose)
  if (type === 'array' || items) return [exampleOf(items ?? {}, choose)]
  return scalarOf(schema)
}

function objectOf({ properties = {}, required = [] }: Schema, choose: Choose): object {
  const wanted = Object.entries(properties).filter(([name]) => required.includes(name) || choose(3) === 0)
  return Object.fromEntries(wanted.map(([name, part]) => [name, exampleOf(part, choose)]))
}

function scalarOf({ type, minimum, format, default: preset }: Schema): unknown {
  if (preset !== undefined) return preset
  if (type === 'integer' || type === 'number') return minimum ?? 1
  if (type === 'boolean') return true
  if (type === 'null') return null
  if (type === 'object') return {}
  if (format === 'date') return '2026-11-02'
  return format === 'uuid' ? '0198f2c9-1c44-7d03-b7a5-2f6f4e8d9a10' : 'text'
}
