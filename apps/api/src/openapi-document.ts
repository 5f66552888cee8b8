import { describeWebhooks } from './webhooks/describe.ts'

type Json = Record<string, unknown>
type Schema = { title?: string; properties?: Record<string, Schema>; items?: Schema } & Json
type MediaType = { schema?: Schema; example?: unknown; examples?: unknown }
type Body = { content?: Record<string, MediaType>; headers?: Json }
type DocumentedOperation = { requestBody?: Body; responses?: Record<string, Body> }
export type OpenApiDocument = {
  paths: Record<string, Record<string, DocumentedOperation>>
  webhooks?: Record<string, { post: DocumentedOperation }>
  components: { schemas?: Record<string, Json>; headers?: Record<string, Json> } & Json
}

const header = (description: string, type: string, example: unknown) => ({ description, schema: { type }, example })

/** What every answer carries. */
const HEADERS: Record<string, Json> = {
  'Request-Id': header('Names this request.', 'string', 'req_0f9d2c3e-58b6-4c21-9d4f-6a0b13e7c582'),
  RateLimit: header('Requests left, and seconds until all are back.', 'string', '"account";r=5999;t=1'),
  'RateLimit-Policy': header('Requests allowed per window of seconds.', 'string', '"account";q=6000;w=60'),
  Livemode: header('False when a test key was used.', 'string', 'true'),
}
const RETRY_AFTER = { 'Retry-After': header('Seconds to wait before trying again.', 'integer', 2) }
const STATUSES_WITH_RETRY = new Set(['409', '429', '503'])

/**
 * Finishes the generated document for readers and code generators: schemas with a title become named components, their
 * examples become the examples of requests and answers, and the headers that all answers share are listed. Beside what we answer
 * stands what we send.
 */
export function finishDocument(generated: OpenApiDocument): OpenApiDocument {
  const document = structuredClone(generated)
  const schemas: Record<string, Json> = {}
  for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path))) {
    finishBody(operation.requestBody, schemas)
    for (const [status, answer] of Object.entries(operation.responses ?? {})) {
      finishBody(answer, schemas)
      const names = [...Object.keys(HEADERS), ...(STATUSES_WITH_RETRY.has(status) ? Object.keys(RETRY_AFTER) : [])]
      answer.headers = Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
    }
  }
  const webhooks = describeWebhooks() as unknown as NonNullable<OpenApiDocument['webhooks']>
  document.webhooks = webhooks
  for (const { post } of Object.values(webhooks)) finishBody(post.requestBody, schemas)
  document.components = { ...document.components, schemas, headers: { ...HEADERS, ...RETRY_AFTER } }
  return document
}

function finishBody(body: Body | undefined, schemas: Record<string, Json>): void {
  for (const media of Object.values(body?.content ?? {})) {
    const examples = media.schema?.['examples']
    if (media.examples === undefined && Array.isArray(examples)) media.example = examples[0]
    if (media.schema) media.schema = nameSchema(media.schema, schemas)
  }
}

/** Puts a titled schema among the components, and its titled parts with it, and returns a reference to it. */
function nameSchema(schema: Schema, schemas: Record<string, Json>): Json {
  const { title, properties, items, ...rest } = schema
  const named = {
    ...rest,
    ...(properties && { properties: mapValues(properties, (part) => nameSchema(part, schemas)) }),
    ...(items && { items: nameSchema(items, schemas) }),
  }
  if (title === undefined) return named
  const name = title.split(' ').map(capitalise).join('')
  schemas[name] = { title, ...named }
  return { $ref: `#/components/schemas/${name}` }
}

function mapValues<From, To>(record: Record<string, From>, change: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))
}

/** "API" keeps its sense as "Api" in a name made of several words. */
function capitalise(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1).toLowerCase()
}
