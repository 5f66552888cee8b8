import { BEHAVIOURS } from './data/behaviours.ts'
import { HARD_BEHAVIOURS } from './data/worlds.ts'
import { behaviourOf } from './domains.ts'
import { domainIn, type SimulatedAddress } from './population.ts'
import type { RunningSimulation } from './start.ts'

const EXAMPLES_MAX = 3

/** The text for the terminal: addresses and ports of a simulation, sample recipients, and commands to probe them. */
export function describeSimulation({ simulation, dnsPort, smtpPort }: RunningSimulation, title: string): string {
  const { domains, addresses } = simulation
  const someone = addresses.find(({ behaviour }) => behaviour === 'gmail') ?? addresses[0]
  const domain = simulation.findDomain(domainIn(someone?.email ?? ''))
  return [
    `A world of ${domains.length} domains and ${addresses.length} addresses, ${title.replace(/\.$/, '')}.`,
    '',
    ...groupAddresses(addresses).flatMap(([behaviour, group]) => [
      `${behaviour} (${group.length}): ${behaviour === 'broken' ? 'No address at all.' : behaviourOf({ behaviour }).about}`,
      ...pickExamples(group).map((address) => `    ${describeAddress(address, simulation)}`),
    ]),
    '',
    `DNS answers on 127.0.0.1:${dnsPort}, mail servers on port ${smtpPort} of 127.77.0.0/16. To ask by hand:`,
    `    dig @127.0.0.1 -p ${dnsPort} ${domain?.name} MX`,
    `    dig @127.0.0.1 -p ${dnsPort} ${domain?.hosts[0]?.name} A`,
    `    nc -C <that address> ${smtpPort}, then: EHLO me.example, MAIL FROM:<me@me.example>, RCPT TO:<${someone?.email ?? ''}>`,
    '',
  ].join('\n')
}

type Group = [behaviour: SimulatedAddress['behaviour'], addresses: SimulatedAddress[]]

/** In the order of the tables. */
function groupAddresses(addresses: SimulatedAddress[]): Group[] {
  const groups = Object.groupBy(addresses, ({ behaviour }) => behaviour)
  const names = [...Object.keys(BEHAVIOURS), 'broken', ...Object.keys(HARD_BEHAVIOURS)] as Group[0][]
  return names.flatMap((name): Group[] => (groups[name] === undefined ? [] : [[name, groups[name]]]))
}

/** One address of each kind, up to the limit. */
function pickExamples(addresses: SimulatedAddress[]): SimulatedAddress[] {
  const kinds = new Map<string, SimulatedAddress>()
  for (const address of addresses) if (!kinds.has(address.exists)) kinds.set(address.exists, address)
  return [...kinds.values()].slice(0, EXAMPLES_MAX)
}

function describeAddress({ email, exists }: SimulatedAddress, simulation: RunningSimulation['simulation']): string {
  const { verdicts } = simulation.expected(email)
  const words = verdicts.map(({ status, subStatus }) => (subStatus === '' ? status : `${status} (${subStatus})`))
  return `${email}   exists: ${exists}   verdict: ${words.join(' or ')}`
}
