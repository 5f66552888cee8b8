import { randomBytes } from 'node:crypto'
import { pathIn } from '../lines.ts'
import type { Behaviours } from './behaviour.ts'
import { answerTruly, honestBut } from './honest.ts'
import { pour, type Visit } from './session.ts'

const LETTERS = Buffer.alloc(65_536, 'x')
/** The greylisting delay: long enough that no test retries in time by accident. */
const GREYLIST_UNITS = 86_400
const BLUE = '\x1b[34m'
const CLEAR_SCREEN = '\x1b[2J\x1b]0;pwned\x07'

/** Sends this reply for `someone`, and honest replies for other recipients. */
function ofSomeone(reply: string) {
  return ({ say }: Visit, line: string) => say(answerTruly(line).startsWith('2') ? reply : answerTruly(line))
}

function greylist({ memory, unitMs, socket, say }: Visit, line: string): void {
  const triplet = `${socket.remoteAddress} ${pathIn(line)}`
  const first = memory.get(triplet) ?? Date.now()
  memory.set(triplet, first)
  const hasWaited = Date.now() - first >= GREYLIST_UNITS * unitMs
  say(hasWaited ? answerTruly(line) : '451 4.7.1 Greylisted, please come back later')
}

/** Misleading or broken replies to RCPT. */
export const RECIPIENTS: Behaviours = {
  'mail-unknown-user': {
    about: 'Refuses our sender with the very words that mean an unknown mailbox at RCPT.',
    expected: ['blocked', 'policy_rejected', 'server_error'],
    act: honestBut({ MAIL: '550 5.1.1 User unknown' }),
  },
  'mail-blocked': {
    about: 'Refuses us at MAIL, by the name of a block list.',
    expected: 'blocked',
    act: honestBut({
      MAIL: '550 5.7.1 Mail from your IP address is refused, see dnsbl.example for the blacklist entry',
    }),
  },
  'rcpt-all-accepted': {
    about: 'Accepts every recipient.',
    expected: 'catch_all',
    act: honestBut({ RCPT: '250 2.1.5 Ok' }),
  },
  'rcpt-all-unknown': {
    about: 'Rejects every recipient as unknown.',
    expected: 'mailbox_not_found',
    act: honestBut({ RCPT: '550 5.1.1 Recipient address rejected: User unknown' }),
  },
  'rcpt-all-refused': {
    about: 'Refuses every recipient with the same words, which say nothing of mailboxes.',
    expected: ['blocked', 'policy_rejected'],
    act: honestBut({ RCPT: '550 Denied' }),
  },
  'rcpt-all-blocked': {
    about: 'Refuses every recipient since our address is on a block list.',
    expected: 'blocked',
    act: honestBut({ RCPT: '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using dnsbl.example' }),
  },
  'rcpt-greylisted': {
    about: 'Puts every newcomer off, and tells the truth a day later.',
    expected: 'greylisted',
    act: honestBut({ RCPT: greylist }),
  },
  'rcpt-421': {
    about: 'Shuts down just when it is asked for a recipient.',
    expected: 'server_error',
    act: honestBut({
      RCPT: ({ say, socket }) => {
        say('421 4.3.2 Service shutting down and closing transmission channel')
        socket.end()
      },
    }),
  },
  'rcpt-full': {
    about: 'Has the mailbox, without room in it.',
    expected: 'mailbox_full',
    act: honestBut({ RCPT: ofSomeone('552 5.2.2 Mailbox full, quota exceeded') }),
  },
  'rcpt-policy': {
    about: 'Has the mailbox, and a rule against us.',
    expected: 'policy_rejected',
    act: honestBut({ RCPT: ofSomeone('550 5.7.1 Delivery not authorized, message refused by recipient policy') }),
  },
  'rcpt-random': {
    about: 'Answers recipients with random bytes.',
    expected: 'server_error',
    act: honestBut({
      RCPT: ({ send }) => send(Buffer.concat([Buffer.from([0xfe]), randomBytes(60), Buffer.from('\r\n')])),
    }),
  },
  'rcpt-never': {
    about: 'Takes the sender and never answers for a recipient.',
    expected: 'timeout',
    act: honestBut({ RCPT: () => {} }),
  },
  'rcpt-hangs-up': {
    about: 'Hangs up at the first recipient, without a word.',
    expected: 'server_error',
    act: honestBut({ RCPT: ({ socket }) => void socket.end() }),
  },
  'rcpt-hangs-up-later': {
    about:
      'Answers one recipient on every connection and hangs up at the next, so that two of them take two connections.',
    expected: '',
    act: honestBut({
      RCPT: ({ asked, say, socket }, line) => {
        if (asked === 1) say(answerTruly(line))
        else socket.end()
      },
    }),
  },
  'rcpt-tarpit': {
    about: 'Tells the truth, later with every recipient: five units of time for the first, ten for the second.',
    expected: '',
    act: honestBut({
      RCPT: async ({ wait, say, asked }, line) => {
        await wait(5 * asked)
        say(answerTruly(line))
      },
    }),
  },
  'rcpt-252': {
    about: 'Cannot tell whether there is such a mailbox, and would try (RFC 5321 §3.5.3).',
    expected: 'provider_unverifiable',
    act: honestBut({ RCPT: '252 2.1.5 Cannot VRFY user, but will accept message and attempt delivery' }),
  },
  'rcpt-354': {
    about: 'Answers a recipient as if it were DATA.',
    expected: 'server_error',
    act: honestBut({ RCPT: '354 End data with <CR><LF>.<CR><LF>' }),
  },
  'rcpt-wordless': {
    about: 'Tells the truth in codes alone.',
    expected: '',
    act: honestBut({ RCPT: ({ say }, line) => say(answerTruly(line).startsWith('2') ? '250' : '550 5.1.1') }),
  },
  'rcpt-long': {
    about: 'Refuses with a line of 64 KiB that ends in the words for an unknown user.',
    expected: 'server_error',
    act: honestBut({
      RCPT: async (visit) => {
        visit.send('550 5.1.1 ')
        await pour(visit, LETTERS, 1)
        visit.say(' user unknown')
      },
    }),
  },
  'rcpt-escapes': {
    about: 'Says that there is no such user, in the colours and with the title of a terminal.',
    expected: 'mailbox_not_found',
    act: honestBut({ RCPT: `550 5.1.1 ${BLUE}User unknown${CLEAR_SCREEN}` }),
  },
  'rcpt-log-lines': {
    about: 'Says that there is no such user, and adds what would look like a line of its own in a log.',
    expected: 'mailbox_not_found',
    act: honestBut({ RCPT: '550-5.1.1 User unknown\r{"level":"info","msg":"accepted"}\n550 5.1.1 Subject: accepted' }),
  },
  'rcpt-refused-as-2': {
    about: 'Says that there is no such user, with an enhanced code for success.',
    expected: 'mailbox_not_found',
    act: honestBut({ RCPT: ofSomeone('550 2.1.5 User unknown') }),
  },
  'rcpt-accepted-as-5': {
    about: 'Accepts the recipient, with an enhanced code for failure.',
    expected: '',
    act: honestBut({ RCPT: ofSomeone('250 5.1.1 Recipient ok') }),
  },
}
