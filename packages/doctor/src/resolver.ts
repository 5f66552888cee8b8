import { randomBytes } from 'node:crypto'
import type { Finding } from '@probity/contract/doctor'
import { PUBLIC_RESOLVERS } from './data/public-resolvers.ts'
import { fail, pass, unknown, warn } from './finding.ts'
import type { Patient } from './patient.ts'
import { askServer, type Heard, RCODES, readServer, TYPES } from './question.ts'

/** Signed since 2010, and every resolver has it in its cache. */
const SIGNED = { name: 'org', type: TYPES.soa }
/** Signed wrongly on purpose, by those who run it, so that validators can be told from others. */
const WRONGLY_SIGNED = { name: 'dnssec-failed.org', type: TYPES.a }
/** A cache beside the worker answers within a millisecond or two; one in the same network within ten. */
const SLOW_MS = 50
const SPEED_TRIES = 5

/** How the resolvers are that everything is looked up with. */
export async function examineResolvers({ dnsServers }: Pick<Patient, 'dnsServers'>): Promise<Finding[]> {
  if (dnsServers.length === 0) {
    const says = 'Set the resolvers to ask; an Unbound on this host is what the worker is made for.'
    const saw = 'No resolver is set, and the system has none.'
    return [fail('resolver-answers', { saw, says, lines: ['DNS_SERVERS=127.0.0.1'] })]
  }
  return (await Promise.all(dnsServers.map(examineResolver))).flat()
}

async function examineResolver(server: string): Promise<Finding[]> {
  const first = await askServer(server, SIGNED)
  if (first.kind !== 'answer' || first.rcode !== RCODES.noerror) {
    return [judgeRefusal(server, first), judgeOwner(server)]
  }
  const answers = pass('resolver-answers', { subject: server, saw: `It answered in ${Math.round(first.ms)} ms.` })
  const found = [judgeHonesty(server), judgeValidation(server), judgeTcp(server), judgeSpeed(server)]
  return [answers, ...(await Promise.all(found)), judgeOwner(server)]
}

const UNBOUND = ['apt-get install unbound', 'systemctl enable --now unbound', 'DNS_SERVERS=127.0.0.1']

/** It said nothing, or not what everybody knows. */
function judgeRefusal(subject: string, heard: Heard): Finding {
  if (heard.kind === 'answer') {
    const saw = `Asked for ${SIGNED.name}, which is there, ${describe(heard)}.`
    const says = 'It knows a network of its own and not the world, or does not answer everybody. Ask one that does.'
    return fail('resolver-answers', { subject, saw, says, lines: UNBOUND })
  }
  const says = 'See that it runs and may be asked from here, or let the worker ask one on its own host.'
  return fail('resolver-answers', { subject, saw: `It did not answer: ${describe(heard)}.`, says, lines: UNBOUND })
}

function describe(heard: Heard): string {
  if (heard.kind === 'silent') return 'no answer came in three seconds'
  if (heard.kind === 'failed') return heard.why
  const name = Object.entries(RCODES).find(([, code]) => code === heard.rcode)?.[0]
  return `it said ${name?.toUpperCase() ?? `code ${heard.rcode}`}`
}

/** Names that nobody can have registered, below ends that those who rewrite answers like best. */
async function judgeHonesty(subject: string): Promise<Finding> {
  const names = ['com', 'net'].map((end) => `${randomBytes(16).toString('hex')}.${end}`)
  const heard = await Promise.all(names.map((name) => askServer(subject, { name, type: TYPES.a })))
  const answers = heard.filter((one) => one.kind === 'answer')
  if (answers.some(({ rcode, records }) => rcode === RCODES.noerror && records > 0)) {
    const saw = 'Asked for a name that does not exist, it answered with an address.'
    const says = 'It rewrites answers, as resolvers of some providers do. Ask one that does not.'
    return fail('resolver-honest', { subject, saw, says, lines: UNBOUND })
  }
  if (answers.length > 0 && answers.every(({ rcode }) => rcode === RCODES.nxdomain)) {
    return pass('resolver-honest', { subject, saw: 'It says that names do not exist which do not.' })
  }
  const saw = `Asked for names that do not exist: ${heard.map(describe).join(', ')}.`
  return unknown('resolver-honest', { subject, saw, says: 'See why it fails, and look again.' })
}

async function judgeValidation(subject: string): Promise<Finding> {
  const [good, bad] = await Promise.all([askServer(subject, SIGNED), askServer(subject, WRONGLY_SIGNED)])
  const says = 'Let it validate: with Unbound, the root key and the module "validator".'
  const lines = ['apt-get install dns-root-data', 'module-config: "validator iterator"']
  if (good.kind !== 'answer') return unknown('dnssec', { subject, saw: `It did not answer: ${describe(good)}.`, says })
  if (!good.isValidated) {
    return warn('dnssec', {
      subject,
      saw: 'It does not say of a signed name that its answer was validated.',
      says,
      lines,
    })
  }
  if (bad.kind === 'answer' && bad.rcode === RCODES.noerror && bad.records > 0) {
    const saw = `It calls answers validated, and yet gives one for ${WRONGLY_SIGNED.name}, which is signed wrongly on purpose.`
    return warn('dnssec', { subject, saw, says, lines })
  }
  return pass('dnssec', { subject, saw: 'It validates answers.' })
}

async function judgeTcp(subject: string): Promise<Finding> {
  const heard = await askServer(subject, { ...SIGNED, overTcp: true })
  if (heard.kind === 'answer') return pass('dns-tcp', { subject, saw: 'It answers over TCP too.' })
  const { host, port } = readServer(subject)
  const says = `Let TCP through to port ${port} of it, in its settings and in firewalls between.`
  const lines = [`dig +tcp @${host} -p ${port} org SOA`, 'do-tcp: yes']
  return fail('dns-tcp', { subject, saw: `It does not answer over TCP: ${describe(heard)}.`, says, lines })
}

async function judgeSpeed(subject: string): Promise<Finding> {
  const times: number[] = []
  for (let n = 0; n < SPEED_TRIES; n += 1) {
    const heard = await askServer(subject, SIGNED)
    if (heard.kind === 'answer') times.push(heard.ms)
  }
  // The quickest: the others tell how busy this host is.
  const quickest = Math.min(...times)
  if (times.length < SPEED_TRIES) {
    const saw = `Of ${SPEED_TRIES} questions it answered ${times.length}.`
    return warn('dns-speed', {
      subject,
      saw,
      says: 'Answers are lost on the way: ask a resolver on this host.',
      lines: UNBOUND,
    })
  }
  const saw = `What it knows already took ${quickest.toFixed(1)} ms.`
  if (quickest <= SLOW_MS) return pass('dns-speed', { subject, saw })
  return warn('dns-speed', {
    subject,
    saw,
    says: 'Ask a resolver that is nearer, best one on this host.',
    lines: UNBOUND,
  })
}

export function judgeOwner(subject: string): Finding {
  const { host } = readServer(subject)
  const owner = Object.entries(PUBLIC_RESOLVERS).find(([, addresses]) => addresses.includes(host))?.[0]
  if (owner === undefined)
    return pass('own-resolver', { subject, saw: 'It is none of the public resolvers that we know.' })
  const says = 'Let a resolver of your own ask the world.'
  return warn('own-resolver', { subject, saw: `It is the public resolver of ${owner}.`, says, lines: UNBOUND })
}
