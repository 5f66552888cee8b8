import { isDeepStrictEqual } from 'node:util'
import swagger from '@fastify/swagger'
import { PUBLIC_SANDBOX_KEY } from '@probity/contract/constants/sandbox'
import type { FastifyInstance } from 'fastify'
import manifest from '../../package.json' with { type: 'json' }
import { declareHeaders, REQUEST_PARAMETERS, RESPONSE_HEADERS, TAGS } from '../http/openapi.ts'
import { describeWebhooks } from '../webhooks/describe.ts'
import type { ApiConfig } from './config.ts'

const ABOUT = `Probity validates email addresses and returns a result with its evidence.

Send your key in the \`X-API-Key\` header of every request, or as \`Authorization: Bearer\`. Errors are \`application/problem+json\` (RFC 9457) with a stable
\`code\`. Every response has a \`Request-Id\`; quote it in support requests. \`RateLimit\` and \`RateLimit-Policy\` give the
number of requests left. [API conventions](/docs/api-conventions) describes pagination, idempotency, times and ids, and
[Versioning](/docs/versioning) the changes that v1 allows.

With a test key (\`pb_test_…\`) the local part of an address selects the result (\`valid@\`, \`mailbox-full@\`, \`greylisted@\`, …).
No mail server is contacted and no credits are charged.`

const TRY_IT = `

Without an account you can try it with the public sandbox key: \`${PUBLIC_SANDBOX_KEY}\`.`

/** The version in the path, which changes only with an incompatible API. `info.version` is that of the release. */
const API_VERSION = 'v1'

/** Collects the routes' schemas into an OpenAPI 3.1 document. Must be registered before the routes. */
export async function describeApi(app: FastifyInstance, config: ApiConfig): Promise<void> {
  await app.register(swagger, {
    transform: ({ schema, url, route }) => {
      // The web application uses the same routes under another path, which is not part of the API.
      const hidden = url.startsWith('/app/') && { hide: true }
      return { schema: { ...schema, ...hidden, ...(route.config?.deprecation && { deprecated: true }) }, url }
    },
    openapi: {
      openapi: '3.1.0',
      info: describeRelease(config),
      servers: [{ url: config.publicUrl ?? '/', description: 'This installation' }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      components: {
        securitySchemes: {
          apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
          bearer: { type: 'http', scheme: 'bearer' },
        },
      },
      security: [{ apiKey: [] }, { bearer: [] }],
    },
  })
}

function describeRelease({ publicUrl, publicSandbox }: ApiConfig) {
  return {
    title: 'Probity',
    version: manifest.version,
    'x-api-version': API_VERSION,
    description: publicSandbox ? ABOUT + TRY_IT : ABOUT,
    contact: { name: 'Operator of this installation', ...(publicUrl && { url: publicUrl }) },
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  }
}

type Json = Record<string, unknown>
type Schema = {
  title?: string
  properties?: Record<string, Schema>
  items?: Schema
  oneOf?: Schema[]
  contentSchema?: Schema
} & Json
type MediaType = { schema?: Schema; example?: unknown; examples?: unknown }
type Body = { content?: Record<string, MediaType>; headers?: Json }
type DocumentedOperation = {
  operationId?: string
  tags?: string[]
  deprecated?: boolean
  parameters?: Json[]
  requestBody?: Body
  responses?: Record<string, Body>
}
export type OpenApiDocument = {
  paths: Record<string, Record<string, DocumentedOperation>>
  webhooks?: Record<string, { post: DocumentedOperation }>
  components: {
    schemas?: Record<string, Json>
    headers?: Record<string, Json>
    parameters?: Record<string, Json>
  } & Json
}

/**
 * Finishes the generated document for readers and code generators: schemas with a title become named components, their examples become the
 * examples of requests and responses, headers are declared, and the webhooks are added.
 */
export function finishDocument(generated: OpenApiDocument): OpenApiDocument {
  const document = structuredClone(generated)
  const schemas: Record<string, Json> = {}
  for (const [method, operation] of Object.values(document.paths).flatMap((path) => Object.entries(path))) {
    finishBody(operation.requestBody, schemas)
    for (const response of Object.values(operation.responses ?? {})) finishBody(response, schemas)
    declareHeaders(method, operation)
  }
  const webhooks = describeWebhooks() as unknown as NonNullable<OpenApiDocument['webhooks']>
  document.webhooks = webhooks
  for (const { post } of Object.values(webhooks)) finishBody(post.requestBody, schemas)
  const parts = { schemas, headers: listSentHeaders(document), parameters: REQUEST_PARAMETERS }
  document.components = { ...document.components, ...parts }
  return document
}

/** Our response headers that an operation declares. `Deprecation` and `Sunset` are missing while nothing is deprecated. */
function listSentHeaders({ paths }: OpenApiDocument): Record<string, Json> {
  const responses = Object.values(paths).flatMap((path) =>
    Object.values(path).flatMap(({ responses = {} }) => Object.values(responses)),
  )
  const declared = new Set(responses.flatMap(({ headers = {} }) => Object.keys(headers)))
  return Object.fromEntries(Object.entries(RESPONSE_HEADERS).filter(([name]) => declared.has(name)))
}

function finishBody(body: Body | undefined, schemas: Record<string, Json>): void {
  for (const media of Object.values(body?.content ?? {})) {
    const examples = media.schema?.['examples']
    if (media.examples === undefined && Array.isArray(examples)) media.example = examples[0]
    if (media.schema) media.schema = nameSchema(media.schema, schemas)
  }
}

/** Moves a titled schema and its titled parts to the components, and returns a reference to it. */
function nameSchema(schema: Schema, schemas: Record<string, Json>): Json {
  const { title, properties, items, oneOf, contentSchema, const: constant, ...rest } = schema
  const named = {
    ...rest,
    // In the generator's notation of a constant, so that a schema is the same wherever it comes from.
    ...(constant !== undefined && { enum: [constant] }),
    ...(properties && { properties: mapValues(properties, (part) => nameSchema(part, schemas)) }),
    ...(items && { items: nameSchema(items, schemas) }),
    ...(contentSchema && { contentSchema: nameSchema(contentSchema, schemas) }),
    ...(oneOf && nameUnion(oneOf, schemas)),
  }
  if (title === undefined) return named
  const name = title.split(' ').map(capitalise).join('')
  const component = { title, ...named }
  if (schemas[name] && !isSame(schemas[name], component)) throw new Error(`two schemas have the title ${title}`)
  schemas[name] = component
  return { $ref: `#/components/schemas/${name}` }
}

/** The members of a union are discriminated by `type`; the mapping names the component of each. */
function nameUnion(members: Schema[], schemas: Record<string, Json>) {
  const named = members.map((member) => {
    const { const: type, enum: types } = member.properties?.['type'] ?? {}
    // The generator writes a constant as an enum of one value.
    return { type: String(type ?? (types as unknown[] | undefined)?.[0]), ref: nameSchema(member, schemas) }
  })
  const mapping = Object.fromEntries(named.map(({ type, ref }) => [type, ref['$ref']]))
  return { oneOf: named.map(({ ref }) => ref), discriminator: { propertyName: 'type', mapping } }
}

/** Compares without examples: they are taken from the schema of a whole body, and stay in a schema that is a part. */
function isSame({ examples: _, ...one }: Json, { examples: __, ...other }: Json): boolean {
  return isDeepStrictEqual(one, other)
}

function mapValues<From, To>(record: Record<string, From>, change: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))
}

/** Writes "API" as "Api" in compound names. */
function capitalise(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1).toLowerCase()
}
