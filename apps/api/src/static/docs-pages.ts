import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { isFilePath } from './file-path.ts'

const YEAR_S = 31_536_000

/** Files of Astro and of the search whose names contain a hash of their contents. */
const NAMED_BY_CONTENT = /^(_astro\/|pagefind\/(fragment|index)\/)/

/** Files other than Markdown: these have an extension, and pages have none. */
const FILE = /\.[a-z0-9_]+$/

/** The docs: a folder of static pages, the Markdown of each page, and an index for programs. */
export const docsPages: FastifyPluginAsync<{ docsFolder: string }> = async (app, { docsFolder }) => {
  const schema = { hide: true }
  await app.register(fastifyStatic, {
    root: docsFolder,
    serve: false,
    preCompressed: true,
    cacheControl: false,
    schemaHide: true,
  })
  const send = (reply: FastifyReply, file: string) => {
    const found = existsSync(join(docsFolder, file))
    if (!found && !existsSync(join(docsFolder, '404.html'))) {
      return reply.code(503).type('text/plain; charset=utf-8').send(NOT_BUILT)
    }
    const kept = found && NAMED_BY_CONTENT.test(file) ? `public, max-age=${YEAR_S}, immutable` : 'no-cache'
    // For files too: the search worker uses the policy of its own script response.
    reply.header('cache-control', kept).header('content-security-policy', PAGE_POLICY)
    return reply.code(found ? 200 : 404).sendFile(found ? file : '404.html')
  }
  app.get('/docs', { schema }, (_request, reply) => send(reply, 'index.html'))
  app.get<{ Params: { '*': string } }>('/docs/*', { schema }, (request, reply) => {
    const path = request.params['*']
    if (!isFilePath(path)) return reply.callNotFound()
    // One URL per page: relative links and search results use the one without a trailing slash.
    if (path === '' || path.endsWith('/')) return reply.redirect(encodeURI(`/docs/${path}`.slice(0, -1)), 301)
    return send(reply, FILE.test(path) ? path : `${path}/index.html`)
  })
  for (const name of ['llms.txt', 'llms-full.txt'])
    app.get(`/${name}`, { schema }, (_request, reply) => send(reply, name))
}

const NOT_BUILT = 'The docs have not been built: run "pnpm --filter @probity/docs build".\n'

/** Our own files only and no inline code. The search is WebAssembly and runs in a worker. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
