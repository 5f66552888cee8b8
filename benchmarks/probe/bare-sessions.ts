import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Place } from '@probity/lab/mail/process'

const HELLO = 'EHLO bench.probity.example'
const MAIL = 'MAIL FROM:<bounce@probity.example>'

/**
 * RSET counts as a junk command in Postfix, which accepts a hundred of those per connection; so no more recipients than
 * this are sent on one.
 */
const BARE_PER_CONNECTION = 1_000
const BARE_PER_TRANSACTION = 25
const IN_FLIGHT_MAX = 10
const PATIENCE_MS = 30_000

/**
 * As other libraries probe: one connection per address, sequentially, a control recipient before the address, and each
 * command waits for the reply to the one before.
 */
export async function probeOneByOne(emails: string[], place: Place): Promise<boolean[]> {
  const accepted: boolean[] = []
  for (const [n, email] of emails.entries()) {
    const control = `zz-no-such-user-${n}${email.slice(email.lastIndexOf('@'))}`
    const replies = await converse(place, [HELLO, MAIL, `RCPT TO:<${control}>`, `RCPT TO:<${email}>`, 'QUIT'])
    accepted.push(replies[4]?.startsWith('250') ?? false)
  }
  return accepted
}

/** The banner and the replies to the commands, each reduced to its last line. */
async function converse(place: Place, commands: string[]): Promise<string[]> {
  const socket = connect({ ...place, noDelay: true })
  const lines = listReplies(socket)
  const replies: string[] = []
  for (const command of ['', ...commands]) {
    if (command !== '') socket.write(`${command}\r\n`)
    const { value, done } = await lines.next()
    if (done) throw new Error('the server left in the middle of a conversation')
    replies.push(value)
  }
  await lines.next() // the server closes after QUIT
  return replies
}

async function* listReplies(socket: Socket): AsyncGenerator<string, undefined> {
  let rest = ''
  socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error('the server does not answer')))
  for await (const chunk of socket.setEncoding('latin1')) {
    const lines = `${rest}${chunk}`.split('\r\n')
    rest = lines.pop() ?? ''
    yield* lines.filter((line) => line[3] === ' ')
  }
}

/** The minimum of a client: only existing recipients, ten in flight, and replies are only counted. */
export async function probeBare(emails: string[], place: Place): Promise<void> {
  for (let at = 0; at < emails.length; at += BARE_PER_CONNECTION) {
    await askOnConnection(emails.slice(at, at + BARE_PER_CONNECTION), place)
  }
}

async function askOnConnection(emails: string[], place: Place): Promise<void> {
  const socket = connect({ ...place, noDelay: true })
  const over = once(socket, 'close')
  socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error('the server does not answer')))
  await Promise.race([greet(socket), over])

  const dialogue = openDialogue(emails)
  socket.on('data', (bytes) => {
    if (dialogue.hear(bytes)) socket.write(dialogue.next())
    else socket.destroy(new Error('the server refused something that is in order'))
  })
  socket.write(dialogue.next())
  await over
  if (!dialogue.isDone()) throw new Error('the server left in the middle of a conversation')
}

/** Ends with the last line of the EHLO reply; before that no command may be pipelined. */
function greet(socket: Socket): Promise<void> {
  let heard = ''
  return new Promise((resolve) => {
    const listen = (bytes: Buffer) => {
      if (heard === '') socket.write(`${HELLO}\r\n`)
      heard += bytes.toString('latin1')
      if (!/^250 .*\r\n$/m.test(heard)) return
      socket.off('data', listen)
      resolve()
    }
    socket.on('data', listen)
  })
}

/** The number of commands that may be sent, given the replies so far. */
function openDialogue(emails: string[]) {
  const inFlight: ('recipient' | 'other')[] = []
  let [sent, answered] = [0, 0]
  let isLineStart = true
  return {
    isDone: () => answered === emails.length,
    /** False for a reply other than 2xx. */
    hear(bytes: Buffer): boolean {
      for (const byte of bytes) {
        if (isLineStart && byte !== 0x32) return false
        isLineStart = byte === 0x0a
        if (isLineStart && inFlight.shift() === 'recipient') answered += 1
      }
      return true
    },
    next(): string {
      let commands = ''
      const say = (command: string, kind: 'recipient' | 'other') => {
        commands += `${command}\r\n`
        inFlight.push(kind)
      }
      while (sent < emails.length && sent - answered < IN_FLIGHT_MAX) {
        if (sent > 0 && sent % BARE_PER_TRANSACTION === 0) say('RSET', 'other')
        if (sent % BARE_PER_TRANSACTION === 0) say(MAIL, 'other')
        say(`RCPT TO:<${emails[sent]}>`, 'recipient')
        sent += 1
        if (sent === emails.length) say('QUIT', 'other') // RFC 2920 §3.1: must be the last command of a group
      }
      return commands
    },
  }
}
