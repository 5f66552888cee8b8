import { duplexPair } from 'node:stream'
import { createSecureContext, type SecureContext, type SecureContextOptions, TLSSocket } from 'node:tls'
import { makeCertificate, makeEndlessChain } from '../../certificates.ts'
import type { Behaviours } from './behaviour.ts'
import { honestBut, listen, type Oddities } from './honest.ts'
import { moveVisit, type Visit } from './session.ts'

const GO_AHEAD = '220 2.0.0 Ready to start TLS'

/**
 * A client that gives up reports the TLS error; a client that retries without TLS learns that it is required. Neither
 * learns about the mailbox.
 */
const WITHOUT_TLS = ['server_error', 'policy_rejected']

/** Replies to recipients only after encryption: otherwise a prober has no reason to send STARTTLS. */
function demandsTls(startTls: Oddities['STARTTLS']): (visit: Visit) => Promise<void> {
  return honestBut({
    capabilities: ['PIPELINING', 'STARTTLS'],
    MAIL: '530 5.7.0 Must issue a STARTTLS command first',
    ...(startTls !== undefined && { STARTTLS: startTls }),
  })
}

/**
 * Continues over TLS, as an honest server would. The options are created on first use, since creating keys takes time.
 */
function inTls(makeOptions: () => SecureContextOptions, goAhead = GO_AHEAD) {
  const contextOf = once(makeOptions)
  return async (visit: Visit) => {
    visit.lines.letGo()
    visit.say(goAhead)
    const socket = new TLSSocket(visit.socket, { isServer: true, secureContext: contextOf() })
    socket.on('error', () => visit.socket.destroy()) // most of these handshakes fail on purpose
    await listen(moveVisit(visit, socket), {})
  }
}

/** Sends the first record of its side of the handshake and holds back the rest. */
function stallsAfterHello() {
  const contextOf = once(() => makeCertificate({ name: 'mx.tls-stalls.hostile.example' }))
  return (visit: Visit) => {
    visit.lines.letGo()
    visit.say(GO_AHEAD)
    const [near, far] = duplexPair()
    const server = new TLSSocket(near, { isServer: true, secureContext: contextOf() })
    server.on('error', () => {}) // the handshake ends when the client times out
    far.once('data', (bytes: Buffer) => visit.send(bytes.subarray(0, 5 + bytes.readUInt16BE(3))))
    visit.socket.pipe(far)
    visit.socket.once('close', () => server.destroy())
  }
}

function hangsUp({ lines, say, socket }: Visit): void {
  lines.letGo() // the next bytes are a handshake, not a command
  say(GO_AHEAD)
  socket.resume().end()
}

function once(makeOptions: () => SecureContextOptions): () => SecureContext {
  let context: SecureContext | undefined
  return () => (context ??= createSecureContext(makeOptions()))
}

/** Failures between STARTTLS and an encrypted session. */
export const STARTTLS: Behaviours = {
  'tls-injected': {
    about:
      'Sends plain text along with its leave to start TLS, to be taken for what is said inside, where all is in order.',
    expected: 'server_error',
    act: demandsTls(
      inTls(
        () => makeCertificate({ name: 'mx.tls-injected.hostile.example' }),
        `${GO_AHEAD}\n250 mx.hostile.example\n250 2.1.0 Ok\n250 2.1.5 Ok`,
      ),
    ),
  },
  'tls-garbage': {
    about: 'Answers the handshake with what is no TLS.',
    expected: WITHOUT_TLS,
    act: demandsTls((visit) => {
      visit.lines.letGo()
      visit.say(GO_AHEAD)
      visit.socket.once('data', () => visit.send(Buffer.alloc(4_096, 'HTTP/1.1 400 Bad Request\r\n')))
      visit.socket.resume()
    }),
  },
  'tls-stalls': {
    about: 'Begins the handshake and stops after its first record.',
    expected: ['timeout', 'policy_rejected'],
    act: demandsTls(stallsAfterHello()),
  },
  'tls-self-signed': {
    about: 'Presents a self-signed certificate that is otherwise valid.',
    expected: '',
    act: demandsTls(inTls(() => makeCertificate({ name: 'mx.tls-self-signed.hostile.example' }))),
  },
  'tls-expired': {
    about: 'Shows a certificate that ran out years ago; all else is in order.',
    expected: '',
    act: demandsTls(
      inTls(() =>
        makeCertificate({
          name: 'mx.tls-expired.hostile.example',
          from: new Date('2019-01-01'),
          until: new Date('2020-01-01'),
        }),
      ),
    ),
  },
  'tls-wrong-name': {
    about: 'Shows the certificate of another host; all else is in order.',
    expected: '',
    act: demandsTls(inTls(() => makeCertificate({ name: 'mx.elsewhere.example' }))),
  },
  'tls-endless-chain': {
    about: 'Shows a megabyte of certificates.',
    expected: WITHOUT_TLS,
    act: demandsTls(inTls(() => makeEndlessChain('mx.tls-endless-chain.hostile.example'))),
  },
  'tls-outdated': {
    about: 'Speaks no TLS newer than 1.0.',
    expected: WITHOUT_TLS,
    act: demandsTls(
      inTls(() => ({
        ...makeCertificate({ name: 'mx.tls-outdated.hostile.example' }),
        minVersion: 'TLSv1',
        maxVersion: 'TLSv1',
        ciphers: 'DEFAULT@SECLEVEL=0',
      })),
    ),
  },
  'tls-hangs-up': {
    about: 'Gives leave to start TLS and hangs up.',
    expected: WITHOUT_TLS,
    act: demandsTls(hangsUp),
  },
  'tls-unavailable': {
    about: 'Demands TLS and has none at the moment.',
    expected: WITHOUT_TLS,
    act: demandsTls('454 4.7.0 TLS not available due to temporary reason'),
  },
  'tls-offered-broken': {
    about: 'Offers TLS that does not work, and answers truly without it.',
    expected: '',
    act: honestBut({
      capabilities: ['PIPELINING', 'STARTTLS'],
      STARTTLS: hangsUp,
    }),
  },
}
