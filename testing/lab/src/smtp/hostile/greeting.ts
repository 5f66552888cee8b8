import { randomBytes } from 'node:crypto'
import type { Behaviours } from './behaviour.ts'
import { honestBut } from './honest.ts'
import { drip, pour, type Visit } from './session.ts'

/** All floods send this buffer, so that a thousand connections use no more memory than one. */
const LETTERS = Buffer.alloc(65_536, 'x')
const CONTINUED = Buffer.from('220-and another thing\r\n'.repeat(2_000))
/** A handshake_failure alert (RFC 8446 §6), as sent by a server that expects TLS from the first byte on. */
const TLS_ALERT = Buffer.from('15030300020228', 'hex')

/** Sends this greeting and closes the connection. */
function greetsAndLeaves(bytes: string | Uint8Array) {
  return ({ send, socket }: Visit) => {
    send(bytes)
    socket.end()
  }
}

/** Behaviors in place of a proper greeting. */
export const GREETING: Behaviours = {
  'greeting-drips': {
    about: 'Sends its greeting at one byte per unit of time, and the line never ends.',
    expected: 'timeout',
    act: async (visit) => {
      await drip(visit, Buffer.from('220 '), 1)
      while (!visit.isOver()) await drip(visit, LETTERS, 1)
    },
  },
  'greeting-huge': {
    about: 'Greets with a line of ten megabytes.',
    expected: 'server_error',
    act: async (visit) => {
      visit.send('220 ')
      await pour(visit, LETTERS, 160)
      visit.send('\r\n')
    },
  },
  'greeting-unended': {
    about: 'Greets without an end of line and then waits.',
    expected: 'timeout',
    act: ({ send }) => send('220 mx.hostile.example ESMTP'),
  },
  'greeting-lf': {
    about: 'Ends the lines of its greeting with LF alone; all else is in order.',
    expected: '',
    act: honestBut({ banner: ({ send }) => send('220-mx.hostile.example\n220 ESMTP\n') }),
  },
  'greeting-endless': {
    about: 'Announces with every line of its greeting that another follows, for ever.',
    expected: 'server_error',
    act: (visit) => pour(visit, CONTINUED, Number.POSITIVE_INFINITY),
  },
  'greeting-554': {
    about: 'Greets with a bare 554.',
    expected: 'server_error',
    act: greetsAndLeaves('554 mx.hostile.example\r\n'),
  },
  'greeting-blocked': {
    about: 'Greets with 554 and the word that our address is on a block list.',
    expected: 'blocked',
    act: greetsAndLeaves('554 5.7.1 Connection refused: your IP address is blocked for its poor reputation\r\n'),
  },
  'greeting-unknown-user': {
    about: 'Greets with the very words that mean an unknown mailbox at RCPT.',
    expected: ['server_error', 'blocked', 'policy_rejected'],
    act: greetsAndLeaves('550 5.1.1 User unknown\r\n'),
  },
  'greeting-421': {
    about: 'Greets with 421, since it is about to shut down.',
    expected: 'server_error',
    act: greetsAndLeaves('421 4.3.2 mx.hostile.example Service not available, closing transmission channel\r\n'),
  },
  'greeting-busy': {
    about: 'Greets with 421, since there are too many connections from us.',
    expected: 'rate_limited',
    act: greetsAndLeaves('421 4.7.0 Too many concurrent connections from your host, try again later\r\n'),
  },
  'greeting-binary': {
    about: 'Greets with random bytes, some lines of them.',
    expected: 'server_error',
    act: ({ send }) => {
      for (let n = 0; n < 8; n++) send(Buffer.concat([Buffer.from([0xff]), randomBytes(200), Buffer.from('\r\n')]))
    },
  },
  'greeting-bom': {
    about: 'Puts a byte order mark before its greeting.',
    expected: 'server_error',
    act: honestBut({ banner: '\uFEFF220 mx.hostile.example ESMTP' }),
  },
  'greeting-http': {
    about: 'Is a web server.',
    expected: 'server_error',
    act: greetsAndLeaves('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'),
  },
  'greeting-tls': {
    about: 'Expects TLS from the first byte on, and says so in TLS.',
    expected: 'server_error',
    act: greetsAndLeaves(TLS_ALERT),
  },
  'greeting-and-more': {
    about:
      'Greets and answers EHLO in the same breath, before it was sent one; the second answer to it is one too many.',
    expected: 'server_error',
    act: honestBut({ banner: ({ say }) => say('220 mx.hostile.example ESMTP\n250 mx.hostile.example') }),
  },
}
