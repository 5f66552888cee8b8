import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { ENDPOINTS } from '@probity/api/middleware/rate-limit/data/endpoints'
import { describeApp } from '@probity/api/server/describe-app'
import type { FastifyInstance, RouteOptions } from 'fastify'
import type { Schema } from './examples.ts'

/** One method of one path, with the service's own description of its input. */
export type Operation = {
  name: string
  method: string
  /** The path with `{name}` for each parameter. */
  template: string
  params: string[]
  query: Schema | undefined
  body: { type: string; schema: Schema } | undefined
}

/** The parameter that stands for a wildcard. It may contain slashes. */
export const WILDCARD = 'page'

/**
 * Every operation of the API and of the web app, and every page, from the routes that the service registers. A new route is included
 * automatically.
 */
export async function listOperations(): Promise<Operation[]> {
  const routes: RouteOptions[] = []
  const collect = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance }
    fastify.addHook('onRoute', (route) => void routes.push(route))
  }
  subscribe('fastify.initialization', collect)
  const app = await describeApp()
  unsubscribe('fastify.initialization', collect)
  await app.close()
  return routes
    .flatMap((route) => [route.method].flat().map((method) => describe(method, route)))
    .filter(({ method }) => method !== 'HEAD' && method !== 'OPTIONS')
    .toSorted((a, b) => rankOf(a) - rankOf(b) || (a.name < b.name ? -1 : 1))
}

/** Operations that create objects come before those that need them; deletions and sign-outs come last. */
function rankOf({ method, template, params, body }: Operation): number {
  if (body?.type === 'multipart/form-data') return 0
  if (template.startsWith('/app/api/auth')) return 40
  return (['POST', 'GET', 'PUT', 'PATCH', 'DELETE'].indexOf(method) + 1) * 5 + params.length
}

function describe(method: string, { url, schema }: RouteOptions): Operation {
  const template = url.replaceAll(/:(\w+)/g, '{$1}').replace('*', `{${WILDCARD}}`)
  const parts = (schema ?? {}) as { querystring?: Schema; body?: Schema & { content?: object }; consumes?: string[] }
  return {
    name: `${method} ${template}`,
    method,
    template,
    params: [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
    query: parts.querystring ?? signInFields(method, template, 'GET'),
    body: bodyOf(template === '/mcp' ? { body: MESSAGES } : parts) ?? withType(signInFields(method, template, 'POST')),
  }
}

type Parts = { body?: Schema & { content?: object }; consumes?: string[] }

function bodyOf({ body, consumes }: Parts): Operation['body'] {
  if (body?.content === undefined) return withType(body, consumes?.[0])
  const [first] = Object.entries(body.content as Record<string, { schema: Schema }>)
  return first && withType(first[1].schema, first[0])
}

/** The schema of a message allows any object: the MCP library parses it. */
const MESSAGES: Schema = {
  examples: [
    { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    {
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/call',
      params: { name: 'validate_email', arguments: { email: 'ada@example.com' } },
    },
    { jsonrpc: '2.0', id: 3, method: 'resources/list', params: {} },
  ],
}

function withType(schema: Schema | undefined, type = 'application/json'): Operation['body'] {
  return schema && { type, schema }
}

/** The endpoints of the sign-in library have a list of fields instead of a schema. */
function signInFields(method: string, template: string, only: string): Schema | undefined {
  const endpoint = ENDPOINTS.find((one) => template === `/app/api/auth${one.path}` && method === one.method)
  if (endpoint === undefined || method !== only) return undefined
  return {
    type: 'object',
    required: [...endpoint.fields],
    properties: Object.fromEntries(
      endpoint.fields.map((field) => [field, SIGN_IN_FIELDS[field] ?? { type: 'string' }]),
    ),
  }
}

const SIGN_IN_FIELDS: Record<string, Schema> = {
  email: { type: 'string', examples: ['grace@example.com'] },
  password: { type: 'string', examples: ['correct horse battery staple'] },
  newPassword: { type: 'string', examples: ['correct horse battery staple'] },
  currentPassword: { type: 'string', examples: ['correct horse battery staple'] },
  name: { type: 'string', examples: ['Grace'] },
  role: { type: 'string', examples: ['viewer'] },
  limit: { type: 'integer', examples: [10] },
  offset: { type: 'integer', examples: [0] },
  resend: { type: 'boolean', examples: [true] },
}
