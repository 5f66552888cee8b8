import { createServer } from 'node:net'
import { freePort } from '@probity/lab/services/daemon'
import type { Script } from '@probity/lab/smtp/server'
import { whenDone } from '@probity/lab/when-done'
import { expect, test } from 'vitest'
import { checkConnectivity, examineIpv6, judgeEgresses, judgePort25 } from './egress.ts'
import { EGRESS, startDoctorWorld } from './test-world.ts'

async function look(script?: Script, change: object = {}) {
  const { policy, mailDns: dns, referenceHosts, servers } = await startDoctorWorld(script)
  const connecting = { policy, dns, referenceHosts, ...change }
  return { finding: judgePort25(EGRESS, await checkConnectivity(EGRESS, connecting)), servers }
}

test('port-25 passes when mail servers send a greeting, and sends only EHLO and QUIT', async () => {
  const { finding, servers } = await look()
  expect(finding).toMatchObject({ check: 'port-25', subject: EGRESS.name, status: 'pass', fix: null })
  expect(servers.flatMap(({ groups }) => groups.flat())).toEqual(servers.flatMap(() => ['EHLO', 'QUIT']))
})

test('port-25 fails with its own fix when the connection is refused and when it is intercepted', async () => {
  const closed = await freePort()
  const allows = (address: string) => address.startsWith('127.')
  const refused = await look({}, { policy: { port: closed, allows } })
  expect(refused.finding).toMatchObject({
    status: 'fail',
    saw: expect.stringMatching(/mx\.gmail\.com refused the connection/),
  })
  expect(refused.finding.fix?.says).toMatch(/firewall refuses/)
  expect(refused.finding.fix?.lines).toContain('nc -vz -w 8 mx.gmail.com 25')

  const intercepted = await look({ banner: () => '220 mailrelay.hoster.example ESMTP' })
  expect(intercepted.finding).toMatchObject({
    status: 'fail',
    saw: expect.stringContaining('was intercepted: the greeting is from mailrelay.hoster.example'),
    fix: { says: expect.stringMatching(/middlebox/) },
  })
})

test('port-25 fails with a timeout when connections get no response', async () => {
  // Accepts connections and sends nothing until the deadline, like a firewall that drops packets.
  const black = createServer((socket) => socket.on('error', () => {}))
  await new Promise<void>((resolve) => black.listen(0, '127.0.0.1', resolve))
  whenDone(() => black.close())
  const { port } = black.address() as { port: number }
  const { mailDns: dns, referenceHosts } = await startDoctorWorld()
  const policy = { port, allows: (address: string) => address === '127.0.0.1' }
  const here = { ...dns, resolve4: async () => ['127.0.0.1'] }
  const found = judgePort25(EGRESS, await checkConnectivity(EGRESS, { policy, dns: here, referenceHosts }, 500))
  expect(found).toMatchObject({ status: 'fail', saw: expect.stringMatching(/timed out/) })
  expect(found.fix?.says).toMatch(/time out, which usually means that a firewall or the hosting provider blocks it/)
})

test('port-25 fails when one of several mail servers is intercepted', async () => {
  let asked = 0
  const { finding } = await look({ banner: () => (asked++ === 0 ? '220 mailrelay.hoster.example' : '220 ready') })
  expect(finding).toMatchObject({
    status: 'fail',
    saw: expect.stringMatching(/mailrelay\.hoster\.example.*sent a greeting|sent a greeting.*mailrelay/s),
  })
})

test('port-25 warns when one of several mail servers fails; a 554 greeting counts as reached', async () => {
  let asked = 0
  const some = await look({ banner: () => (asked++ === 0 ? 'hang_up' : '554 5.7.1 go away') })
  expect(some.finding).toMatchObject({
    status: 'warn',
    saw: expect.stringMatching(/closed the connection without .*rejected the connection \(554/s),
  })
})

test('port-25 is unknown when no mail server can be resolved', async () => {
  const nobody = [{ provider: 'x', domain: 'nowhere.example', greetsAs: [], why: '' }]
  const { finding } = await look({}, { referenceHosts: nobody })
  expect(finding).toMatchObject({ status: 'unknown' })
})

test('port-25 names a proxy that does not respond', async () => {
  const { policy, mailDns: dns, referenceHosts } = await startDoctorWorld()
  const port = await freePort()
  const egress = { ...EGRESS, socks5: { host: '127.0.0.1', port } }
  const finding = judgePort25(egress, await checkConnectivity(egress, { policy, dns, referenceHosts }))
  expect(finding).toMatchObject({ status: 'fail', fix: { lines: [`nc -vz -w 8 127.0.0.1 ${port}`] } })
})

test('ipv6 connects over IPv6 only, and passes on a host without IPv6', async () => {
  const { policy, mailDns: dns, referenceHosts } = await startDoctorWorld()
  expect(await examineIpv6(EGRESS, { policy, dns, referenceHosts })).toMatchObject({
    status: 'pass',
    saw: expect.stringContaining('no public IPv6'),
  })
  const six = { ...EGRESS, localAddress: '::1' }
  expect(await examineIpv6(six, { policy, dns, referenceHosts })).toMatchObject({ check: 'ipv6', status: 'unknown' })
  const closed = { port: await freePort(), allows: (address: string) => address === '::1' }
  const named = { ...dns, resolve6: async () => ['::1'] }
  expect(await examineIpv6(six, { policy: closed, dns: named, referenceHosts })).toMatchObject({ status: 'warn' })
})

test('egress-configured warns without an egress and shows the settings', () => {
  expect(judgeEgresses([])).toMatchObject({
    status: 'warn',
    fix: { lines: expect.arrayContaining(['PROBITY_SMTP_HELO_NAME=probe.your-domain']) },
  })
  expect(judgeEgresses([EGRESS])).toMatchObject({
    status: 'pass',
    saw: 'One egress is configured: probe.probity.example.',
  })
})
