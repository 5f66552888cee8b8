import scalar from '@scalar/fastify-api-reference'
import type { FastifyPluginAsync } from 'fastify'
import { finishDocument, type OpenApiDocument } from '../openapi-document.ts'

const DOCUMENT_PATH = '/api/v1/openapi.json'

/** The API's description for programs (OpenAPI 3.1) and for people. Both are served from here and call no other host. */
export const reference: FastifyPluginAsync = async (app) => {
  let document: string | undefined
  app.get(DOCUMENT_PATH, { schema: { hide: true } }, async (_request, reply) => {
    // Made at the first request: only then are all routes known.
    document ??= JSON.stringify(finishDocument(app.swagger() as unknown as OpenApiDocument))
    return reply.header('access-control-allow-origin', '*').type('application/json; charset=utf-8').send(document)
  })

  await app.register(async (pages) => {
    pages.addHook('onSend', async (_request, reply) => {
      reply.header('content-security-policy', PAGE_POLICY)
    })
    await pages.register(scalar, {
      routePrefix: '/docs/api',
      configuration: { ...LOOK, url: DOCUMENT_PATH },
    })
  })
}

/** The page may run its own script and talk to this host: should a later version try another, the browser refuses. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const LOOK = {
  pageTitle: 'Probity API',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  defaultOpenAllTags: true,
  showDeveloperTools: 'never', // it offers to send the document elsewhere
  favicon: 'data:,',
  mcp: { disabled: true },
  agent: { disabled: true },
} as const
