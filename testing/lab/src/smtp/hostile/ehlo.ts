import type { Behaviours } from './behaviour.ts'
import { answerTruly, honestBut } from './honest.ts'
import { drip, pour, type Visit } from './session.ts'

const CAPABILITIES = Buffer.from('250-X-CAPABILITY\r\n'.repeat(1_000))

/** Sends the bytes of an honest reply, each in its own segment. */
function byteByByte(reply: string) {
  return (visit: Visit) => drip(visit, Buffer.from(`${reply}\r\n`), 0)
}

/** Holds its replies until every received command has one, then sends all of them in one segment. */
function inOneSegment(answer: (line: string) => string) {
  return async (visit: Visit, line: string) => {
    visit.held += `${answer(line)}\r\n`
    await visit.wait(1)
    if (visit.lines.waiting() > 0) return
    visit.send(visit.held)
    visit.held = ''
  }
}

/** Odd replies to the first command, or odd ways to send every reply. */
export const EHLO: Behaviours = {
  'ehlo-unknown': {
    about: 'Knows no EHLO, but HELO.',
    expected: '',
    act: honestBut({ EHLO: '502 5.5.1 Command not implemented' }),
  },
  'ehlo-endless': {
    about: 'Answers EHLO with ten thousand capabilities.',
    expected: 'server_error',
    act: honestBut({
      EHLO: async (visit) => {
        await pour(visit, CAPABILITIES, 10)
        visit.say('250 HELP')
      },
    }),
  },
  'ehlo-two-codes': {
    about: 'Begins its reply to EHLO with one code and ends it with another.',
    expected: 'server_error',
    act: honestBut({ EHLO: '250-mx.hostile.example\n550 PIPELINING' }),
  },
  'ehlo-000': {
    about: 'Answers EHLO with the code 000.',
    expected: 'server_error',
    act: honestBut({ EHLO: '000 mx.hostile.example' }),
  },
  'ehlo-999': {
    about: 'Answers EHLO with the code 999.',
    expected: 'server_error',
    act: honestBut({ EHLO: '999 mx.hostile.example' }),
  },
  'ehlo-code-only': {
    about: 'Answers EHLO with three digits and nothing else, as RFC 5321 §4.2 allows.',
    expected: '',
    act: honestBut({ EHLO: '250' }),
  },
  'ehlo-unspaced': {
    about: 'Writes code and text of its reply to EHLO as one word.',
    expected: 'server_error',
    act: honestBut({ EHLO: '250mx.hostile.example' }),
  },
  'ehlo-nul': {
    about: 'Has NUL bytes in its reply to EHLO; all else is in order.',
    expected: '',
    act: honestBut({ EHLO: '250-mx.\0hostile.example\n250 8BITMIME\0' }),
  },
  'ehlo-slow': {
    about: 'Takes 29 units of time to answer EHLO, which a patient client waits for.',
    expected: '',
    act: honestBut({
      EHLO: async ({ wait, say }) => {
        await wait(29)
        say('250 mx.hostile.example')
      },
    }),
  },
  'ehlo-never': {
    about: 'Greets and then never answers.',
    expected: 'timeout',
    act: honestBut({ EHLO: () => {}, HELO: () => {} }),
  },
  'ehlo-and-more': {
    about: 'Answers EHLO, and in the same breath accepts a sender and recipients that were not yet named.',
    expected: 'server_error',
    act: honestBut({ EHLO: '250 mx.hostile.example\n250 2.1.0 Ok\n250 2.1.5 Ok\n550 5.1.1 User unknown' }),
  },
  'ehlo-blocked': {
    about: 'Answers EHLO and HELO with the words of a block list.',
    expected: 'blocked',
    act: honestBut({
      EHLO: '554 5.7.1 Service unavailable; client host blocked using dnsbl.example',
      HELO: '554 5.7.1 Service unavailable; client host blocked using dnsbl.example',
    }),
  },
  'replies-joined': {
    about: 'Answers all commands that were sent together in one segment.',
    expected: '',
    act: honestBut({ MAIL: inOneSegment(() => '250 2.1.0 Ok'), RCPT: inOneSegment(answerTruly) }),
  },
  'replies-split': {
    about: 'Sends every byte of every reply in a segment of its own.',
    expected: '',
    act: honestBut({
      banner: byteByByte('220 mx.hostile.example ESMTP'),
      EHLO: byteByByte('250-mx.hostile.example\r\n250 PIPELINING'),
      MAIL: byteByByte('250 2.1.0 Ok'),
      RCPT: (visit, line) => byteByByte(answerTruly(line))(visit),
    }),
  },
  'replies-lf': {
    about: 'Ends every line with LF alone.',
    expected: '',
    act: honestBut({
      banner: ({ send }) => send('220 mx.hostile.example ESMTP\n'),
      EHLO: ({ send }) => send('250-mx.hostile.example\n250 PIPELINING\n'),
      MAIL: ({ send }) => send('250 2.1.0 Ok\n'),
      RCPT: ({ send }, line) => send(`${answerTruly(line)}\n`),
    }),
  },
}
