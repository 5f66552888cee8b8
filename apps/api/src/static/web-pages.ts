import { hash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyPluginAsync } from 'fastify'
import { isFilePath } from './file-path.ts'

/** Placeholder that the build leaves in the page. */
const NONCE_PLACE = /__NONCE__/g
const YEAR_S = 31_536_000
/** For URLs without a version: a fix reaches these pages within an hour. */
const FORM_KEPT_S = 3_600

/** The web application: one page for all URLs, and its assets. */
export const webPages: FastifyPluginAsync<{ webFolder: string }> = async (app, { webFolder }) => {
  const schema = { hide: true }
  app.get('/', { schema }, (_request, reply) => reply.redirect('/app/'))

  // The names contain a hash of the contents, so caches need not revalidate.
  await app.register(fastifyStatic, {
    root: join(webFolder, 'assets'),
    serve: false,
    preCompressed: true,
    cacheControl: false,
    schemaHide: true,
    setHeaders: (reply) => void reply.header('cache-control', `public, max-age=${YEAR_S}, immutable`),
  })
  app.get<{ Params: { '*': string } }>('/app/assets/*', { schema }, (request, reply) => {
    const path = request.params['*']
    return isFilePath(path) ? reply.sendFile(path) : reply.callNotFound()
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
      // For pages of other sites, which may also pin it by hash (SRI).
      'cross-origin-resource-policy': 'cross-origin',
      'access-control-allow-origin': '*',
    })
    return reply.type('text/javascript; charset=utf-8').send(form)
  })
  for (const path of ['/app', '/app/*']) {
    app.get(path, { schema }, async (request, reply) => {
      // Unknown API paths get the API's own 404.
      if (/^\/app\/api(\/|\?|$)/.test(request.url)) return reply.callNotFound()
      // Read for each request: it is small, and a new build takes effect at once.
      const page = await readFile(join(webFolder, 'index.html'), 'utf8').catch(() => undefined)
      if (page === undefined) return reply.code(503).type('text/plain; charset=utf-8').send(NOT_BUILT)
      const nonce = randomBytes(16).toString('base64')
      reply.header('content-security-policy', policyWith(nonce)).header('cache-control', 'no-store')
      return reply.type('text/html; charset=utf-8').send(page.replace(NONCE_PLACE, nonce))
    })
  }
}

/** A hash of the contents, so that a versioned URL never changes. */
function versionOf(file: Buffer): string {
  return hash('sha256', file, 'hex').slice(0, 16)
}

const NOT_BUILT = 'The web application has not been built: run "pnpm --filter @probity/web build".\n'

/** Only our own scripts and styles, and no other hosts. */
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
