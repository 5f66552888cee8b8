import { hash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyPluginAsync } from 'fastify'

/** What the build leaves in the page for us to fill in. */
const NONCE_PLACE = /__NONCE__/g
const YEAR_S = 31_536_000
/** For pages that name no version: a mend reaches them within the hour. */
const FORM_KEPT_S = 3_600

/** The web application: one page for all of its addresses, and the files that it is made of. */
export const webPages: FastifyPluginAsync<{ webFolder: string }> = async (app, { webFolder }) => {
  const schema = { hide: true }
  app.get('/', { schema }, (_request, reply) => reply.redirect('/app/'))

  // Their names change with their contents, so nobody has to ask for one twice.
  await app.register(fastifyStatic, {
    root: join(webFolder, 'assets'),
    prefix: '/app/assets/',
    preCompressed: true,
    cacheControl: false,
    schemaHide: true,
    setHeaders: (reply) => void reply.header('cache-control', `public, max-age=${YEAR_S}, immutable`),
  })
  app.get('/app/mark.svg', { schema }, async (_request, reply) => {
    const mark = await readFile(join(webFolder, 'mark.svg'))
    return reply.type('image/svg+xml').header('cache-control', 'public, max-age=3600').send(mark)
  })
  app.get('/form.js', { schema }, async (request, reply) => {
    const form = await readFile(join(webFolder, 'form.js')).catch(() => undefined)
    if (form === undefined) return reply.callNotFound()
    const { v: asked } = request.query as { v?: string }
    const version = versionOf(form)
    const isThis = asked === version
    reply.headers({
      etag: `"${version}"`,
      'cache-control': isThis ? `public, max-age=${YEAR_S}, immutable` : `public, max-age=${FORM_KEPT_S}`,
      // It is for the pages of others, who may also want to hold it to its hash.
      'cross-origin-resource-policy': 'cross-origin',
      'access-control-allow-origin': '*',
    })
    return reply.type('text/javascript; charset=utf-8').send(form)
  })
  for (const path of ['/app', '/app/*']) {
    app.get(path, { schema }, async (request, reply) => {
      // What is asked of the service and not there is said by the service.
      if (/^\/app\/api(\/|\?|$)/.test(request.url)) return reply.callNotFound()
      // Read each time: it is small, and a build beside a running service is seen at once.
      const page = await readFile(join(webFolder, 'index.html'), 'utf8').catch(() => undefined)
      if (page === undefined) return reply.code(503).type('text/plain; charset=utf-8').send(NOT_BUILT)
      const nonce = randomBytes(16).toString('base64')
      reply.header('content-security-policy', policyWith(nonce)).header('cache-control', 'no-store')
      return reply.type('text/html; charset=utf-8').send(page.replace(NONCE_PLACE, nonce))
    })
  }
}

/** Names the contents, so that a page that asks for these gets them for good. */
function versionOf(file: Buffer): string {
  return hash('sha256', file, 'hex').slice(0, 16)
}

const NOT_BUILT = 'The web application has not been built: run "pnpm --filter @probity/web build".\n'

/** Scripts and styles of ours alone, and no other host for anything. */
function policyWith(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}
