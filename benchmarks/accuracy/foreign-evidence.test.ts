import { expect, test } from 'vitest'
import { findForeignEvidence } from './foreign-evidence.ts'
import type { Quote } from './libraries/drive.ts'
import type { Judged } from './matrix.ts'

const ADA = 'ada.lovelace@example.com'
const REPLIES = {
  [ADA]: [
    '450 4.2.0 <ada.lovelace@example.com>: Greylisted for 2 seconds',
    '550-5.1.1 The email account <ada.lovelace@example.com>\r\n550 5.1.1 does not exist. NoSuchUser',
  ],
}

function judge(email: string, quotes: Quote[]): Judged {
  return {
    email,
    exists: 'no',
    behaviour: 'gmail',
    expected: { verdicts: [], truthful: true, knowable: true },
    answer: { verdict: 'invalid', quotes },
  }
}

test.each<[string, string, Quote[], number]>([
  ['quotes no reply', 'grace@example.com', [], 0],
  [
    'quotes the lines of its own reply',
    ADA,
    [{ reply: '550 5.1.1 The email account <address> does not exist. NoSuchUser', isControl: false }],
    0,
  ],
  [
    'quotes an earlier reply of its own',
    ADA,
    [{ reply: '450 4.2.0 <address>: Greylisted for 2 seconds', isControl: false }],
    0,
  ],
  [
    'quotes a reply that it did not get',
    ADA,
    [{ reply: '554 5.7.1 <address>: Relay access denied', isControl: false }],
    1,
  ],
  [
    'has the text of its own reply with another code',
    ADA,
    [{ reply: '554 5.1.1 The email account <address> does not exist. NoSuchUser', isControl: false }],
    1,
  ],
  ['quotes a reply although nothing was sent', 'grace@example.com', [{ reply: '250 2.1.5 Ok', isControl: false }], 1],
  [
    'quotes the reply to a control recipient',
    ADA,
    [{ reply: '450 4.2.0 <address>: Greylisted for 2 seconds', isControl: true }],
    1,
  ],
])('a result that %s', (_, email, quotes, count) => {
  expect(findForeignEvidence([judge(email, quotes)], { commands: 0, replies: REPLIES })).toHaveLength(count)
})
