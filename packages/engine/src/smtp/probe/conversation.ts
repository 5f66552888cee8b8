import { beginTransaction, countReply, type SmtpConnection } from '../connections/connection.ts'
import { transactionSize } from '../connections/recipient-window.ts'
import type { Command } from '../protocol/commands.ts'
import { isDisconnect } from '../protocol/handshake.ts'
import type { Reply } from '../protocol/reply-reader.ts'
import type { Disconnect } from '../protocol/socket.ts'
import type { Recipient } from './request.ts'

/** A reply to RCPT. `position` is the number of recipients before it in its transaction. */
export type RecipientReply = { recipient: Recipient; reply: Reply; position: number }

/** The replies received on a connection for some recipients. Recipients without a reply are missing. */
export type Exchange = {
  replies: RecipientReply[]
  /** The reply that rejected MAIL; then no recipient of that transaction was probed. */
  mailRejection: Reply | null
  disconnect: Disconnect | null
}

/** The sender of MAIL, the domain of the recipients, and the time limits. */
export type ExchangeOptions = { sender: string; domain: string; deadline: number; commandMs: number }

type Step = { command: Command; recipient?: Recipient }

type Received = Omit<Exchange, 'replies'> & { replies: Omit<RecipientReply, 'position'>[] }

/** Sends recipients on a connection, all in flight at once if the server offers PIPELINING (RFC 2920), and reads the replies. */
export async function sendRecipients(
  connection: SmtpConnection,
  recipients: Recipient[],
  options: ExchangeOptions,
): Promise<Exchange> {
  const { socket, capabilities } = connection
  const steps = planCommands(connection, recipients, options)
  const positionOfFirst = (connection.transaction?.recipients ?? 0) - recipients.length
  const replies: RecipientReply[] = []
  for (const group of capabilities.pipelining ? [steps] : steps.map((step) => [step])) {
    const commands = group.map(({ command }) => command)
    socket.send(commands, capabilities.utf8)
    const received = await readReplies(connection, group, options)
    for (const { recipient, reply } of received.replies) {
      replies.push({ recipient, reply, position: Math.max(0, positionOfFirst + recipients.indexOf(recipient)) })
    }
    if (received.disconnect || received.mailRejection) return { ...received, replies }
  }
  return { replies, mailRejection: null, disconnect: null }
}

/** The commands for some recipients: an open transaction is filled before the next one begins. */
function planCommands(
  connection: SmtpConnection,
  recipients: Recipient[],
  { sender, domain }: ExchangeOptions,
): Step[] {
  const steps: Step[] = []
  for (const recipient of recipients) {
    const { path, needsUtf8: utf8 } = recipient
    let { transaction } = connection
    const isFull = transaction !== null && transaction.recipients >= transactionSize(connection)
    // One domain per transaction: some servers reject a second one.
    if (transaction === null || isFull || transaction.utf8 !== utf8 || transaction.domain !== domain) {
      if (connection.transactions > 0) steps.push({ command: { verb: 'RSET' } })
      steps.push({ command: { verb: 'MAIL', sender, utf8 } })
      transaction = beginTransaction(connection, { utf8, domain })
    }
    transaction.recipients += 1
    steps.push({ command: { verb: 'RCPT', recipient: path }, recipient })
  }
  return steps
}

/** Reads the replies to a group of commands, which come in the order of the commands. */
async function readReplies(connection: SmtpConnection, group: Step[], options: ExchangeOptions): Promise<Received> {
  const received: Received = { replies: [], mailRejection: null, disconnect: null }
  let isMailRejected = false
  for (const { command, recipient } of group) {
    const began = performance.now()
    const reply = await connection.socket.read(Math.min(options.deadline, began + options.commandMs))
    if (isDisconnect(reply)) return { ...received, disconnect: reply }

    if (command.verb === 'MAIL') {
      isMailRejected = reply.code !== 250
      if (isMailRejected) received.mailRejection = reply
    } else if (recipient && !isMailRejected) {
      received.replies.push({ recipient, reply })
      const { isTarpit } = countReply(connection, reply.code, performance.now() - began)
      if (isTarpit) received.disconnect = { kind: 'disconnect', why: 'tarpit' }
    }
    // RFC 5321 §3.8: after 421 the server closes the connection, whatever else is in flight.
    if (reply.code === 421) received.disconnect = { kind: 'disconnect', why: 'closed' }
    if (received.disconnect) return received
  }
  return received
}
