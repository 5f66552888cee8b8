import { createServer } from 'node:net'
import { freePort } from '@probity/lab/services/daemon'
import type { Script } from '@probity/lab/smtp/server'
import { whenDone } from '@probity/lab/when-done'
import { expect, test } from 'vitest'
import { examineIpv6, judgePort25, judgeWaysOut, reachOut } from './egress.ts'
import { EGRESS, startDoctorWorld } from './test-world.ts'

async function look(script?: Script, change: object = {}) {
  const { policy, mailDns: dns, landmarks, servers } = await startDoctorWorld(script)
  const reaching = { policy, dns, landmarks, ...change }
  return { finding: judgePort25(EGRESS, await reachOut(EGRESS, reaching)), servers }
}

test('mail servers that greet us are well, and are told nothing but EHLO and QUIT', async () => {
  const { finding, servers } = await look()
  expect(finding).toMatchObject({ check: 'port-25', subject: EGRESS.name, status: 'pass', fix: null })
  expect(servers.flatMap(({ groups }) => groups.flat())).toEqual(servers.flatMap(() => ['EHLO', 'QUIT']))
})

test('a port that refuses is told from one that is silent, and both from somebody else who answers', async () => {
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
    saw: expect.stringContaining('was answered for by mailrelay.hoster.example'),
    fix: { says: expect.stringMatching(/box between/) },
  })
})

test('silence is called silence', async () => {
  // It takes connections and says nothing, for as long as the doctor waits: as behind a firewall that swallows what it does not like.
  const black = createServer((socket) => socket.on('error', () => {}))
  await new Promise<void>((resolve) => black.listen(0, '127.0.0.1', resolve))
  whenDone(() => black.close())
  const { port } = black.address() as { port: number }
  const { mailDns: dns, landmarks } = await startDoctorWorld()
  const policy = { port, allows: (address: string) => address === '127.0.0.1' }
  const here = { ...dns, resolve4: async () => ['127.0.0.1'] }
  const found = judgePort25(EGRESS, await reachOut(EGRESS, { policy, dns: here, landmarks }, 500))
  expect(found).toMatchObject({ status: 'fail', saw: expect.stringMatching(/did not answer in time/) })
  expect(found.fix?.says).toMatch(/get no answer, as where a hoster closes it/)
})

test('one host that somebody else answers for is enough to fail, whoever else greets us', async () => {
  let asked = 0
  const { finding } = await look({ banner: () => (asked++ === 0 ? '220 mailrelay.hoster.example' : '220 ready') })
  expect(finding).toMatchObject({
    status: 'fail',
    saw: expect.stringMatching(/mailrelay\.hoster\.example.*greeted us|greeted us.*mailrelay/s),
  })
})

test('one provider out of several is a warning, and one that turns us away is reached all the same', async () => {
  let asked = 0
  const some = await look({ banner: () => (asked++ === 0 ? 'hang_up' : '554 5.7.1 go away') })
  expect(some.finding).toMatchObject({ status: 'warn', saw: expect.stringMatching(/hung up .*turned us away \(554/s) })
})

test('where nobody can be looked up nothing is said of the port', async () => {
  const nobody = [{ provider: 'x', domain: 'nowhere.example', speaksAs: [], why: '' }]
  const { finding } = await look({}, { landmarks: nobody })
  expect(finding).toMatchObject({ status: 'unknown' })
})

test('a proxy that does not answer is named', async () => {
  const { policy, mailDns: dns, landmarks } = await startDoctorWorld()
  const port = await freePort()
  const egress = { ...EGRESS, socks5: { host: '127.0.0.1', port } }
  const finding = judgePort25(egress, await reachOut(egress, { policy, dns, landmarks }))
  expect(finding).toMatchObject({ status: 'fail', fix: { lines: [`nc -vz -w 8 127.0.0.1 ${port}`] } })
})

test('IPv6 is asked by itself, and a host without it has nothing to put right', async () => {
  const { policy, mailDns: dns, landmarks } = await startDoctorWorld()
  expect(await examineIpv6(EGRESS, { policy, dns, landmarks })).toMatchObject({
    status: 'pass',
    saw: expect.stringContaining('no public IPv6'),
  })
  const six = { ...EGRESS, localAddress: '::1' }
  expect(await examineIpv6(six, { policy, dns, landmarks })).toMatchObject({ check: 'ipv6', status: 'unknown' })
  const closed = { port: await freePort(), allows: (address: string) => address === '::1' }
  const named = { ...dns, resolve6: async () => ['::1'] }
  expect(await examineIpv6(six, { policy: closed, dns: named, landmarks })).toMatchObject({ status: 'warn' })
})

test('without a way out it is said what that means, and how to set one', () => {
  expect(judgeWaysOut([])).toMatchObject({
    status: 'warn',
    fix: { lines: expect.arrayContaining(['SMTP_HELO_NAME=probe.your-domain']) },
  })
  expect(judgeWaysOut([EGRESS])).toMatchObject({ status: 'pass', saw: 'One way out is set: probe.probity.example.' })
})
