/** One code of RFC 3463 or RFC 5321; an x matches any number or digit. `seen` is an example line, which the test parses. */
type BounceCode = { code: string; counts: boolean; why: string; seen: string }

/**
 * Bounce codes that concern the mailbox. The first matching row decides, and an enhanced code takes precedence over a basic one, which
 * is less specific. Codes about the sender, the message or a temporary condition do not concern the mailbox: if they counted, all
 * addresses of a blocked sender would look undeliverable.
 */
export const BOUNCE_CODES: BounceCode[] = [
  { code: '5.1.1', counts: true, why: 'The mailbox does not exist.', seen: '550 5.1.1 User unknown' },
  { code: '5.1.2', counts: true, why: 'The domain does not exist.', seen: '550 5.1.2 Host unknown' },
  {
    code: '5.1.3',
    counts: true,
    why: 'The address is not valid for any mailbox.',
    seen: '501 5.1.3 Bad recipient address syntax',
  },
  {
    code: '5.1.6',
    counts: true,
    why: 'The mailbox has moved, and mail to its old address bounces.',
    seen: '551 5.1.6 Mailbox has moved, no forwarding address',
  },
  {
    code: '5.1.10',
    counts: true,
    why: 'The domain does not accept mail (RFC 7505), or the mailbox does not exist (Exchange Online).',
    seen: '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup',
  },
  {
    code: '5.1.x',
    counts: false,
    why: 'Other address errors may concern the sender address.',
    seen: '550 5.1.8 Bad sender',
  },
  { code: '5.2.1', counts: true, why: 'The mailbox is disabled.', seen: '550 5.2.1 Mailbox disabled' },
  { code: '5.2.2', counts: false, why: 'The mailbox exists but is full.', seen: '552 5.2.2 Over quota' },
  {
    code: '5.2.x',
    counts: false,
    why: 'The mailbox exists but rejected this message.',
    seen: '554 5.2.0 Message refused',
  },
  {
    code: '5.7.x',
    counts: false,
    why: 'The sender or the message was rejected. Other senders may be accepted.',
    seen: '550 5.7.1 Service unavailable, client host [192.0.2.1] blocked',
  },
  {
    code: '5.x.x',
    counts: false,
    why: 'The mail system, the network, the protocol or the message failed.',
    seen: '550 5.4.1 Recipient address rejected: Access denied',
  },
  { code: '4.x.x', counts: false, why: 'Temporary failure.', seen: '452 4.2.2 Mailbox full, try again later' },
  { code: '2.x.x', counts: false, why: 'Accepted.', seen: '250 2.1.5 OK' },
  { code: '551', counts: true, why: 'The user is no longer at this server.', seen: '551 User not local' },
  {
    code: '550',
    counts: false,
    why: 'Used both for missing mailboxes and for rejected senders.',
    seen: '550 Requested action not taken',
  },
  { code: '5xx', counts: false, why: 'Not conclusive, like 550.', seen: '554 Transaction failed' },
  { code: '4xx', counts: false, why: 'Temporary failure.', seen: '421 Try again later' },
]
