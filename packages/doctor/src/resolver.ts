import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { connect, isIPv6 } from 'node:net'
import type { Finding } from '@probity/contract/constants/operators'
import type { ResolverNames } from '@probity/engine/domain/data/known-domains'
import { checkServer } from '@probity/engine/domain/resolver-check'
import { type CheckContext, fail, pass, unknown, warn } from './check.ts'
import { PUBLIC_RESOLVERS } from './data/public-resolvers.ts'

const RCODES = { noerror: 0, servfail: 2, nxdomain: 3, refused: 5 } as const
const TYPES = { a: 1, soa: 6 } as const

/** Signed since 2010, and every resolver has it in its cache. */
const SIGNED = { name: 'org', type: TYPES.soa }
/** Deliberately signed incorrectly by its operator, to test validators. */
const WRONGLY_SIGNED = { name: 'dnssec-failed.org', type: TYPES.a }
/** A cache on the same host responds within 1 to 2 ms, one in the same network within 10 ms. */
const SLOW_MS = 50
const SPEED_TRIES = 5

/** Checks each configured resolver. */
export async function examineResolvers(
  context: Pick<CheckContext, 'dnsServers' | 'resolverNames'>,
): Promise<Finding[]> {
  const { dnsServers, resolverNames } = context
  if (dnsServers.length === 0) {
    const says = 'Set a resolver. An Unbound on this host is recommended.'
    const saw = 'PROBITY_DNS_SERVERS is not set, and the system has no resolver.'
    return [fail('resolver-answers', { saw, says, lines: ['PROBITY_DNS_SERVERS=127.0.0.1'] })]
  }
  return (await Promise.all(dnsServers.map((server) => examineResolver(server, resolverNames)))).flat()
}

async function examineResolver(server: string, names: ResolverNames): Promise<Finding[]> {
  const first = await queryServer(server, SIGNED)
  if (first.kind !== 'answer' || first.rcode !== RCODES.noerror) {
    return [judgeRefusal(server, first), judgeOwner(server)]
  }
  const answers = pass('resolver-answers', {
    subject: server,
    saw: `The resolver responded in ${Math.round(first.ms)} ms.`,
  })
  const found = [judgeHonesty(server, names), judgeValidation(server), judgeTcp(server), judgeSpeed(server)]
  return [answers, ...(await Promise.all(found)), judgeOwner(server)]
}

const UNBOUND = ['apt-get install unbound', 'systemctl enable --now unbound', 'PROBITY_DNS_SERVERS=127.0.0.1']

/** The resolver did not respond, or does not resolve a public name. */
function judgeRefusal(subject: string, reply: DnsReply): Finding {
  if (reply.kind === 'answer') {
    const saw = `A query for ${SIGNED.name} failed: ${describe(reply)}.`
    const says =
      'The resolver does not resolve public names, or does not serve this host. Use a full recursive resolver.'
    return fail('resolver-answers', { subject, saw, says, lines: UNBOUND })
  }
  const says = 'Check that the resolver is running and accepts queries from this host, or run one on this host.'
  return fail('resolver-answers', {
    subject,
    saw: `The resolver did not respond: ${describe(reply)}.`,
    says,
    lines: UNBOUND,
  })
}

function describe(reply: DnsReply): string {
  if (reply.kind === 'silent') return 'no response within 3 seconds'
  if (reply.kind === 'failed') return reply.why
  const name = Object.entries(RCODES).find(([, code]) => code === reply.rcode)?.[0]
  return `response code ${name?.toUpperCase() ?? reply.rcode}`
}

/** The check on which workers rely before an address ends invalid. */
async function judgeHonesty(subject: string, names: ResolverNames): Promise<Finding> {
  const faults = await checkServer(subject, names)
  if (faults.length === 0) {
    const saw = 'Nonexistent names return NXDOMAIN, and large mail domains have mail servers.'
    return pass('resolver-honest', { subject, saw })
  }
  if (faults.some(({ kind }) => kind === 'invented')) {
    const saw = 'A query for a nonexistent name returned another response than NXDOMAIN.'
    const says = 'The resolver rewrites NXDOMAIN responses, as some internet providers do. Use another resolver.'
    return fail('resolver-honest', { subject, saw, says, lines: UNBOUND })
  }
  const denied = faults.filter(({ kind }) => kind === 'unresolved').map(({ name }) => name)
  if (denied.length > 0) {
    const saw = `The resolver denies names that exist: ${denied.join(', ')}.`
    const says = 'Use a resolver that neither filters names nor belongs to a captive portal.'
    return fail('resolver-honest', { subject, saw, says, lines: UNBOUND })
  }
  const saw = `Queries failed: ${faults.map(({ name, saw: failure }) => `${name} (${failure})`).join(', ')}.`
  return unknown('resolver-honest', { subject, saw, says: 'Check why the resolver fails, then run the checks again.' })
}

async function judgeValidation(subject: string): Promise<Finding> {
  const [good, bad] = await Promise.all([queryServer(subject, SIGNED), queryServer(subject, WRONGLY_SIGNED)])
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
  const reply = await queryServer(subject, { ...SIGNED, overTcp: true })
  if (reply.kind === 'answer') return pass('dns-tcp', { subject, saw: 'The resolver responds over TCP.' })
  const { host, port } = readServer(subject)
  const says = `Allow TCP to port ${port} of the resolver, in its settings and in firewalls.`
  const lines = [`dig +tcp @${host} -p ${port} org SOA`, 'do-tcp: yes']
  return fail('dns-tcp', { subject, saw: `The resolver does not respond over TCP: ${describe(reply)}.`, says, lines })
}

async function judgeSpeed(subject: string): Promise<Finding> {
  const times: number[] = []
  for (let n = 0; n < SPEED_TRIES; n += 1) {
    const reply = await queryServer(subject, SIGNED)
    if (reply.kind === 'answer') times.push(reply.ms)
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

/** The header of a DNS response. Node's resolver does not expose the AD flag, so the query is sent by hand. */
type DnsReply =
  | { kind: 'answer'; rcode: number; isValidated: boolean; isCutShort: boolean; records: number; ms: number }
  | { kind: 'silent' }
  | { kind: 'failed'; why: string }

type DnsQuery = { name: string; type: number; overTcp?: boolean; timeoutMs?: number }

const TIMEOUT_MS = 3_000
const DNS_PORT = 53

/** Sends one query to one resolver over UDP or TCP, without a retry, so that packet loss is visible. */
function queryServer(server: string, { name, type, overTcp = false, timeoutMs = TIMEOUT_MS }: DnsQuery) {
  const id = randomInt(65_536)
  const message = encodeQuery(id, name, type)
  const address = readServer(server)
  return overTcp ? queryByTcp(address, message, timeoutMs) : queryByUdp(address, message, timeoutMs)
}

type ServerAddress = { host: string; port: number }

/** `address`, `address:port` or `[address]:port`. */
export function readServer(server: string): ServerAddress {
  const [, literal, port] = /^\[(.+)\](?::(\d+))?$/.exec(server) ?? []
  if (literal !== undefined) return { host: literal, port: Number(port ?? DNS_PORT) }
  if (isIPv6(server)) return { host: server, port: DNS_PORT }
  const [host = '', own] = server.split(':')
  return { host, port: Number(own ?? DNS_PORT) }
}

function queryByUdp({ host, port }: ServerAddress, message: Buffer, timeoutMs: number): Promise<DnsReply> {
  const began = performance.now()
  return new Promise((resolve) => {
    const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4')
    const end = (heard: DnsReply) => {
      clearTimeout(timer)
      socket.close()
      resolve(heard)
    }
    const timer = setTimeout(() => end({ kind: 'silent' }), timeoutMs)
    socket.once('error', ({ message: why }) => end({ kind: 'failed', why }))
    socket.on('message', (answer) => {
      if (isReplyTo(message, answer)) end(decodeReply(answer, began))
    })
    // A connected socket accepts datagrams from the resolver only, and reports a closed port.
    socket.connect(port, host, () => socket.send(message))
  })
}

function queryByTcp({ host, port }: ServerAddress, message: Buffer, timeoutMs: number): Promise<DnsReply> {
  const began = performance.now()
  return new Promise((resolve) => {
    let heard = Buffer.alloc(0)
    const socket = connect({ host, port, autoSelectFamily: false })
    const end = (answer: DnsReply) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(answer)
    }
    const timer = setTimeout(() => end({ kind: 'silent' }), timeoutMs)
    socket.on('error', ({ message: why }) => end({ kind: 'failed', why }))
    socket.on('end', () => end({ kind: 'failed', why: 'the resolver closed the connection' }))
    socket.on('data', (bytes) => {
      heard = Buffer.concat([heard, bytes])
      const answer = heard.subarray(2)
      if (heard.length < 2 || answer.length < heard.readUInt16BE(0)) return
      end(
        isReplyTo(message, answer)
          ? decodeReply(answer, began)
          : { kind: 'failed', why: 'the response has another query id' },
      )
    })
    const length = Buffer.alloc(2)
    length.writeUInt16BE(message.length, 0)
    socket.write(Buffer.concat([length, message]))
  })
}

const HEADER_LENGTH = 12
const RECURSION_DESIRED = 0x0100
/** RFC 6840 §5.7: set in a query, it requests the AD flag in the response. */
const AUTHENTIC = 0x0020
const CUT_SHORT = 0x0200

function encodeQuery(id: number, name: string, type: number): Buffer {
  const header = Buffer.alloc(HEADER_LENGTH)
  header.writeUInt16BE(id, 0)
  header.writeUInt16BE(RECURSION_DESIRED | AUTHENTIC, 2)
  header.writeUInt16BE(1, 4)
  const labels = name === '' ? [] : name.split('.')
  const parts = labels.map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, 'latin1')]))
  return Buffer.concat([header, ...parts, Buffer.from([0, 0, type, 0, 1])])
}

function isReplyTo(question: Buffer, answer: Buffer): boolean {
  return answer.length >= HEADER_LENGTH && answer.readUInt16BE(0) === question.readUInt16BE(0)
}

function decodeReply(answer: Buffer, began: number): DnsReply {
  const flags = answer.readUInt16BE(2)
  return {
    kind: 'answer',
    rcode: flags & 0x000f,
    isValidated: (flags & AUTHENTIC) !== 0,
    isCutShort: (flags & CUT_SHORT) !== 0,
    records: answer.readUInt16BE(6),
    ms: performance.now() - began,
  }
}
