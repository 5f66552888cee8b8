import { BEHAVIOURS, type BehaviourName } from './data/behaviours.ts'
import type { SimulatedAddress } from './population.ts'
import type { RunningSimulation } from './start.ts'

const EXAMPLES_MAX = 3

/** The text for the terminal: addresses and ports of a simulation, sample recipients, and commands to probe them. */
export function describeSimulation({ simulation, dnsPort, smtpPort }: RunningSimulation): string {
  const [someone] = simulation.addresses.filter(({ behaviour }) => behaviour === 'gmail')
  return [
    `A world of ${simulation.domains.length} domains and ${simulation.addresses.length} addresses, seed ${simulation.seed}.`,
    '',
    ...Object.entries(groupAddresses(simulation.addresses)).flatMap(([behaviour, addresses]) => [
      `${behaviour} (${addresses.length}): ${aboutOf(behaviour)}`,
      ...pickExamples(addresses).map((address) => `    ${describeAddress(address, simulation)}`),
    ]),
    '',
    `DNS answers on 127.0.0.1:${dnsPort}, mail servers on port ${smtpPort} of 127.77.0.0/16. To ask by hand:`,
    `    dig @127.0.0.1 -p ${dnsPort} gmail.com MX`,
    `    dig @127.0.0.1 -p ${dnsPort} gmail-smtp-in.l.google.com A`,
    `    nc -C <that address> ${smtpPort}, then: EHLO me.example, MAIL FROM:<me@me.example>, RCPT TO:<${someone?.email ?? ''}>`,
    '',
  ].join('\n')
}

function groupAddresses(addresses: SimulatedAddress[]): Record<string, SimulatedAddress[]> {
  const groups: Record<string, SimulatedAddress[]> = {}
  for (const name of [...Object.keys(BEHAVIOURS), 'broken']) groups[name] = []
  for (const address of addresses) groups[address.behaviour]?.push(address)
  return groups
}

function aboutOf(behaviour: string): string {
  return behaviour === 'broken' ? 'No address at all.' : BEHAVIOURS[behaviour as BehaviourName].about
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
