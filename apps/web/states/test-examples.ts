import type { Static, TSchema } from 'typebox'

/** The first example of a schema. A test of the contract compares all examples with their schemas. */
export function exampleOf<T extends TSchema>(schema: T): Static<T> {
  const { examples } = schema as { examples?: Static<T>[] }
  if (examples?.[0] === undefined) throw new Error('the schema has no example')
  return examples[0]
}

/** A time relative to the present, for what expires. */
export function inHours(hours: number): string {
  return new Date(Date.now() + hours * 3_600_000).toISOString()
}
