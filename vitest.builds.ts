import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buildDocs, buildWeb } from './apps/admin/src/build.ts'

const BUILDS = { '/web': buildWeb, '/docs': buildDocs }

/** Builds the web app or the docs for the first test file that opens them. A GET of /web or /docs ends when the build is done. */
export async function serveBuilds(): Promise<{ url: string; stop(): void }> {
  const started = new Map<string, Promise<void>>()
  const build = (path: string) => {
    const known = started.get(path) ?? BUILDS[path as keyof typeof BUILDS](process.env, console.log)
    started.set(path, known)
    return known
  }
  const server = createServer((request, response) => {
    build(request.url ?? '').then(
      () => response.end(),
      (error) => response.writeHead(500).end(String(error)),
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}
