import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { DOCTOR_CHECKS, type DoctorCheckId } from '@probity/contract/constants/data/doctor-checks'
import type { Finding } from '@probity/contract/constants/operators'
import { asOwner, connect } from '@probity/database/connection/connect'
import { recordBackup } from '@probity/database/system/backups'
import { migrate } from '@probity/database/system/migrate'
import type { CheckContext } from '@probity/doctor/check'
import { BLOCKLISTS } from '@probity/doctor/data/blocklists'
import { examine } from '@probity/doctor/examine'
import { EGRESS, OUR_RESOLVER_NAMES, startDoctorWorld } from '@probity/doctor/test-world'
import { makeCertificate } from '@probity/lab/certificates'
import { freePort, makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { startNginx } from '@probity/lab/services/nginx'
import { startPostgres } from '@probity/lab/services/postgres'
import { startRedis } from '@probity/lab/services/redis'
import { whenDone } from '@probity/lab/when-done'
import { connectRedis } from '@probity/redis/connection'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { startApiProcess } from '../environment/processes.ts'

/** An installation without findings: durable PostgreSQL, mail servers that respond, correct DNS records. */
const [postgres, redisServer, simulation] = await Promise.all([
  startPostgres({ fsync: true }),
  startRedis(),
  startDoctorWorld({}, { isSigned: true }),
])
const uploads = makeFolder('probity-uploads')
whenDone(() => Promise.all([postgres.stop(), redisServer.stop(), removeFolder(uploads)]))
await migrate(postgres.url)
const owner = connect(postgres.url, { connectionsMax: 1 })
await asOwner(owner, (trx) => sql`alter database postgres set log_error_verbosity = terse`.execute(trx))
await recordBackup(owner, { madeAt: new Date(), bytes: 1, sha256: 'x' })
await owner.destroy()

const db = connect(postgres.url, { connectionsMax: 4 })
whenDone(() => db.destroy())
const redis = connectRedis(redisServer.url)
whenDone(() => redis.disconnect())
await vi.waitFor(() => redis.ping(), 10_000)
const api = await startApiProcess({ DATABASE_URL: postgres.url, REDIS_URL: redisServer.url, UPLOADS_FOLDER: uploads })
const front = await startNginx(api.port, { takesLargeBodies: true })
whenDone(() => front.stop())

const context: CheckContext = {
  db,
  redis,
  policy: simulation.policy,
  dnsServers: simulation.dnsServers,
  resolverNames: OUR_RESOLVER_NAMES,
  referenceHosts: simulation.referenceHosts,
  egresses: [EGRESS],
  uploadsFolder: uploads,
  publicUrl: front.url,
  blocklists: BLOCKLISTS,
  now: Date.now,
}

async function look(publicUrl: string) {
  const findings = await examine({ ...context, publicUrl }, ['public-url', 'upload', 'event-stream'])
  return Object.fromEntries(findings.map((finding) => [finding.check, finding])) as Partial<
    Record<DoctorCheckId, Finding>
  >
}

test('a correct installation passes every check', async () => {
  const findings = await examine(context)
  // Free disk space and speed depend on the machine that runs the test.
  const ours = findings.filter(({ check }) => check !== 'disk' && check !== 'dns-speed')
  expect(ours.filter(({ status }) => status !== 'pass')).toEqual([])
  expect(new Set(findings.map(({ check }) => check))).toEqual(new Set(Object.keys(DOCTOR_CHECKS)))
})

test('upload fails behind nginx with default settings and names the setting', async () => {
  const proxy = await startNginx(api.port)
  whenDone(() => proxy.stop())
  const { upload, 'event-stream': events } = await look(proxy.url)
  expect(upload).toMatchObject({
    status: 'fail',
    saw: expect.stringMatching(/rejected with 413 by nginx|The 8 MB upload failed/),
  })
  expect(upload?.fix?.lines).toContain('client_max_body_size 64m;')
  expect(events).toMatchObject({ status: 'pass' }) // nginx honors X-Accel-Buffering
})

test('event-stream fails behind a buffering proxy and names the setting', async () => {
  const proxy = await startNginx(api.port, { takesLargeBodies: true, ignoresAdvice: true })
  whenDone(() => proxy.stop())
  const { upload, 'event-stream': events } = await look(proxy.url)
  expect(events).toMatchObject({ status: 'fail', saw: expect.stringContaining('all at once') })
  expect(events?.fix?.lines).toContain('proxy_buffering off;')
  expect(upload).toMatchObject({ status: 'pass' })
})

test('public-url distinguishes connection refused, another server and an untrusted certificate, and uploads nothing', async () => {
  expect(await look(`http://127.0.0.1:${await freePort()}`)).toMatchObject({
    'public-url': { status: 'fail', saw: expect.stringMatching(/^The URL is unreachable: .*ECONNREFUSED/) },
  })

  const asked: string[] = []
  const other = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    response.end('<h1>It works!</h1>')
  })
  whenDone(() => other.close())
  await once(other.listen(0, '127.0.0.1'), 'listening')
  const otherUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
  expect(await look(otherUrl)).toMatchObject({
    'public-url': { status: 'fail', saw: 'Another server responds at this URL: /livez returned 200.' },
  })
  expect(asked).toEqual(['GET /livez'])

  const certificate = makeCertificate({ name: 'probity.example' })
  const tls = createTlsServer(certificate, (_request, response) => response.end('{"status":"alive"}'))
  whenDone(() => tls.close())
  await once(tls.listen(0, '127.0.0.1'), 'listening')
  const found = await look(`https://127.0.0.1:${(tls.address() as AddressInfo).port}`)
  expect(found['public-url']).toMatchObject({ status: 'fail', saw: expect.stringMatching(/certificate/i) })
})

test('public-url is unknown without PUBLIC_URL', async () => {
  const [only, ...others] = await examine({ ...context, publicUrl: undefined }, [
    'public-url',
    'upload',
    'event-stream',
  ])
  expect([only?.status, others]).toEqual(['unknown', []])
})
