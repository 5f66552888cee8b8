import { type FastifyInstance, type FastifyPluginAsync, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { finishDocument, type OpenApiDocument } from '../openapi-document.ts'

const DOCUMENT_PATH = '/api/v1/openapi.json'
const PAGES_PATH = '/docs/api'

/** The API's description for programs (OpenAPI 3.1) and for people. Both are served from here and call no other host. */
export const reference: FastifyPluginAsync = async (app) => {
  let document: string | undefined
  app.get(DOCUMENT_PATH, { schema: { hide: true } }, async (_request, reply) => {
    // Made at the first request: only then are all routes known.
    document ??= JSON.stringify(finishDocument(app.swagger() as unknown as OpenApiDocument))
    return reply.header('access-control-allow-origin', '*').type('application/json; charset=utf-8').send(document)
  })

  let pages: Promise<FastifyInstance> | undefined
  const showPage = async ({ url }: FastifyRequest, reply: FastifyReply) => {
    pages ??= openPages()
    const { statusCode, headers, rawPayload } = await (await pages).inject(url)
    const { location, 'content-type': type } = headers
    if (location !== undefined) reply.header('location', location)
    if (type !== undefined) reply.type(String(type))
    return reply
      .code(statusCode)
      .header('content-security-policy', PAGE_POLICY)
      .send(rawPayload.length > 0 ? rawPayload : undefined)
  }
  for (const path of ['', '/', '/js/scalar.js']) app.get(`${PAGES_PATH}${path}`, { schema: { hide: true } }, showPage)
}

/** Made at the first request, as a server of its own that listens to nobody: it brings megabytes along that few processes ever send. */
async function openPages(): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const pages = fastify()
  await pages.register(scalar, { routePrefix: PAGES_PATH, configuration: { ...LOOK, url: DOCUMENT_PATH } })
  return pages
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
