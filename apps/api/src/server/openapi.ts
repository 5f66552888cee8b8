import swagger from '@fastify/swagger'
import { PUBLIC_SANDBOX_KEY } from '@probity/contract/constants/sandbox'
import type { FastifyInstance } from 'fastify'
import manifest from '../../package.json' with { type: 'json' }
import { TAGS } from '../http/openapi-tags.ts'
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
