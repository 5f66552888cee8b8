import { isDeepStrictEqual } from 'node:util'

export type Json = Record<string, unknown>

/** `request` is the data that clients send, `response` the data that they receive and rely on. */
export type Direction = 'request' | 'response'

/** The context of a comparison: the documents for references, and the location for messages. */
export type Place = { before: Json; after: Json; direction: Direction; where: string; seen?: ReadonlySet<string> }

type Rule = (before: Json, after: Json, place: Place) => string[]

/**
 * Each incompatible difference between two schemas, as a message. Descriptions, examples, titles and names of
 * components do not count.
 */
export function compareSchemas(before: unknown, after: unknown, place: Place): string[] {
  const refs = `${refOf(before)} ${refOf(after)}`
  if (place.seen?.has(refs)) return [] // a recursive schema
  const below = refs.startsWith('# ') ? place : { ...place, seen: new Set([...(place.seen ?? []), refs]) }
  const one = flatten(before, place.before)
  const other = flatten(after, place.after)
  if (alternativesOf(one) || alternativesOf(other)) return compareAlternatives(one, other, below)
  return RULES.flatMap((rule) => rule(one, other, below))
}

const RULES: Rule[] = [
  compareTypes,
  compareFormats,
  compareValues,
  compareDefaults,
  compareLimits,
  compareProperties,
  compareRequired,
  compareAdditional,
  compareItems,
  compareEncoded,
]

/** The reference of a schema, or `#`. */
function refOf(schema: unknown): string {
  return isJson(schema) && typeof schema['$ref'] === 'string' ? schema['$ref'] : '#'
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The target of a reference in its document, through any number of references. */
export function resolve(node: unknown, document: Json): Json {
  let found = node
  for (let steps = 0; isJson(found) && typeof found['$ref'] === 'string' && steps < 10; steps++) {
    const path = found['$ref'].replace(/^#\//, '').split('/')
    found = path.reduce<unknown>((at, name) => (isJson(at) ? at[readName(name)] : undefined), document)
  }
  return isJson(found) ? found : {}
}

/** A name in a JSON Pointer (RFC 6901). */
function readName(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~')
}

/** A schema with its reference resolved and the parts of `allOf` merged. */
function flatten(schema: unknown, document: Json): Json {
  const { allOf, ...own } = resolve(schema, document)
  if (!Array.isArray(allOf)) return own
  return [own, ...allOf.map((part) => flatten(part, document))].reduce(mergeSchemas)
}

function mergeSchemas(one: Json, other: Json): Json {
  const properties = { ...namesIn(one['properties']), ...namesIn(other['properties']) }
  return { ...one, ...other, properties, required: [...listIn(one['required']), ...listIn(other['required'])] }
}

function namesIn(value: unknown): Json {
  return isJson(value) ? value : {}
}

function listIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function typesOf({ type, enum: values, const: constant }: Json): string[] | undefined {
  if (typeof type === 'string') return [type]
  if (Array.isArray(type)) return type as string[]
  const known = values ?? (constant === undefined ? undefined : [constant])
  return Array.isArray(known) ? [...new Set(known.map((value) => (value === null ? 'null' : typeof value)))] : undefined
}

/** Whether all values of these types are among those. No types mean all types, and an integer is a number. */
function isWithin(types: string[] | undefined, others: string[] | undefined): boolean {
  if (others === undefined) return true
  if (types === undefined) return false
  return types.every((type) => others.includes(type) || (type === 'integer' && others.includes('number')))
}

function compareTypes(before: Json, after: Json, { direction, where }: Place): string[] {
  const [old, now] = [typesOf(before), typesOf(after)]
  const isCompatible = direction === 'request' ? isWithin(old, now) : isWithin(now, old)
  return isCompatible ? [] : [`${where}: type ${old?.join('|') ?? 'any'} became ${now?.join('|') ?? 'any'}`]
}

function compareFormats({ format: old }: Json, { format: now }: Json, { direction, where }: Place): string[] {
  const demanded = direction === 'request' ? now : old
  return demanded === undefined || old === now ? [] : [`${where}: format ${old ?? 'any'} became ${now ?? 'any'}`]
}

/** `enum` and `const` are closed. `x-extensible-enum` is open: values may be added, in responses too. */
function compareValues(before: Json, after: Json, { direction, where }: Place): string[] {
  const [wasClosed, isClosed] = [closedValues(before), closedValues(after)]
  const old = wasClosed ?? openValues(before)
  const now = isClosed ?? openValues(after)
  const isOpened = direction === 'request' && wasClosed && now === undefined
  const removed = isOpened ? [] : (old ?? []).filter((value) => !now?.includes(value))
  const added = (now ?? []).filter((value) => !old?.includes(value))
  return [
    ...removed.map((value) => `${where}: value ${JSON.stringify(value)} is gone`),
    ...(direction === 'request' && isClosed && !wasClosed ? [`${where}: values became limited`] : []),
    ...(direction === 'response' && wasClosed && !isClosed ? [`${where}: values are no longer limited`] : []),
    ...(direction === 'response' && wasClosed && isClosed
      ? added.map((value) => `${where}: value ${JSON.stringify(value)} was added to a closed list`)
      : []),
  ]
}

function closedValues({ enum: values, const: constant }: Json): unknown[] | undefined {
  if (Array.isArray(values)) return values
  return constant === undefined ? undefined : [constant]
}

function openValues(schema: Json): unknown[] | undefined {
  const values = schema['x-extensible-enum']
  return Array.isArray(values) ? values : undefined
}

function compareDefaults({ default: old }: Json, { default: now }: Json, { direction, where }: Place): string[] {
  if (direction === 'response' || old === undefined || isDeepStrictEqual(old, now)) return []
  return [`${where}: default ${JSON.stringify(old)} became ${JSON.stringify(now) ?? 'none'}`]
}

const UPPER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']
const LOWER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']
/** Not comparable by size, so every change counts. */
const OTHER = ['pattern', 'multipleOf', 'uniqueItems']

/** A limit of a request may be relaxed and not tightened. Limits of responses may change. */
function compareLimits(before: Json, after: Json, { direction, where }: Place): string[] {
  if (direction === 'response') return []
  const isTighter = (name: string, isBeyond: (now: number, old: number) => boolean) => {
    const [old, now] = [before[name], after[name]]
    return typeof now === 'number' && (typeof old !== 'number' || isBeyond(now, old))
  }
  const tightened = [
    ...UPPER.filter((name) => isTighter(name, (now, old) => now < old)),
    ...LOWER.filter((name) => isTighter(name, (now, old) => now > old) && after[name] !== 0),
    ...OTHER.filter((name) => after[name] !== undefined && after[name] !== before[name]),
  ]
  return tightened.map((name) => `${where}: ${name} ${before[name] ?? 'none'} became ${String(after[name])}`)
}

function compareProperties(before: Json, after: Json, place: Place): string[] {
  const now = namesIn(after['properties'])
  return Object.entries(namesIn(before['properties'])).flatMap(([name, schema]) => {
    const where = `${place.where}.${name}`
    return name in now ? compareSchemas(schema, now[name], { ...place, where }) : [`${where} is gone`]
  })
}

function compareRequired(before: Json, after: Json, { direction, where }: Place): string[] {
  const [old, now] = [listIn(before['required']), listIn(after['required'])]
  if (direction === 'request') {
    return now.filter((name) => !old.includes(name)).map((name) => `${where}.${String(name)} became required`)
  }
  const left = namesIn(after['properties'])
  const loosened = old.filter((name) => !now.includes(name) && String(name) in left)
  return loosened.map((name) => `${where}.${String(name)} is no longer always there`)
}

function compareAdditional(before: Json, after: Json, place: Place): string[] {
  const { additionalProperties: old } = before
  const { additionalProperties: now } = after
  if (isJson(old) && isJson(now)) return compareSchemas(old, now, { ...place, where: `${place.where}.*` })
  const isClosed = place.direction === 'request' && now === false && old !== false
  return isClosed ? [`${place.where}: other fields are no longer accepted`] : []
}

function compareItems({ items: old }: Json, { items: now }: Json, place: Place): string[] {
  if (old === undefined && now === undefined) return []
  return compareSchemas(old ?? {}, now ?? {}, { ...place, where: `${place.where}[]` })
}

/** JSON inside a string, such as the data of a server-sent event. */
function compareEncoded({ contentSchema: old }: Json, { contentSchema: now }: Json, place: Place): string[] {
  return old === undefined ? [] : compareSchemas(old, now ?? {}, { ...place, where: `${place.where}(json)` })
}

function alternativesOf({ oneOf, anyOf }: Json): unknown[] | undefined {
  const found = oneOf ?? anyOf
  return Array.isArray(found) ? found : undefined
}

/**
 * Alternatives are paired by their constants, such as the type of an event, or else by compatibility. A union with a
 * `discriminator` may add alternatives in responses, since clients can recognize a new one.
 */
function compareAlternatives(before: Json, after: Json, place: Place): string[] {
  const [old, now] = [spread(before, place.before), spread(after, place.after)]
  const mayGrow = place.direction === 'request' || before['discriminator'] !== undefined
  const findings = old.flatMap((one, n) => {
    const namesake = now.filter((other) => labelOf(other) !== '' && labelOf(other) === labelOf(one))
    const where = `${place.where}<${labelOf(one) || n}>`
    if (namesake.length === 1) return compareSchemas(one, namesake[0], { ...place, where })
    const isThere = now.some((other) => compareSchemas(one, other, place).length === 0)
    return isThere ? [] : [`${where} is gone`]
  })
  const isKnown = (other: Json) =>
    old.some((one) => {
      const isNamesake = labelOf(one) !== '' && labelOf(one) === labelOf(other)
      return isNamesake || compareSchemas(one, other, place).length === 0
    })
  const added = mayGrow ? [] : now.filter((other) => !isKnown(other))
  return [...findings, ...added.map((other) => `${place.where}: alternative ${labelOf(other)} was added`)]
}

function spread({ oneOf, anyOf, discriminator: _, ...rest }: Json, document: Json): Json[] {
  const alternatives = alternativesOf({ oneOf, anyOf }) ?? [{}]
  return alternatives.map((one) => ({ ...rest, ...flatten(one, document) }))
}

/** The constant properties, which distinguish an alternative from the others. */
function labelOf({ properties }: Json): string {
  return Object.values(namesIn(properties))
    .map((schema) => (isJson(schema) ? closedValues(schema) : undefined))
    .flatMap((values) => (values?.length === 1 ? [String(values[0])] : []))
    .join()
}
