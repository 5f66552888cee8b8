import { randomBytes } from 'node:crypto'
import type { Finding } from '@probity/contract/constants/operators'
import { PUBLIC_RESOLVERS } from './data/public-resolvers.ts'
import { fail, pass, unknown, warn } from './finding.ts'
import type { Patient } from './patient.ts'
import { askServer, type Heard, RCODES, readServer, TYPES } from './question.ts'

/** Signed since 2010, and every resolver has it in its cache. */
const SIGNED = { name: 'org', type: TYPES.soa }
/** Deliberately signed incorrectly by its operator, to test validators. */
const WRONGLY_SIGNED = { name: 'dnssec-failed.org', type: TYPES.a }
/** A cache on the same host responds within 1 to 2 ms, one in the same network within 10 ms. */
const SLOW_MS = 50
const SPEED_TRIES = 5

/** Checks each configured resolver. */
export async function examineResolvers({ dnsServers }: Pick<Patient, 'dnsServers'>): Promise<Finding[]> {
  if (dnsServers.length === 0) {
    const says = 'Set a resolver. An Unbound on this host is recommended.'
    const saw = 'PROBITY_DNS_SERVERS is not set, and the system has no resolver.'
    return [fail('resolver-answers', { saw, says, lines: ['PROBITY_DNS_SERVERS=127.0.0.1'] })]
  }
  return (await Promise.all(dnsServers.map(examineResolver))).flat()
}

async function examineResolver(server: string): Promise<Finding[]> {
  const first = await askServer(server, SIGNED)
  if (first.kind !== 'answer' || first.rcode !== RCODES.noerror) {
    return [judgeRefusal(server, first), judgeOwner(server)]
  }
  const answers = pass('resolver-answers', {
    subject: server,
    saw: `The resolver responded in ${Math.round(first.ms)} ms.`,
  })
  const found = [judgeHonesty(server), judgeValidation(server), judgeTcp(server), judgeSpeed(server)]
  return [answers, ...(await Promise.all(found)), judgeOwner(server)]
}

const UNBOUND = ['apt-get install unbound', 'systemctl enable --now unbound', 'PROBITY_DNS_SERVERS=127.0.0.1']

/** The resolver did not respond, or does not resolve a public name. */
function judgeRefusal(subject: string, heard: Heard): Finding {
  if (heard.kind === 'answer') {
    const saw = `A query for ${SIGNED.name} failed: ${describe(heard)}.`
    const says =
      'The resolver does not resolve public names, or does not serve this host. Use a full recursive resolver.'
    return fail('resolver-answers', { subject, saw, says, lines: UNBOUND })
  }
  const says = 'Check that the resolver is running and accepts queries from this host, or run one on this host.'
  return fail('resolver-answers', {
    subject,
    saw: `The resolver did not respond: ${describe(heard)}.`,
    says,
    lines: UNBOUND,
  })
}

function describe(heard: Heard): string {
  if (heard.kind === 'silent') return 'no response within 3 seconds'
  if (heard.kind === 'failed') return heard.why
  const name = Object.entries(RCODES).find(([, code]) => code === heard.rcode)?.[0]
  return `response code ${name?.toUpperCase() ?? heard.rcode}`
}

/** Queries random, unregistered names below the top-level domains that resolvers most often rewrite. */
async function judgeHonesty(subject: string): Promise<Finding> {
  const names = ['com', 'net'].map((end) => `${randomBytes(16).toString('hex')}.${end}`)
  const heard = await Promise.all(names.map((name) => askServer(subject, { name, type: TYPES.a })))
  const answers = heard.filter((one) => one.kind === 'answer')
  if (answers.some(({ rcode, records }) => rcode === RCODES.noerror && records > 0)) {
    const saw = 'A query for a nonexistent name returned an address.'
    const says = 'The resolver rewrites NXDOMAIN responses, as some internet providers do. Use another resolver.'
    return fail('resolver-honest', { subject, saw, says, lines: UNBOUND })
  }
  if (answers.length > 0 && answers.every(({ rcode }) => rcode === RCODES.nxdomain)) {
    return pass('resolver-honest', { subject, saw: 'Queries for nonexistent names return NXDOMAIN.' })
  }
  const saw = `Queries for nonexistent names: ${heard.map(describe).join(', ')}.`
  return unknown('resolver-honest', { subject, saw, says: 'Check why the resolver fails, then run the checks again.' })
}

async function judgeValidation(subject: string): Promise<Finding> {
  const [good, bad] = await Promise.all([askServer(subject, SIGNED), askServer(subject, WRONGLY_SIGNED)])
  const says = 'Enable DNSSEC validation. Unbound needs the root key and the module "validator".'
  const lines = ['apt-get install dns-root-data', 'module-config: "validator iterator"']
  if (good.kind !== 'answer')
    return unknown('dnssec', { subject, saw: `The resolver did not respond: ${describe(good)}.`, says })
  if (!good.isValidated) {
    return warn('dnssec', {
      subject,
      saw: 'The response for a signed name is not marked as validated.',
      says,
      lines,
    })
  }
  if (bad.kind === 'answer' && bad.rcode === RCODES.noerror && bad.records > 0) {
    const saw = `Responses are marked as validated, but ${WRONGLY_SIGNED.name}, which is deliberately signed incorrectly, resolves.`
    return warn('dnssec', { subject, saw, says, lines })
  }
  return pass('dnssec', { subject, saw: 'The resolver validates responses.' })
}

async function judgeTcp(subject: string): Promise<Finding> {
  const heard = await askServer(subject, { ...SIGNED, overTcp: true })
  if (heard.kind === 'answer') return pass('dns-tcp', { subject, saw: 'The resolver responds over TCP.' })
  const { host, port } = readServer(subject)
  const says = `Allow TCP to port ${port} of the resolver, in its settings and in firewalls.`
  const lines = [`dig +tcp @${host} -p ${port} org SOA`, 'do-tcp: yes']
  return fail('dns-tcp', { subject, saw: `The resolver does not respond over TCP: ${describe(heard)}.`, says, lines })
}

async function judgeSpeed(subject: string): Promise<Finding> {
  const times: number[] = []
  for (let n = 0; n < SPEED_TRIES; n += 1) {
    const heard = await askServer(subject, SIGNED)
    if (heard.kind === 'answer') times.push(heard.ms)
  }
  // The fastest response: slower ones measure the load of this host.
  const quickest = Math.min(...times)
  if (times.length < SPEED_TRIES) {
    const saw = `The resolver responded to ${times.length} of ${SPEED_TRIES} queries.`
    return warn('dns-speed', {
      subject,
      saw,
      says: 'Packets are lost on the way to the resolver. Use a resolver on this host.',
      lines: UNBOUND,
    })
  }
  const saw = `A cached response took ${quickest.toFixed(1)} ms.`
  if (quickest <= SLOW_MS) return pass('dns-speed', { subject, saw })
  return warn('dns-speed', {
    subject,
    saw,
    says: 'Use a closer resolver, ideally one on this host.',
    lines: UNBOUND,
  })
}

export function judgeOwner(subject: string): Finding {
  const { host } = readServer(subject)
  const owner = Object.entries(PUBLIC_RESOLVERS).find(([, addresses]) => addresses.includes(host))?.[0]
  if (owner === undefined) return pass('own-resolver', { subject, saw: 'The resolver is not a known public resolver.' })
  const says = 'Run your own recursive resolver.'
  return warn('own-resolver', {
    subject,
    saw: `The resolver is the public resolver of ${owner}.`,
    says,
    lines: UNBOUND,
  })
}
