import swagger from '@fastify/swagger'
import { PROBLEMS } from '@probity/contract/data/problems'
import { ProblemBody, type ProblemCode, problemExample } from '@probity/contract/problem'
import { PUBLIC_SANDBOX_KEY } from '@probity/contract/sandbox'
import type { FastifyInstance } from 'fastify'
import type { TSchema } from 'typebox'
import type { ApiConfig } from './config.ts'

/** What any route under /api/v1 may answer before it looks at the request itself. */
export const DOOR_PROBLEMS: ProblemCode[] = [
  'key_in_query',
  'missing_api_key',
  'invalid_api_key',
  'revoked_api_key',
  'expired_api_key',
  'paused_api_key',
  'ip_not_allowed',
  'origin_not_allowed',
  'missing_scope',
  'account_suspended',
  'plan_without_api',
  'rate_limited',
  'internal',
  'overloaded',
  'unavailable',
]

/** What a route that spends may answer besides. */
export const SPENDING_PROBLEMS: ProblemCode[] = [
  'invalid_request',
  'insufficient_credits',
  'key_cap_reached',
  'account_under_audit',
  'idempotency_in_progress',
  'idempotency_mismatch',
  'too_many_in_flight',
  ...DOOR_PROBLEMS,
]

/** What a route that takes JSON may answer besides. */
export const BODY_PROBLEMS: ProblemCode[] = ['malformed_json', 'payload_too_large', 'unsupported_media_type']

type Meaning = { id: string; tag: string; summary: string; description: string; problems: ProblemCode[] }
type Parts = { params?: TSchema; querystring?: TSchema; body?: TSchema; response: Record<number, TSchema> }

/** A route's schema: what it takes, what it answers, and every way it may say no with an example of each. */
export function operation<const P extends Parts>({ id, tag, summary, description, problems }: Meaning, parts: P): P {
  const response = { ...parts.response, ...problemAnswers(problems) }
  // Typed as the parts alone: handlers return answers, and problems are thrown.
  const schema = { operationId: id, tags: [tag], summary, description, ...parts, response }
  return schema
}

function problemAnswers(codes: ProblemCode[]): Record<number, unknown> {
  const byStatus = Object.groupBy(codes, (code) => PROBLEMS[code].status)
  const answers = Object.entries(byStatus).map(([status, group = []]) => {
    const examples = Object.fromEntries(group.map((code) => [code, { value: problemExample(code) }]))
    const description = group.map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`).join(' ')
    return [status, { description, content: { 'application/problem+json': { schema: ProblemBody, examples } } }]
  })
  return Object.fromEntries(answers)
}

const ABOUT = `An address goes in, a verdict with its evidence comes out.

Send your key in the \`X-API-Key\` header of every request. Errors are \`application/problem+json\` (RFC 9457) with a stable
\`code\`. Every answer has a \`Request-Id\`; name it when you ask us about a request. \`RateLimit\` and \`RateLimit-Policy\`
say how many requests are left.

With a test key (\`pb_test_…\`) the local part of an address decides the answer (\`valid@\`, \`mailbox-full@\`, \`greylisted@\`, …),
nobody is asked and nothing is charged.`

const TRY_IT = `

Without an account you can try it with the public sandbox key: \`${PUBLIC_SANDBOX_KEY}\`.`

/** Collects the routes' schemas into an OpenAPI 3.1 document. Must be registered before the routes. */
export async function describeApi(app: FastifyInstance, config: ApiConfig): Promise<void> {
  await app.register(swagger, {
    // The web application's own way to the same routes is not for programs.
    transform: ({ schema, url }) => ({ schema: url.startsWith('/app/') ? { ...schema, hide: true } : schema, url }),
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Probity',
        version: '1',
        description: config.publicSandbox ? ABOUT + TRY_IT : ABOUT,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: config.publicUrl ?? '/', description: 'This installation' }],
      tags: [
        { name: 'Lists', description: 'Files of addresses. Needs a key with the `bulk` scope.' },
        { name: 'Feedback', description: 'What became of mail, and how well predictions hold.' },
        { name: 'Account', description: 'Plan, credits and limits.' },
        { name: 'Policies', description: 'Rules that turn a result into `allow`, `review` or `block`.' },
        { name: 'Own lists', description: 'Addresses and domains that the account always allows, or always blocks.' },
        { name: 'API keys', description: 'Keys for programs. Needs a key with the `keys` scope.' },
        {
          name: 'Webhooks',
          description: 'Where to be told of what happens, and what was sent. Needs a key with the `webhooks` scope.',
        },
      ],
      components: { securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } } },
      security: [{ apiKey: [] }],
    },
  })
}
