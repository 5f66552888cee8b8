import type { Site } from './data/sites.ts'
import { domainIn } from './population.ts'
import type { RecipientRecorder } from './recipient-record.ts'
import type { Recipients, ServerIdentity } from './recipients.ts'

/** The server of one connection. */
export type Station = {
  server: ServerIdentity
  settings: Site
  host: string
  recipients: Recipients
  recorder: RecipientRecorder
  /** All delays are divided by it. */
  timeFactor: number
}

/** The state of one connection that replies depend on. */
export type Conversation = Station & {
  client: string
  mayPipeline: boolean
  /** Empty outside of a transaction. */
  sender: string
  accepted: number
  /** The domain of the first recipient of the transaction. */
  domain: string
  refused: number
  /** Recipients after which the server drops the connection. */
  dropsAfter: number
  recipientCount: number
  verbs: Set<string>
}

/** The reply to one line: text with its line ends, delay, and whether the connection ends. */
export type Spoken = { text: string; afterMs: number; isLast: boolean }

/** `nth` is the number of earlier connections. */
export function openConversation(station: Station, client: string, nth: number): Conversation {
  const { drops } = station.settings
  return {
    ...station,
    client,
    mayPipeline: false,
    sender: '',
    accepted: 0,
    domain: '',
    refused: 0,
    dropsAfter:
      drops !== undefined && isNextOfShare(nth, drops.share) ? drops.afterRecipients : Number.POSITIVE_INFINITY,
    recipientCount: 0,
    verbs: new Set(),
  }
}

/** Chooses exactly this share of all connections, evenly. */
function isNextOfShare(nth: number, share: number): boolean {
  return Math.floor((nth + 1) * share) > Math.floor(nth * share)
}

/** `sendsOn`: the client has already sent more after this line. */
export function answerLine(talk: Conversation, line: string, sendsOn: boolean): Spoken {
  const space = line.indexOf(' ')
  const verb = (space < 0 ? line : line.slice(0, space)).toUpperCase().slice(0, 20)
  talk.verbs.add(verb)
  // RFC 2920 §3.1: only a client that was offered PIPELINING may send more before the reply, and never after EHLO.
  const isHello = verb === 'EHLO' || verb === 'HELO'
  if (sendsOn && (isHello || !talk.mayPipeline)) return say('554 5.5.0 Error: SMTP protocol synchronization', true)

  const refusedBefore = talk.refused
  const { text, isLast } = answerVerb(talk, verb, line)
  return { text, isLast, afterMs: delayOf(talk, talk.refused > refusedBefore) }
}

function say(text: string, isLast = false): Spoken {
  return { text: `${text}\r\n`, afterMs: 0, isLast }
}

function delayOf({ settings: { slow }, refused, timeFactor }: Conversation, isRefusal: boolean): number {
  if (slow === undefined || refused < slow.afterErrors || (slow.refusalsOnly && !isRefusal)) return 0
  return Math.min(slow.maxMs, slow.baseMs + slow.perErrorMs * (refused - slow.afterErrors)) / timeFactor
}

function answerVerb(talk: Conversation, verb: string, line: string): Spoken {
  switch (verb) {
    case 'EHLO':
    case 'HELO':
      return answerHello(talk, verb)
    case 'MAIL':
      return answerSender(talk, pathIn(line))
    case 'RCPT':
      return answerRecipient(talk, pathIn(line))
    case 'RSET':
      talk.sender = ''
      return say('250 2.0.0 Ok')
    case 'QUIT':
      return say(`221 2.0.0 ${talk.host} Bye`, true)
    default:
      return say('502 5.5.2 Error: command not recognized')
  }
}

function pathIn(line: string): string {
  return /<([^>]*)>/.exec(line)?.[1] ?? ''
}

function answerHello(talk: Conversation, verb: 'EHLO' | 'HELO'): Spoken {
  const { capabilities } = talk.settings
  talk.sender = ''
  if (verb === 'HELO') return say(`250 ${talk.host}`)
  if (capabilities === null) return say('502 Command not implemented')

  talk.mayPipeline = capabilities.includes('PIPELINING')
  const lines = [talk.host, ...capabilities]
  return say(lines.map((line, n) => `250${n === lines.length - 1 ? ' ' : '-'}${line}`).join('\r\n'))
}

function answerSender(talk: Conversation, sender: string): Spoken {
  if (talk.sender !== '') return say('503 5.5.1 Error: nested MAIL command')
  if (talk.settings.mail !== undefined) return say(fill(talk.settings.mail, talk))
  talk.sender = sender === '' ? '<>' : sender
  talk.accepted = 0
  talk.domain = ''
  return say('250 2.1.0 Ok')
}

function answerRecipient(talk: Conversation, rcpt: string): Spoken {
  if (talk.sender === '') return say('503 5.5.1 Error: need MAIL command')
  const { drops, errors } = talk.settings
  const isDropped = talk.recipientCount >= talk.dropsAfter && drops !== undefined
  const text = fill(isDropped ? drops.reply : judge(talk, rcpt), talk, rcpt)
  talk.recorder.note(rcpt, text)
  talk.recipientCount += 1
  if (isDropped) return say(text, true)
  if (text.startsWith('2')) {
    talk.accepted += 1
    return say(text)
  }
  talk.refused += 1
  if (errors === undefined || talk.refused < errors.closesAfter) return say(text)
  return say(errors.lastWords === null ? text : `${text}\r\n${fill(errors.lastWords, talk)}`, true)
}

function judge(talk: Conversation, rcpt: string): string {
  const { server, client, sender, recipients, settings } = talk
  if (talk.domain === '') talk.domain = domainIn(rcpt)
  if (settings.oneDomain !== undefined && domainIn(rcpt) !== talk.domain) return settings.oneDomain
  if (settings.recipients !== undefined && talk.accepted >= settings.recipients.max) return settings.recipients.reply

  const takesUtf8 = settings.capabilities?.includes('SMTPUTF8') ?? false
  return recipients.answer({ server, takesUtf8, client, sender, rcpt })
}

/** Fills in a reply template. */
export function fill(template: string, { host, client }: Conversation, rcpt = ''): string {
  if (!template.includes('{') && !template.includes('\n')) return template
  const words: Record<string, string> = { host, client, rcpt, domain: domainIn(rcpt) }
  return template.replaceAll(/\{(\w+)\}/g, (all, word: string) => words[word] ?? all).replaceAll('\n', '\r\n')
}
