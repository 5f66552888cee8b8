import { openResolver } from '@probity/engine/domain/resolver'
import { LANDMARKS } from '@probity/engine/mailbox/data/landmarks'
import { startDns } from '@probity/lab/dns/start'
import type { Names } from '@probity/lab/dns/zone-file'
import { freePort } from '@probity/lab/services/daemon'
import { type Script, type ScriptedServer, startScripted } from '@probity/lab/smtp/server'
import { whenDone } from '@probity/lab/when-done'

/** By this address the world sees us: mail servers say so in their answer to EHLO. From the block kept for measurements (RFC 2544). */
export const OUR_ADDRESS = '198.18.0.25'

export const EGRESS = {
  name: 'probe.probity.example',
  heloName: 'probe.probity.example',
  mailFrom: 'bounce@probity.example',
}

/** Everything that the doctor wants to find of us in DNS. */
export const OUR_NAMES: Names = {
  'probe.probity.example': { a: [OUR_ADDRESS] },
  '25.0.18.198.in-addr.arpa': { ptr: ['probe.probity.example'] },
  'probity.example': { mx: [[10, 'mail.probity.example']], txt: [`v=spf1 ip4:${OUR_ADDRESS} -all`] },
  'mail.probity.example': { a: ['198.18.0.26'] },
  'answers.org': { txt: ['so that there is an org'] },
}

let worlds = 0

/** The mail servers of all landmarks, on loopback, and an internet in which we are well known. `script` is what stands on the way to them. */
export async function startDoctorWorld(script: Script = {}, { isSigned = false, names = {} as Names } = {}) {
  const port = await freePort()
  worlds += 1
  const servers: ScriptedServer[] = []
  const zone: Names = { ...OUR_NAMES, ...names }
  for (const [n, { domain }] of LANDMARKS.entries()) {
    const host = `127.93.${worlds}.${n + 1}`
    const name = `mx.${domain}`
    zone[domain] = { mx: [[10, name]] }
    zone[name] = { a: [host] }
    const ehlo = () => `250-${name} at your service, [${OUR_ADDRESS}]\n250 8BITMIME`
    const server = await startScripted({ name, ehlo, ...script }, { host, port })
    whenDone(() => server.stop())
    servers.push(server)
  }
  const dns = await startDns({ names: zone, faults: {} }, { isSigned })
  whenDone(() => dns.stop())
  const policy = { port, allows: (address: string) => address.startsWith('127.93.') || address.startsWith('198.18.') }
  const dnsServers = [`127.0.0.1:${dns.port}`]
  const mailDns = openResolver({ servers: dnsServers, timeoutMs: 4_000 })
  return { dns, servers, port, policy, dnsServers, mailDns, landmarks: LANDMARKS }
}
