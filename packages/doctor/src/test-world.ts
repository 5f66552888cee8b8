import { openResolver } from '@probity/engine/domain/resolver'
import { REFERENCE_HOSTS } from '@probity/engine/smtp/probe/data/reference-hosts'
import { startDns } from '@probity/lab/dns/start'
import type { Names } from '@probity/lab/dns/zone-file'
import { freePort } from '@probity/lab/services/daemon'
import { type Script, type ScriptedServer, startScripted } from '@probity/lab/smtp/server'
import { whenDone } from '@probity/lab/when-done'

/** The egress IP, as mail servers report it in their EHLO reply. From the benchmarking block (RFC 2544). */
export const OUR_ADDRESS = '198.18.0.25'

export const EGRESS = {
  name: 'probe.probity.example',
  heloName: 'probe.probity.example',
  mailFrom: 'bounce@probity.example',
}

/** All DNS records that the checks expect. */
export const OUR_NAMES: Names = {
  'probe.probity.example': { a: [OUR_ADDRESS] },
  '25.0.18.198.in-addr.arpa': { ptr: ['probe.probity.example'] },
  'probity.example': { mx: [[10, 'mail.probity.example']], txt: [`v=spf1 ip4:${OUR_ADDRESS} -all`] },
  'mail.probity.example': { a: ['198.18.0.26'] },
  'answers.org': { txt: ['so that there is an org'] },
}

/** The root zone has a SOA record also when it is signed. */
export const OUR_RESOLVER_NAMES = { zone: '', absentBelow: 'com', mailDomains: ['probity.example'] }

let worlds = 0

/** Mail servers of all reference hosts on loopback, and DNS with correct records of the egress. `script` changes the mail servers. */
export async function startDoctorWorld(script: Script = {}, { isSigned = false, names = {} as Names } = {}) {
  const port = await freePort()
  worlds += 1
  const servers: ScriptedServer[] = []
  const zone: Names = { ...OUR_NAMES, ...names }
  for (const [n, { domain }] of REFERENCE_HOSTS.entries()) {
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
  return { dns, servers, port, policy, dnsServers, mailDns, referenceHosts: REFERENCE_HOSTS }
}
