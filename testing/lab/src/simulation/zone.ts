import type { NameData, Names } from '../dns/zone-file.ts'
import { behaviourOf, type SimulatedDomain, type SimulatedHost } from './domains.ts'
import type { Loopback } from './loopback.ts'
import type { MailPopulation } from './population.ts'
import { hashText } from './random.ts'

/** The DNS data of a simulation: names with their records, and names whose servers return an error. */
export type SimulatedZone = { names: Names; failing: Set<string> }

/** About the real share of domains that publish them. */
const SPF_SHARE = 0.75
const DMARC_SHARE = 0.45

export function makeZone({ domains }: MailPopulation, loopback: Loopback): SimulatedZone {
  const names: Names = Object.create(null)
  const failing = new Set<string>()
  for (const domain of domains) {
    const { dns } = behaviourOf(domain)
    if (dns === 'servfail') failing.add(domain.name)
    if (dns === 'servfail' || dns === 'absent') continue

    names[domain.name] = dataOf(domain, loopback)
    if (has(domain, 'dmarc', DMARC_SHARE)) names[`_dmarc.${domain.name}`] = { txt: ['v=DMARC1; p=none'] }
    for (const host of domain.hosts) names[host.name] = addressesOf(host, loopback)
  }
  return { names, failing }
}

function dataOf(domain: SimulatedDomain, { addressOf, web }: Loopback): NameData {
  const txt = has(domain, 'spf', SPF_SHARE) ? ['v=spf1 mx -all'] : []
  const { dns = 'mx', site } = behaviourOf(domain)
  switch (dns) {
    case 'mx':
      return { mx: domain.hosts.map(({ preference, name }) => [preference, name]), a: [web], txt }
    case 'address':
      return site === undefined ? { txt } : { a: [addressOf(domain.name)], txt }
    case 'parked':
      return { a: [addressOf(domain.name)], txt }
    case 'null_mx':
      return { mx: [[0, '']], a: [web], txt: ['v=spf1 -all'] }
    case 'nothing':
      return { txt: ['nothing to do with mail'] }
    case 'absent':
    case 'servfail':
      return {}
  }
}

function has({ name }: SimulatedDomain, what: string, share: number): boolean {
  return hashText(`${what} ${name}`) / 0x1_0000_0000 < share
}

function addressesOf({ name, where }: SimulatedHost, { addressOf }: Loopback): NameData {
  const byte = hashText(name) % 250
  if (where === 'private') return { a: [`10.20.30.${byte + 1}`] }
  if (where === 'ipv6') return { aaaa: [`2001:db8::${(byte + 1).toString(16)}`] }
  return { a: [addressOf(name)] }
}
