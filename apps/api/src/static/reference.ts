import { hash } from 'node:crypto'
import { type FastifyPluginAsync, type FastifyReply, type FastifyRequest, fastify } from 'fastify'

const DOCUMENT_PATH = '/api/v1/openapi.json'
const PAGES_PATH = '/docs/api'

type ReferenceOptions = {
  /** The OpenAPI document, once all routes are registered. */
  getDocument(): object
  /** A key that the page enters for its reader. */
  key?: string
}

/** The OpenAPI 3.1 document and the API reference. Neither loads anything from other hosts. */
export const reference: FastifyPluginAsync<ReferenceOptions> = async (app, { getDocument, key }) => {
  let document: string | undefined
  app.get(DOCUMENT_PATH, { schema: { hide: true } }, async (_request, reply) => {
    // Built at the first request, when all routes are registered.
    document ??= JSON.stringify(getDocument())
    // The same for all clients, so caches may store it.
    reply.removeHeader('vary').headers({ 'cache-control': 'no-cache', 'access-control-allow-origin': '*' })
    return reply.type('application/json; charset=utf-8').send(document)
  })

  let pages: Promise<Map<string, Page>> | undefined
  const showPage = async ({ routeOptions, headers, host }: FastifyRequest, reply: FastifyReply) => {
    pages ??= buildPages(key)
    const page = (await pages).get(routeOptions.url ?? '')
    if (page === undefined) return reply.callNotFound()
    reply.headers({ ...page.headers, 'content-security-policy': pagePolicy(host) })
    if (headers['if-none-match'] === page.headers.etag) return reply.code(304).send()
    return reply.code(page.status).send(page.body)
  }
  for (const path of PATHS) app.get(path, { schema: { hide: true } }, showPage)
}

const PATHS = ['', '/', '/js/scalar.js'].map((path) => `${PAGES_PATH}${path}`)

type Page = { status: number; headers: Record<string, string> & { etag: string }; body: Buffer | undefined }

/**
 * Builds the page once, with the script and the redirect of the library, at the first request: few processes ever send these megabytes. All responses share one buffer, so a client that does
 * not read its response costs no memory.
 */
async function buildPages(key: string | undefined): Promise<Map<string, Page>> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const server = fastify()
  await server.register(scalar, { routePrefix: PAGES_PATH, configuration: { url: DOCUMENT_PATH } })
  const html = Buffer.from(writePage(key))
  const pages = await Promise.all(
    PATHS.map(async (path): Promise<[string, Page]> => {
      const { statusCode, headers, rawPayload } = await server.inject(path)
      const { location, 'content-type': type } = headers
      const body = path === `${PAGES_PATH}/` ? html : rawPayload
      const kept = {
        etag: `"${hash('sha256', body, 'hex').slice(0, 16)}"`,
        'cache-control': 'no-cache',
        ...(location !== undefined && { location }),
        ...(type !== undefined && { 'content-type': String(type) }),
      }
      return [path, { status: statusCode, headers: kept, body: body.length > 0 ? body : undefined }]
    }),
  )
  await server.close()
  return new Map(pages)
}

/**
 * The script of the page is third-party code on the origin of the web application, with the cookie of the signed-in user. The browser lets
 * it
 * call /api/v1 of this host and nothing else: no other host, and not /app/api, where it would act as the user. Without frames, forms and
 * pop-ups it cannot use another page for that.
 */
function pagePolicy(host: string): string {
  const isHost = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(:\d+)?$/i.test(host)
  return [
    "default-src 'none'",
    "script-src 'self' 'unsafe-inline'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    `connect-src ${isHost ? `${host}/api/v1/` : "'none'"}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    'sandbox allow-scripts allow-same-origin allow-forms allow-downloads',
  ].join('; ')
}

/** The page with the header of the docs. The stylesheet, the icon and the fonts are files of the docs. */
function writePage(key: string | undefined): string {
  const configuration = { ...LOOK, url: DOCUMENT_PATH, ...(key !== undefined && enter(key)) }
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>API reference · Probity</title>
    <link rel="icon" href="/docs/mark.svg">
    <link rel="stylesheet" href="/docs/reference.css">
  </head>
  <body>
    <header class="site-header">
      <a class="site-title" href="/docs"><img src="/docs/mark.svg" alt="" width="28" height="28"> <span translate="no">Probity <span>API reference</span></span></a>
      <nav aria-label="Site"><a href="/docs">Docs</a> <a href="/app/">Application</a></nav>
    </header>
    <div id="app"></div>
    <script src="js/scalar.js"></script>
    <script>Scalar.createApiReference('#app', ${JSON.stringify(configuration)})</script>
  </body>
</html>
`
}

function enter(key: string) {
  return {
    authentication: {
      preferredSecurityScheme: 'apiKey',
      securitySchemes: { apiKey: { value: key }, bearer: { token: key } },
    },
  }
}

const LOOK = {
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  defaultOpenAllTags: true,
  showDeveloperTools: 'never', // it offers to send the document to another host
  mcp: { disabled: true },
  agent: { disabled: true },
}
