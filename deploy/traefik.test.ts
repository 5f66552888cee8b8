import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

/** Traefik is not part of Debian, so its files are parsed and compared with each other, and not run. */
const page = readFileSync(new URL('../docs/reverse-proxy.md', import.meta.url), 'utf8')
const [install, routing] = [...page.matchAll(/<!-- test: reverse-proxy -->\n```yaml\n(.*?)^```$/gms)].map(
  ([, yaml = '']) => parse(yaml),
)

test('the router of the Traefik files refers to their entry point, resolver and service', () => {
  const { probity: router } = routing.http.routers
  expect(Object.keys(install.entryPoints)).toEqual(expect.arrayContaining(router.entryPoints))
  expect(Object.keys(install.certificatesResolvers)).toContain(router.tls.certResolver)
  expect(Object.keys(routing.http.services)).toContain(router.service)
  expect(Object.keys(routing.http.middlewares)).toEqual(router.middlewares)
  expect(install.entryPoints.web.http.redirections.entryPoint.to).toBe(router.entryPoints[0])
  expect(page).toContain(`In \`${install.providers.file.filename}\`:`)
})

test('the service of the Traefik files polls the readiness of the API on its default port', () => {
  const { loadBalancer } = routing.http.services.probity
  expect(loadBalancer.servers).toEqual([{ url: 'http://127.0.0.1:3000' }])
  expect(loadBalancer.healthCheck.path).toBe('/readyz')
})
