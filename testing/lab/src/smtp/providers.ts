import type { Peer, Script } from './server.ts'

/** The existing mailboxes. All scripts use it, so that a test knows the real state. */
export type Directory = { exists(recipient: string): boolean }

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1)
}

/** Outlook.com: one recipient per transaction, the first. */
export function microsoft({ exists }: Directory): Script {
  return {
    name: 'mx.olc.protection.outlook.com',
    rcpt(peer, recipient) {
      if (peer.recipients.length > 0) return '452 4.5.3 Too many recipients (AS780090)'
      return exists(recipient)
        ? '250 2.1.5 Recipient OK'
        : '550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302).'
    },
  }
}

/** Microsoft 365 with directory-based edge blocking. */
export function microsoft365({ exists }: Directory): Script {
  return {
    name: 'mx.mail.protection.outlook.com',
    rcpt: (_peer, recipient) =>
      exists(recipient)
        ? '250 2.1.5 Recipient OK'
        : '550 5.4.1 Recipient address rejected: Access denied. [mx.mail.protection.outlook.com]',
  }
}

type GoogleDirectory = Directory & { isFull?(recipient: string): boolean; isDisabled?(recipient: string): boolean }

/** Google: multiline rejections, and one domain per transaction. */
export function google({ exists, isFull = () => false, isDisabled = () => false }: GoogleDirectory): Script {
  return {
    name: 'mx.google.com',
    capabilities: ['SIZE 157286400', '8BITMIME', 'ENHANCEDSTATUSCODES', 'PIPELINING', 'SMTPUTF8'],
    rcpt(peer, recipient) {
      const [first = recipient] = peer.recipients
      if (domainOf(first) !== domainOf(recipient)) {
        return '451-4.3.0 Multiple destination domains per transaction is unsupported.\n451 4.3.0 Please try again. - gsmtp'
      }
      if (isFull(recipient)) {
        return '452-4.2.2 The recipient’s inbox is out of storage space.\n452 4.2.2 OverQuotaTemp - gsmtp'
      }
      if (isDisabled(recipient)) {
        return '550-5.2.1 The email account that you tried to reach is inactive.\n550 5.2.1 DisabledUser - gsmtp'
      }
      if (exists(recipient)) return '250 2.1.5 OK - gsmtp'
      return [
        '550-5.1.1 The email account that you tried to reach does not exist. Please try',
        '550-5.1.1 double-checking the recipient’s email address for typos or',
        '550 5.1.1 unnecessary spaces. NoSuchUser - gsmtp',
      ].join('\n')
    },
  }
}

/** GMX and related services: they disconnect after the first rejected recipient. */
export function gmx({ exists }: Directory): Script {
  return {
    name: 'gmx.net',
    errorsMax: 1,
    banner: () => '220 gmx.net (mxgmx001) Nemesis ESMTP Service ready',
    rcpt: (_peer, recipient) =>
      exists(recipient)
        ? '250 Requested mail action okay, completed'
        : { reply: '550 Requested action not taken: mailbox unavailable', thenClose: true },
  }
}

/** Yahoo: every recipient is accepted, and bounces come after the message. So it needs no directory. */
export function yahoo(): Script {
  return { name: 'mta.am0.yahoodns.net', rcpt: () => '250 recipient ok' }
}

type MimecastRules = Directory & { holdMs: number; invalidMax: number }

/**
 * Mimecast: new triplets are greylisted, and a client that probes too many unknown recipients is deferred for every
 * recipient.
 */
export function mimecast({ exists, holdMs, invalidMax }: MimecastRules): Script {
  const isHeld = holdNewcomers(holdMs)
  const countInvalid = countByAddress()
  return {
    name: 'eu-smtp-inbound-1.mimecast.com',
    rcpt(peer, recipient) {
      if (countInvalid(peer, 0) >= invalidMax) return '451 Recipient temporarily unavailable'
      if (isHeld(peer, recipient)) return '451 Internal resource temporarily unavailable'
      if (exists(recipient)) return '250 Recipient Ok'
      countInvalid(peer, 1)
      return '550 Invalid Recipient'
    },
  }
}

/** GoDaddy: a client that probes too many unknown recipients is blocked for an hour, from the greeting on. */
export function goDaddy({ exists, invalidMax }: Directory & { invalidMax: number }): Script {
  const countInvalid = countByAddress()
  const block = (peer: Peer) =>
    `554 p3plibsmtp01.prod.phx3.secureserver.net bizsmtp ${peer.address} is blocked. Too many invalid recipients. IB112`
  return {
    name: 'p3plibsmtp01.prod.phx3.secureserver.net',
    banner: (peer) =>
      countInvalid(peer, 0) >= invalidMax
        ? { reply: block(peer), thenClose: true }
        : '220 p3plibsmtp01.prod.phx3.secureserver.net bizsmtp ESMTP server ready',
    rcpt(peer, recipient) {
      if (countInvalid(peer, 0) >= invalidMax) return { reply: block(peer), thenClose: true }
      if (exists(recipient)) return '250 2.1.5 recipient ok'
      countInvalid(peer, 1)
      return '550 5.1.1 Recipient not found.'
    },
  }
}

/** Accepts one recipient per transaction and rejects the second with the reason. */
export function oneRecipient({ exists }: Directory): Script {
  return {
    rcpt: (peer, recipient) =>
      peer.recipients.length > 0 ? '452 4.5.3 only one recipient allowed' : answerPlainly(exists(recipient)),
  }
}

export function catchAll(): Script {
  return { rcpt: () => '250 2.1.5 Ok' }
}

/** Honest replies, with a growing delay for every rejected recipient. */
export function tarpit({ exists, stepMs }: Directory & { stepMs: number }): Script {
  return {
    rcpt: (peer, recipient) => ({ reply: answerPlainly(exists(recipient)), afterMs: peer.refused * stepMs }),
  }
}

/** RFC 9422: advertises the recipients per transaction in EHLO, and enforces the limit. */
export function limitedRecipients({ exists, recipientsMax = 2 }: Directory & { recipientsMax?: number }): Script {
  return {
    capabilities: ['PIPELINING', `LIMITS RCPTMAX=${recipientsMax}`],
    mail(peer) {
      peer.state['inTransaction'] = 0
      return '250 2.1.0 Ok'
    },
    rcpt(peer, recipient) {
      const nth = Number(peer.state['inTransaction']) + 1
      peer.state['inTransaction'] = nth
      return nth > recipientsMax ? '452 4.5.3 Too many recipients' : answerPlainly(exists(recipient))
    },
  }
}

/** Supports HELO only, as in RFC 821, and therefore no pipelining. */
export function heloOnly({ exists }: Directory): Script {
  return {
    ehlo: () => '500 5.5.1 Command unrecognized',
    rcpt: (_peer, recipient) => answerPlainly(exists(recipient)),
  }
}

/** Replies to a number of recipients per connection and disconnects at the next one without a reply. */
export function hangsUpAfter({ exists, recipientsMax }: Directory & { recipientsMax: number }): Script {
  return {
    rcpt: (peer, recipient) => (peer.asked > recipientsMax ? 'hang_up' : answerPlainly(exists(recipient))),
  }
}

/** Blocks our IP address at one command of the session. */
export function blocksUs({ at }: { at: 'banner' | 'mail' | 'rcpt' }): Script {
  const refusal = (peer: Peer) =>
    `554 5.7.1 Service unavailable; Client host [${peer.address}] blocked using dnsbl.example`
  if (at === 'banner') return { banner: (peer) => ({ reply: refusal(peer), thenClose: true }) }
  return { [at]: refusal }
}

/** Greylisting as in Postgrey: each triplet of client, sender and recipient is deferred once. */
export function greylists({ exists, holdMs }: Directory & { holdMs: number }): Script {
  const isHeld = holdNewcomers(holdMs)
  return {
    rcpt: (peer, recipient) =>
      isHeld(peer, recipient)
        ? `450 4.2.0 Recipient address rejected: Greylisted, try again in ${Math.ceil(holdMs / 1_000)} seconds`
        : answerPlainly(exists(recipient)),
  }
}

function answerPlainly(exists: boolean): string {
  return exists ? '250 2.1.5 Ok' : '550 5.1.1 Recipient address rejected: User unknown'
}

/** Whether a triplet is still within its delay, which starts with its first attempt. */
function holdNewcomers(holdMs: number): (peer: Peer, recipient: string) => boolean {
  const firstMet = new Map<string, number>()
  return ({ address, sender }, recipient) => {
    const triplet = JSON.stringify([address, sender, recipient])
    const met = firstMet.get(triplet) ?? performance.now()
    firstMet.set(triplet, met)
    return performance.now() - met < holdMs
  }
}

/** A counter per IP address over all connections; it returns the count. */
function countByAddress(): (peer: Peer, more: number) => number {
  const counts = new Map<string, number>()
  return ({ address }, more) => {
    const count = (counts.get(address) ?? 0) + more
    counts.set(address, count)
    return count
  }
}
