/** One code of RFC 3463 or RFC 5321, an x for any number or digit. `seen` is a line that it comes in, which the test feeds back. */
type BounceCode = { code: string; counts: boolean; why: string; seen: string }

/**
 * Which bounces tell of the mailbox. The first row that fits decides, and an enhanced code comes before a plain one: it was added
 * since the plain ones say too little. What tells of the sender, of the message or of the moment says nothing of the mailbox, and
 * counting it would turn a blocked sender's addresses into bad ones.
 */
export const BOUNCE_CODES: BounceCode[] = [
  { code: '5.1.1', counts: true, why: 'There is no such mailbox.', seen: '550 5.1.1 User unknown' },
  { code: '5.1.2', counts: true, why: 'There is no such domain.', seen: '550 5.1.2 Host unknown' },
  {
    code: '5.1.3',
    counts: true,
    why: 'No mailbox can have such an address.',
    seen: '501 5.1.3 Bad recipient address syntax',
  },
  {
    code: '5.1.6',
    counts: true,
    why: 'The mailbox has moved, and mail to its old address comes back.',
    seen: '551 5.1.6 Mailbox has moved, no forwarding address',
  },
  {
    code: '5.1.10',
    counts: true,
    why: 'The domain takes no mail (RFC 7505), or says that there is no such mailbox, as Exchange Online does.',
    seen: '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup',
  },
  {
    code: '5.1.x',
    counts: false,
    why: 'Other faults of addresses may be those of the sender.',
    seen: '550 5.1.8 Bad sender',
  },
  { code: '5.2.1', counts: true, why: 'The mailbox is switched off.', seen: '550 5.2.1 Mailbox disabled' },
  { code: '5.2.2', counts: false, why: 'A full mailbox exists.', seen: '552 5.2.2 Over quota' },
  {
    code: '5.2.x',
    counts: false,
    why: 'The mailbox exists, and refused this message.',
    seen: '554 5.2.0 Message refused',
  },
  {
    code: '5.7.x',
    counts: false,
    why: 'The sender or the message is refused; whoever else writes may be let in.',
    seen: '550 5.7.1 Service unavailable, client host [192.0.2.1] blocked',
  },
  {
    code: '5.x.x',
    counts: false,
    why: 'The mail system, the network, the protocol or the message failed.',
    seen: '550 5.4.1 Recipient address rejected: Access denied',
  },
  { code: '4.x.x', counts: false, why: 'Only for now.', seen: '452 4.2.2 Mailbox full, try again later' },
  { code: '2.x.x', counts: false, why: 'Accepted.', seen: '250 2.1.5 OK' },
  { code: '551', counts: true, why: 'The user is not there any more.', seen: '551 User not local' },
  {
    code: '550',
    counts: false,
    why: 'Means a missing mailbox and a refused sender alike.',
    seen: '550 Requested action not taken',
  },
  { code: '5xx', counts: false, why: 'As little as 550, or less.', seen: '554 Transaction failed' },
  { code: '4xx', counts: false, why: 'Only for now.', seen: '421 Try again later' },
]
