import type { Command } from './command.ts'
import { isBreak } from './greet.ts'
import type { Break } from './inbox.ts'
import type { Line } from './line.ts'
import type { Recipient } from './question.ts'
import type { Reply } from './reply.ts'
import { transactionSize } from './room.ts'
import type { Interview } from './survey.ts'
import { isTarpit } from './tarpit.ts'

/** What the server said to a few recipients. Those that are missing got no answer. */
export type Heard = {
  answers: { recipient: Recipient; reply: Reply }[]
  /** The server would not begin a transaction; then no recipient of it was asked. */
  refusedMail: Reply | null
  broke: Break | null
}

type Step = { command: Command; recipient?: Recipient }

/** Asks a few recipients on a line, all in flight at once where the server offered PIPELINING (RFC 2920). */
export async function askChunk(interview: Interview, recipients: Recipient[]): Promise<Heard> {
  const { line } = interview
  const heard: Heard = { answers: [], refusedMail: null, broke: null }
  const steps = plan(interview, recipients)
  for (const group of line.offers.pipelining ? [steps] : steps.map((step) => [step])) {
    const commands = group.map(({ command }) => command)
    line.wire.say(commands, line.offers.utf8)
    await hearGroup(interview, group, heard)
    if (heard.broke || heard.refusedMail) break
  }
  return heard
}

/** The commands for some recipients: a transaction that stands open is used up before the next one is begun. */
function plan({ survey, network, line }: Interview, recipients: Recipient[]): Step[] {
  const { domain } = survey.question
  const steps: Step[] = []
  for (const recipient of recipients) {
    const { needsUtf8 } = recipient
    let open = line.transaction
    // One domain at a time: there are servers that take no two in one transaction.
    if (!open || open.recipients >= transactionSize(line) || open.utf8 !== needsUtf8 || open.domain !== domain) {
      if (line.transactions > 0) steps.push({ command: { verb: 'RSET' } })
      steps.push({ command: { verb: 'MAIL', sender: network.egress.mailFrom, utf8: needsUtf8 } })
      open = { recipients: 0, utf8: needsUtf8, domain }
      line.transaction = open
      line.transactions += 1
    }
    open.recipients += 1
    steps.push({ command: { verb: 'RCPT', recipient: recipient.path }, recipient })
  }
  return steps
}

/** Replies come in the order of the commands. */
async function hearGroup({ survey, network, line }: Interview, group: Step[], heard: Heard): Promise<void> {
  let mailRefused = false
  for (const { command, recipient } of group) {
    const began = performance.now()
    const reply = await line.wire.read(Math.min(survey.question.deadline, began + network.patience.commandMs))
    if (isBreak(reply)) {
      heard.broke = reply
      return
    }
    if (command.verb === 'MAIL') {
      mailRefused = reply.code !== 250
      if (mailRefused) heard.refusedMail = reply
    } else if (recipient && !mailRefused) {
      countAnswer(line, reply)
      heard.answers.push({ recipient, reply })
      if (isTarpit(line, reply.code, performance.now() - began)) heard.broke = { kind: 'break', why: 'tarpit' }
    }
    // RFC 5321 §3.8: after 421 the server is gone, whatever else was in flight.
    if (reply.code === 421) heard.broke = { kind: 'break', why: 'closed' }
    if (heard.broke) return
  }
}

function countAnswer(line: Line, { code }: Reply): void {
  line.asked += 1
  if (code >= 400) line.refused += 1
}
