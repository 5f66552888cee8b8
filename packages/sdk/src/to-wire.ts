import type { IdempotentRequestOptions } from './transport.ts'

/** `maxAgeSeconds` is `max_age_s` in the API, `keyId` is `key_id`. */
type WireName<Name extends string> = Name extends `${infer Head}Seconds` ? `${SnakeCase<Head>}_s` : SnakeCase<Name>

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name

/** Options as fields of a request body. */
type WireFields<T> = {
  [K in keyof T as K extends string ? WireName<K> : never]: WireValue<Exclude<T[K], undefined>>
}

type WireValue<V> = V extends Date ? string : V extends readonly (infer Item)[] ? Item[] : V

/** Writes options as the API names them. Undefined options are omitted; null is a value. */
export function toWire<T extends object>(options: T): WireFields<T> {
  const fields = Object.entries(options)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [wireName(name), value instanceof Date ? value.toISOString() : value])
  return Object.fromEntries(fields) as WireFields<T>
}

/** Writes options as query parameters. Arrays are separated by commas. */
export function toQuery(options: object): Record<string, string> {
  return Object.fromEntries(Object.entries(toWire(options)).map(([name, value]) => [name, String(value)]))
}

function wireName(name: string): string {
  return name.replace(/Seconds$/, '_s').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Separates the options that every call has from those of the method. */
export function splitOptions<T extends IdempotentRequestOptions>(options: T) {
  const { signal, timeoutMs, maxRetries, headers, idempotencyKey, ...fields } = options
  return { call: { signal, timeoutMs, maxRetries, headers, idempotencyKey }, fields }
}
