import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Place } from './process.ts'

const REPLY = /^(?:\d{3}-.*\r\n)*\d{3}(?: .*)?\r\n/
const WAITS_MS_MAX = 15_000

/** A manual SMTP connection: it sends the given commands and does not interpret the replies. */
export type Conversation = {
  socket: Socket
  /** The next reply, its lines joined by `\n`, and its duration; no text when the connection ended instead. */
  hear(): Promise<{ text: string; ms: number }>
  /** Sends commands in one write. */
  say(...commands: string[]): void
  /** Sends one command and returns the reply. */
  ask(command: string): Promise<string>
}

export function callServer({ host, port }: Place, localAddress = '127.0.0.1'): Conversation {
  return listen(connect({ host, port, localAddress, noDelay: true }))
}

export function listen(socket: Socket): Conversation {
  let heard = ''
  let over = false
  socket.on('data', (chunk) => {
    heard += chunk.toString()
  })
  socket.on('error', () => {}) // the connection is closed next
  socket.on('close', () => {
    over = true
  })
  const hear = async () => {
    const began = performance.now()
    for (let ms = 0; ms < WAITS_MS_MAX; ms = performance.now() - began) {
      const [text] = REPLY.exec(heard) ?? []
      if (text === undefined && over) return { text: '', ms }
      if (text === undefined) await sleep(1)
      else {
        heard = heard.slice(text.length)
        return { text: text.trimEnd().replaceAll('\r\n', '\n'), ms }
      }
    }
    throw new Error('The server says nothing')
  }
  const say = (...commands: string[]) => void socket.write(commands.map((command) => `${command}\r\n`).join(''))
  return {
    socket,
    hear,
    say,
    async ask(command) {
      say(command)
      return (await hear()).text
    },
  }
}

/** Sends EHLO, MAIL, one RCPT per recipient and QUIT. When the sender is rejected, that reply is returned. */
export async function askRecipients(place: Place, recipients: string[], localAddress?: string): Promise<string[]> {
  const { hear, ask } = callServer(place, localAddress)
  await hear()
  const offers = await ask('EHLO client.example')
  const sender = await ask(`MAIL FROM:<sender@client.example>${offers.includes('SMTPUTF8') ? ' SMTPUTF8' : ''}`)
  const replies: string[] = []
  for (const recipient of recipients) {
    replies.push(sender.startsWith('2') ? await ask(`RCPT TO:<${recipient}>`) : sender)
  }
  await ask('QUIT')
  return replies
}
