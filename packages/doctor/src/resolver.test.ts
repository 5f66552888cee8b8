import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { RCODES, readQuestion, TYPES, writeAnswer, writeRecord } from '@probity/lab/dns/packet'
import { startDns, startSilent } from '@probity/lab/dns/start'
import { freePort } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { expect, test } from 'vitest'
import { examineResolvers, judgeOwner, readServer } from './resolver.ts'
import { OUR_NAMES, OUR_RESOLVER_NAMES } from './test-world.ts'

async function look(...dnsServers: string[]) {
  const findings = await examineResolvers({ dnsServers, resolverNames: OUR_RESOLVER_NAMES })
  return Object.fromEntries(findings.map((finding) => [finding.check, finding]))
}

/** A resolver that returns its own address for every UDP query, as some internet providers do, and refuses TCP. */
async function startLiar({ afterMs = 0, flags = 0 } = {}) {
  const socket = createSocket('udp4')
  const port = await freePort()
  socket.on('message', (message, { port: to, address }) => {
    const question = readQuestion(message)
    if (question === undefined) return
    const answers = [writeRecord({ type: TYPES.a, data: Buffer.from([203, 0, 113, 80]) })]
    setTimeout(() => socket.send(writeAnswer(question, { answers, flags }), to, address), afterMs)
  })
  socket.bind(port, '127.0.0.1')
  await once(socket, 'listening')
  whenDone(() => socket.close())
  return `127.0.0.1:${port}`
}

test('all DNS checks pass for a validating resolver with TCP and correct NXDOMAIN', async () => {
  const dns = await startDns({ names: OUR_NAMES, faults: {} }, { isSigned: true })
  whenDone(() => dns.stop())
  const found = await look(`127.0.0.1:${dns.port}`)
  expect(Object.values(found).map(({ check, status }) => [check, status])).toEqual([
    ['resolver-answers', 'pass'],
    ['resolver-honest', 'pass'],
    ['dnssec', 'pass'],
    ['dns-tcp', 'pass'],
    ['dns-speed', 'pass'],
    ['own-resolver', 'pass'],
  ])
})

test('dnssec warns for a resolver that does not validate', async () => {
  const dns = await startDns({ names: OUR_NAMES, faults: {} })
  whenDone(() => dns.stop())
  const found = await look(`127.0.0.1:${dns.port}`)
  expect(found['dnssec']).toMatchObject({
    status: 'warn',
    fix: { lines: expect.arrayContaining(['module-config: "validator iterator"']) },
  })
  expect(found['resolver-honest']?.status).toBe('pass')
})

test('a resolver that rewrites NXDOMAIN, refuses TCP and is slow is reported for each', async () => {
  const found = await look(await startLiar({ afterMs: 80 }))
  expect(found['resolver-honest']).toMatchObject({
    status: 'fail',
    saw: expect.stringContaining('nonexistent name'),
  })
  expect(found['dns-tcp']).toMatchObject({ status: 'fail', saw: expect.stringContaining('ECONNREFUSED') })
  expect(found['dns-speed']).toMatchObject({ status: 'warn' })
})

test('resolver-honest fails for a resolver that denies a large mail domain, and is unknown when queries fail', async () => {
  const names = { ...OUR_NAMES, 'probity.example': { txt: ['without a mail server'] } }
  const dns = await startDns({ names, faults: {} })
  const failing = await startDns({ names: OUR_NAMES, faults: { 'probity.example': 'servfail' } })
  whenDone(() => Promise.all([dns.stop(), failing.stop()]))
  expect((await look(`127.0.0.1:${dns.port}`))['resolver-honest']).toMatchObject({
    status: 'fail',
    saw: 'The resolver denies names that exist: probity.example.',
  })
  expect((await look(`127.0.0.1:${failing.port}`))['resolver-honest']).toMatchObject({
    status: 'unknown',
    saw: 'Queries failed: probity.example (servfail).',
  })
})

test('dnssec warns when forged responses are marked as validated', async () => {
  const AUTHENTIC = 0x0020
  const found = await look(await startLiar({ flags: AUTHENTIC | RCODES.noerror }))
  expect(found['dnssec']).toMatchObject({ status: 'warn', saw: expect.stringContaining('dnssec-failed.org') })
})

test('resolver-answers fails on timeout, on connection refused and with no resolver', async () => {
  const silent = await startSilent()
  whenDone(() => silent.stop())
  expect(await look(`127.0.0.1:${silent.port}`)).toMatchObject({
    'resolver-answers': { status: 'fail', saw: 'The resolver did not respond: no response within 3 seconds.' },
  })
  expect(await look(`127.0.0.1:${await freePort()}`)).toMatchObject({ 'resolver-answers': { status: 'fail' } })
  expect(await look()).toMatchObject({
    'resolver-answers': { status: 'fail', fix: { lines: ['PROBITY_DNS_SERVERS=127.0.0.1'] } },
  })
})

test('resolver-answers names the response code of a resolver that does not resolve public names', async () => {
  const found = await look(await startLiar({ flags: RCODES.nxdomain }))
  expect(found['resolver-answers']).toMatchObject({
    status: 'fail',
    saw: 'A query for org failed: response code NXDOMAIN.',
    fix: { says: expect.stringContaining('does not resolve public names') },
  })
})

test.each([
  ['9.9.9.9', { host: '9.9.9.9', port: 53 }],
  ['127.0.0.1:5353', { host: '127.0.0.1', port: 5353 }],
  ['2620:fe::fe', { host: '2620:fe::fe', port: 53 }],
  ['[::1]:5353', { host: '::1', port: 5353 }],
])('readServer parses %s', (server, place) => {
  expect(readServer(server)).toEqual(place)
})

test.each([
  ['8.8.8.8', 'warn'],
  ['[2606:4700:4700::1111]:53', 'warn'],
  ['10.0.0.53', 'pass'],
])('own-resolver of %s: %s', (server, status) => {
  expect(judgeOwner(server).status).toBe(status)
})
