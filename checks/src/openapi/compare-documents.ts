import { compareSchemas, type Direction, isJson, type Json, type Place, resolve } from './compare-schemas.ts'

/** The versions of one operation in two documents, and the documents themselves. */
type Side = { operation: Json; document: Json }
type Comparison = { name: string; before: Side; after: Side }

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options']

/**
 * Each change between two OpenAPI documents that can break a client, as a message: of paths, methods, parameters,
 * status codes, types, enum values and required fields. docs/versioning.md has the rules.
 */
export function listBreakingChanges(before: Json, after: Json): string[] {
  return [
    ...compareOperations(before, after, 'paths', [
      compareParameters('request'),
      compareRequestBodies,
      compareResponses,
      compareSecurity,
    ]),
    // The service sends webhooks, so the client receives their request.
    ...compareOperations(before, after, 'webhooks', [compareParameters('response'), compareEvents, compareStatuses]),
  ]
}

function compareOperations(
  before: Json,
  after: Json,
  part: 'paths' | 'webhooks',
  rules: ((comparison: Comparison) => string[])[],
): string[] {
  const now = listOperations(after, part)
  return [...listOperations(before, part)].flatMap(([name, operation]) => {
    const other = now.get(name)
    if (other === undefined) return [`${name} is gone`]
    const sides = { before: { operation, document: before }, after: { operation: other, document: after } }
    return rules.flatMap((rule) => rule({ name, ...sides }))
  })
}

function listOperations(document: Json, part: string): Map<string, Json> {
  const operations = entriesOf(document[part]).flatMap(([path, item]) =>
    METHODS.flatMap((method): [string, Json][] => {
      const operation = resolve(item, document)[method]
      return isJson(operation) ? [[`${part === 'webhooks' ? 'webhook' : method.toUpperCase()} ${path}`, operation]] : []
    }),
  )
  return new Map(operations)
}

function entriesOf(value: unknown): [string, unknown][] {
  return isJson(value) ? Object.entries(value) : []
}

function placeOf({ before, after }: Comparison, direction: Direction, where: string): Place {
  return { before: before.document, after: after.document, direction, where }
}

/** Header names are case-insensitive. */
function parametersOf({ operation, document }: Side): Map<string, Json> {
  const list = Array.isArray(operation['parameters']) ? operation['parameters'] : []
  return new Map(
    list.map((one): [string, Json] => {
      const parameter = resolve(one, document)
      const name = String(parameter['name'])
      const place = String(parameter['in'])
      return [`${place} parameter ${place === 'header' ? name.toLowerCase() : name}`, parameter]
    }),
  )
}

function compareParameters(direction: Direction) {
  return (comparison: Comparison): string[] => {
    const { name } = comparison
    const [old, now] = [parametersOf(comparison.before), parametersOf(comparison.after)]
    const changed = [...old].flatMap(([label, parameter]) => {
      const where = `${name} ${label}`
      const other = now.get(label)
      if (other === undefined) return [`${where} is gone`]
      return compareSchemas(parameter['schema'] ?? {}, other['schema'] ?? {}, placeOf(comparison, direction, where))
    })
    const demanded = [...now].filter(
      ([label, { required }]) => required === true && old.get(label)?.['required'] !== true,
    )
    const dropped = [...old].filter(
      ([label, { required }]) => required === true && now.get(label)?.['required'] === false,
    )
    return [
      ...changed,
      ...(direction === 'request'
        ? demanded.map(([label]) => `${name} ${label} became required`)
        : dropped.map(([label]) => `${name} ${label} is no longer always sent`)),
    ]
  }
}

function compareRequestBodies(comparison: Comparison): string[] {
  const [old, now] = bodiesOf(comparison)
  const { name } = comparison
  if (old === undefined) return now?.['required'] === true ? [`${name} requires a body`] : []
  if (now === undefined) return [`${name} no longer accepts a body`]
  return [
    ...(now['required'] === true && old['required'] !== true ? [`${name} requires a body`] : []),
    ...compareContent(old['content'], now['content'], placeOf(comparison, 'request', `${name} body`)),
  ]
}

function bodiesOf({ before, after }: Comparison): [Json | undefined, Json | undefined] {
  const bodyOf = ({ operation, document }: Side) =>
    operation['requestBody'] === undefined ? undefined : resolve(operation['requestBody'], document)
  return [bodyOf(before), bodyOf(after)]
}

function compareEvents(comparison: Comparison): string[] {
  const [old, now] = bodiesOf(comparison)
  return compareContent(old?.['content'], now?.['content'], placeOf(comparison, 'response', `${comparison.name} body`))
}

function compareContent(before: unknown, after: unknown, place: Place): string[] {
  return entriesOf(before).flatMap(([type, media]) => {
    const other = isJson(after) ? after[type] : undefined
    const where = `${place.where} (${type})`
    if (!isJson(media) || !isJson(other)) return [`${where} is gone`]
    return compareSchemas(media['schema'] ?? {}, other['schema'] ?? {}, { ...place, where })
  })
}

function responsesOf({ operation, document }: Side): Map<string, Json> {
  return new Map(entriesOf(operation['responses']).map(([status, one]) => [status, resolve(one, document)]))
}

function compareStatuses({ name, before, after }: Comparison): string[] {
  const now = responsesOf(after)
  return [...responsesOf(before).keys()]
    .filter((status) => !now.has(status))
    .map((status) => `${name} ${status} is gone`)
}

function compareResponses(comparison: Comparison): string[] {
  const { name } = comparison
  const [old, now] = [responsesOf(comparison.before), responsesOf(comparison.after)]
  const changed = [...old].flatMap(([status, response]) => {
    const other = now.get(status)
    const place = placeOf(comparison, 'response', `${name} ${status}`)
    if (other === undefined) return []
    return [
      ...compareContent(response['content'], other['content'], place),
      ...compareHeaders(response['headers'], other['headers'], place),
    ]
  })
  // A client has to handle an unknown error status by its class. It cannot do so with a success.
  const added = [...now.keys()].filter((status) => !old.has(status) && !/^[45]/.test(status))
  return [...compareStatuses(comparison), ...changed, ...added.map((status) => `${name} ${status} is a new success`)]
}

function compareHeaders(before: unknown, after: unknown, place: Place): string[] {
  const now = new Map(entriesOf(after).map(([name, header]) => [name.toLowerCase(), header]))
  return entriesOf(before).flatMap(([name, header]) => {
    const where = `${place.where} header ${name}`
    if (!now.has(name.toLowerCase())) return [`${where} is gone`]
    const old = resolve(header, place.before)
    const other = resolve(now.get(name.toLowerCase()), place.after)
    return [
      ...(old['required'] === true && other['required'] !== true ? [`${where} is no longer always sent`] : []),
      ...compareSchemas(old['schema'] ?? {}, other['schema'] ?? {}, { ...place, where }),
    ]
  })
}

/** Each authentication method that was accepted still is. */
function compareSecurity({ name, before, after }: Comparison): string[] {
  const now = waysIn(after)
  if (now.length === 0) return []
  const old = waysIn(before)
  if (old.length === 0) return [`${name} requires authentication`]
  return old.filter((way) => !now.includes(way)).map(() => `${name} no longer accepts a way to authenticate`)
}

/** By the definitions of their schemes, whose names may change. */
function waysIn({ operation, document }: Side): string[] {
  const ways = operation['security'] ?? document['security']
  const components = isJson(document['components']) ? document['components'] : {}
  const schemes = new Map(entriesOf(components['securitySchemes']))
  return (Array.isArray(ways) ? ways : []).map((way) =>
    JSON.stringify(entriesOf(way).map(([scheme, scopes]) => [schemes.get(scheme), scopes])),
  )
}
