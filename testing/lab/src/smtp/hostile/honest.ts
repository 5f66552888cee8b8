import { pathIn, verbOf } from '../lines.ts'
import type { Visit } from './session.ts'

/** The behavior of a server for one command: a reply, or a function. */
type Part = string | ((visit: Visit, line: string) => void | Promise<void>)

/** The commands at which a server differs from an honest one. */
export type Oddities = {
  /** Replaces the usual capabilities, one line each. */
  capabilities?: string[]
  banner?: Part
  EHLO?: Part
  HELO?: Part
  STARTTLS?: Part
  MAIL?: Part
  RCPT?: Part
  RSET?: Part
  QUIT?: Part
}

/** Behaves as an honest server: `someone` is the only mailbox. Only the given parts differ. */
export function honestBut(oddities: Oddities): (visit: Visit) => Promise<void> {
  return async (visit) => {
    await perform(visit, oddities.banner ?? '220 mx.hostile.example ESMTP', '')
    await listen(visit, oddities)
  }
}

/** The session after the greeting, and also after STARTTLS. */
export async function listen(visit: Visit, oddities: Oddities): Promise<void> {
  for (let line = await visit.lines.next(); line !== undefined; line = await visit.lines.next()) {
    const verb = verbOf(line)
    visit.verbs.push(verb)
    if (verb === 'RCPT') visit.asked += 1
    const part = Object.hasOwn(oddities, verb) ? oddities[verb as keyof Oddities] : undefined
    await perform(visit, (part as Part | undefined) ?? answerHonestly(verb, line, oddities), line)
    if (verb === 'QUIT' && part === undefined) visit.socket.end()
  }
}

/** The honest reply to a recipient. */
export function answerTruly(line: string): string {
  return pathIn(line).startsWith('someone@')
    ? '250 2.1.5 Ok'
    : '550 5.1.1 Recipient address rejected: User unknown in virtual mailbox table'
}

async function perform(visit: Visit, part: Part, line: string): Promise<void> {
  if (typeof part === 'string') visit.say(part)
  else await part(visit, line)
}

function answerHonestly(verb: string, line: string, { capabilities = ['PIPELINING', '8BITMIME'] }: Oddities): string {
  switch (verb) {
    case 'EHLO':
      return ['mx.hostile.example', ...capabilities]
        .map((text, n) => `250${n === capabilities.length ? ' ' : '-'}${text}`)
        .join('\n')
    case 'HELO':
      return '250 mx.hostile.example'
    case 'MAIL':
      return '250 2.1.0 Ok'
    case 'RCPT':
      return answerTruly(line)
    case 'RSET':
      return '250 2.0.0 Ok'
    case 'QUIT':
      return '221 2.0.0 Bye'
    default:
      return '502 5.5.2 Error: command not recognized'
  }
}
