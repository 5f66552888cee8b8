import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyPluginAsync, FastifyReply } from 'fastify'

const YEAR_S = 31_536_000

/** What Astro and the search write under names that change with their contents. */
const NAMED_BY_CONTENT = /^(_astro\/|pagefind\/(fragment|index)\/)/

/** What a page is made of besides its Markdown: these have an ending, and pages have none. */
const FILE = /\.[a-z0-9_]+$/

/** A part of a path that is no name: nothing of the site begins with a dot. */
const CLIMBS = /(^|[\\/])\.|\0/

/** The docs: a folder of finished pages, the Markdown of each beside it, and the list of them for programs. */
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
    // With files too: the worker of the search goes by the policy that came with its script.
    reply.header('cache-control', kept).header('content-security-policy', PAGE_POLICY)
    return reply.code(found ? 200 : 404).sendFile(found ? file : '404.html')
  }
  app.get('/docs', { schema }, (_request, reply) => send(reply, 'index.html'))
  app.get<{ Params: { '*': string } }>('/docs/*', { schema }, (request, reply) => {
    const path = request.params['*']
    if (CLIMBS.test(path)) return reply.callNotFound()
    // One address for each page: relative links and search results are made for the one without a slash.
    if (path === '' || path.endsWith('/')) return reply.redirect(`/docs/${path}`.replace(/\/+$/, ''), 301)
    return send(reply, FILE.test(path) ? path : `${path}/index.html`)
  })
  for (const name of ['llms.txt', 'llms-full.txt'])
    app.get(`/${name}`, { schema }, (_request, reply) => send(reply, name))
}

const NOT_BUILT = 'The docs have not been built: run "pnpm --filter @probity/docs build".\n'

/** Files of ours alone, inline nothing. The search is compiled from WebAssembly, in a worker. */
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
