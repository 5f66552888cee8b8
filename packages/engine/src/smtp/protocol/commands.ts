import type { Writable } from 'node:stream'

/** All commands that we send to a mail server. DATA is not among them, so no message can be sent. */
export type Command =
  | { verb: 'EHLO' | 'HELO'; name: string }
  | { verb: 'STARTTLS' | 'RSET' | 'QUIT' }
  | { verb: 'MAIL'; sender: string; utf8: boolean }
  | { verb: 'RCPT'; recipient: string }

/** RFC 5321 §4.5.3.1.4: 512 octets with CRLF; SMTPUTF8 allows more for its parameter (RFC 6531 §3.4), which we do not need. */
const LINE_OCTETS_MAX = 510

/**
 * The only function that writes to a mail server. Whatever an address, a name or a DNS record contains, only a single line is written:
 * printable ASCII, or well-formed UTF-8 if the server offered SMTPUTF8. Any other text is a bug in the caller, and the function throws.
 */
export function writeCommands(stream: Writable, commands: Command[], utf8Offered: boolean): void {
  let text = ''
  for (const command of commands) text += `${lineOf(command, utf8Offered)}\r\n`
  stream.write(text)
}

/** Whether an address between the angle brackets of MAIL and RCPT is read as exactly one address. */
export function isEncodable(address: string): boolean {
  return !/[<>]/.test(address) && (ASCII_LINE.test(address) || UTF8_LINE.test(address)) && address.isWellFormed()
}

function lineOf(command: Command, utf8Offered: boolean): string {
  const line = spell(command)
  const isClean = ASCII_LINE.test(line) || (utf8Offered && UTF8_LINE.test(line) && line.isWellFormed())
  if (!isClean || Buffer.byteLength(line) > LINE_OCTETS_MAX) throw new Error(`unencodable ${command.verb}`)
  return line
}

function spell(command: Command): string {
  switch (command.verb) {
    case 'EHLO':
    case 'HELO':
      return `${command.verb} ${command.name}`
    case 'MAIL':
      return `MAIL FROM:<${path(command.sender)}>${command.utf8 ? ' SMTPUTF8' : ''}`
    case 'RCPT':
      return `RCPT TO:<${path(command.recipient)}>`
    case 'STARTTLS':
    case 'RSET':
    case 'QUIT':
      return command.verb
  }
}

function path(address: string): string {
  if (!isEncodable(address)) throw new Error('unencodable address')
  return address
}

const ASCII_LINE = /^[\x20-\x7e]+$/
/** Non-ASCII characters without C1 controls and line or paragraph separators, which some programs treat as the end of a line. */
const UTF8_LINE = /^[\x20-\x7e\xa0-\u2027\u202a-\u{10ffff}]+$/u
