import type { Finding, Said } from './answer.ts'
import type { Heard } from './chunk.ts'
import { againFor, interpret } from './interpret.ts'
import type { Line } from './line.ts'
import { normaliseReply } from './normalise-reply.ts'
import type { MailNetwork, Recipient } from './question.ts'
import type { Reading, Reason, Reply } from './reply.ts'
import { nextStride } from './room.ts'
import { said } from './said.ts'
import { answer, answerAll, type Interview, type Survey } from './survey.ts'
import { backOff, learnLimit, meetBreak, noteReply, turnedAway } from './trouble.ts'

/** Takes in what a server said to a few recipients. False when the line is of no more use. */
export async function hear(interview: Interview, recipients: Recipient[], heard: Heard): Promise<boolean> {
  const { survey, network, line } = interview
  const before = (line.transaction?.recipients ?? 0) - recipients.length
  let usable = heard.broke === null && heard.refusedMail === null
  for (const { recipient, reply } of heard.answers) {
    const isControl = recipient === survey.control.recipient
    noteReply(interview, isControl ? 'control' : 'rcpt', reply)
    const goOn = isControl
      ? await hearControl(interview, { recipient, reply, at: Math.max(0, before) })
      : await hearRecipient(interview, { recipient, reply, at: Math.max(0, before + recipients.indexOf(recipient)) })
    usable &&= goOn
  }
  if (heard.refusedMail) await turnedAway(interview, { host: line.host, stage: 'mail', reply: heard.refusedMail })
  if (heard.broke) await meetBreak(interview, heard)
  if (usable) lengthenStride(network, line)
  return usable
}

/** More at a time while the answers are clean. */
function lengthenStride(network: MailNetwork, line: Line): void {
  const stride = nextStride(line.stride)
  if (stride === line.stride) return
  line.stride = stride
  void network.knowledge.learnHost(line.host, { stride })
}

/** What the server said to one recipient, which had so many before it in its transaction. */
type Told = { recipient: Recipient; reply: Reply; at: number }

async function hearRecipient(interview: Interview, told: Told): Promise<boolean> {
  const { reply } = told
  if (reply.code >= 400) {
    return weigh(interview, told, read(interview, told))
  }
  settle(interview, told, findingOf(reply))
  return true
}

function read({ survey, network, line }: Interview, { recipient, reply }: Told): Reading {
  return interpret({ survey, network, host: line.host }, 'rcpt', reply, recipient.path)
}

function findingOf({ code }: Reply): Finding {
  if (code === 250 || code === 251) return { kind: 'accepted', code }
  // 252 says that the server will try, not that there is anybody (RFC 5321 §3.5.3); other codes have no place here.
  return code === 252 ? { kind: 'unverifiable', code } : { kind: 'refused', code, reason: 'server_error' }
}

function settle({ survey, line }: Interview, { recipient, reply }: Told, finding: Finding, reading?: Reading): void {
  const dialogue: Said[] = [line.greeting, said('rcpt', reply, recipient.path)]
  answer(survey, recipient, { finding, host: line.host, dialogue, ...(reading && againFor(reading, reply.code)) })
}

/** What a refusal means for the recipient, for the line and for the rest. False when the line is of no more use. */
async function weigh(interview: Interview, told: Told, reading: Reading): Promise<boolean> {
  const { survey, network, line } = interview
  const { reason, scope } = reading
  if (reason === 'too_many_recipients' && splitTransaction(network, line, told.at)) return true
  if (await isToBeAskedElsewhere(interview, told.reply, reading)) return false

  const finding: Finding = { kind: 'refused', code: told.reply.code, reason: believed(survey, reason) }
  settle(interview, told, finding, reading)
  if (reason === 'mailbox_not_found' && survey.acceptAll.value === 'untested') {
    survey.acceptAll = { value: 'no', source: 'live' } // who does not know somebody does not take everybody
  }
  const isAboutUs = scope === 'egress' || reason === 'rate_limited'
  if (isAboutUs) await backOff(interview, line.host, reading)
  if (!isAboutUs && reason !== 'domain_not_hosted') return true
  // The others would hear the same.
  const dialogue = [said('rcpt', told.reply, told.recipient.path)]
  answerAll(survey, {
    finding: { ...finding, code: 0 },
    host: line.host,
    dialogue,
    ...againFor(reading, told.reply.code),
  })
  return false
}

/** A domain is nobody's only when all of its hosts say so; one that did not answer might have said otherwise. */
function believed({ site, disowned }: Survey, reason: Reason): Reason {
  const isDoubted = reason === 'domain_not_hosted' && !site.hosts.every(({ name }) => disowned.has(name))
  return isDoubted ? 'server_error' : reason
}

/** Whether the refusal was about this connection or this host alone, so that the recipient must be asked again on another. */
async function isToBeAskedElsewhere(interview: Interview, { code }: Reply, reading: Reading): Promise<boolean> {
  const { survey, network, line } = interview
  const { reason, scope } = reading
  if (reason === 'too_many_errors' && scope === 'connection') {
    await learnLimit(network, line, { errorsMax: Math.max(1, line.refused - 1) })
    return true
  }
  if (reason === 'tls_required' && !line.secure && line.offers.starttls) {
    await learnLimit(network, line, { tlsDemanded: true })
    return true
  }
  if (reason === 'domain_not_hosted') {
    survey.disowned.add(line.host)
    survey.except.add(line.host)
    return survey.site.hosts.some(({ name }) => !survey.except.has(name))
  }
  // RFC 5321 §3.8: with 421 the server closes; whom it was said to is chance.
  return code === 421 && scope === 'connection' && reason !== 'rate_limited'
}

/** True when the next try can do better with fewer at a time; false when even the first one was too many. */
function splitTransaction(network: MailNetwork, line: Line, before: number): boolean {
  line.transaction = null
  if (before === 0) return false
  line.recipientsMax = Math.min(line.recipientsMax, before)
  void network.knowledge.learnHost(line.host, { recipientsMax: line.recipientsMax })
  return true
}

async function hearControl(interview: Interview, { recipient, reply, at }: Told): Promise<boolean> {
  const { survey, network, line } = interview
  const control = said('control', reply, recipient.path)
  if (reply.code < 300) {
    survey.control = { kind: 'asked', recipient, said: control }
    survey.acceptAll = { value: 'yes', source: 'live' }
    return true
  }
  const reading = read(interview, { recipient, reply, at })
  if (reading.reason === 'too_many_recipients' && splitTransaction(network, line, at)) return true
  if (await isToBeAskedElsewhere(interview, reply, reading)) return false

  // It told this one from those it accepted, in whatever words; unless the words are about us.
  const isForGood = reply.code >= 500 && (reading.scope === 'mailbox' || reading.reason === 'unclassified')
  const tells = isForGood || reading.reason === 'mailbox_not_found'
  if (tells) {
    survey.acceptAll = { value: 'no', source: 'live' }
    survey.refusal = normaliseReply(reply, recipient.path)
  }
  const putOff = { reason: reading.reason, afterMs: reading.retryAfterMs }
  survey.control = { kind: 'asked', recipient, said: control, ...(!tells && { putOff }) }
  if (reading.scope === 'egress') await backOff(interview, line.host, reading)
  return reading.scope !== 'egress'
}
