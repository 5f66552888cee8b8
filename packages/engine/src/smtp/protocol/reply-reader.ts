import { SHORTENED } from '@probity/contract/constants/text'

/** One reply of a mail server, with its lines without the reply codes. */
export type Reply = {
  code: number
  /** The enhanced status code (RFC 3463) of the last line that has one. */
  enhanced: string | null
  lines: string[]
}

/** The stage of the session at which a reply came. A reply before RCPT is never about the mailbox. */
export type Stage = 'greeting' | 'ehlo' | 'starttls' | 'mail' | 'rcpt'

export type ReplyLimits = {
  /** Including the end of the line. */
  lineBytes: number
  replyLines: number
  replyBytes: number
  sessionBytes: number
}

/** Why the session cannot continue. Later bytes are not read. */
export type ReplyFault =
  | 'line_too_long'
  | 'too_many_lines'
  | 'reply_too_long'
  | 'session_too_long'
  | 'bad_code'
  | 'code_mismatch'

/** Parses the bytes of one connection into replies, independent of chunk boundaries, and keeps no more than its limits. */
export type ReplyReader = {
  push(bytes: Uint8Array): { replies: Reply[]; fault: ReplyFault | null }
  /** Bytes of an unfinished reply. */
  pending(): number
}

/** RFC 5321 §4.5.3.1.5 limits a line to 512 bytes. Real servers send more; an endless line must be detected early. */
const LIMITS: ReplyLimits = { lineBytes: 2_048, replyLines: 128, replyBytes: 65_536, sessionBytes: 262_144 }

const LINE_LENGTH_MAX = 512

/**
 * Characters of one reply that are kept in memory: classification reads the first 1,000, and all lines of an EHLO reply are needed. A
 * worker reads replies to thousands of recipients at once.
 */
const REPLY_LENGTH_MAX = 4_096

type Unfinished = {
  code: number
  enhanced: string | null
  lines: string[]
  lineCount: number
  length: number
  bytes: number
}

type State = {
  limits: ReplyLimits
  fault: ReplyFault | null
  sessionBytes: number
  /** The beginning of a line, copied, because a slice of the chunk would keep the whole chunk in memory. */
  kept: Buffer | null
  keptBytes: number
  reply: Unfinished | null
  replies: Reply[]
}

export function createReplyReader(limits: Partial<ReplyLimits> = {}): ReplyReader {
  const state: State = {
    limits: { ...LIMITS, ...limits },
    fault: null,
    sessionBytes: 0,
    kept: null,
    keptBytes: 0,
    reply: null,
    replies: [],
  }
  return {
    push(bytes) {
      state.replies = []
      if (state.fault === null) state.fault = takeBytes(state, bytes)
      if (state.fault !== null) forget(state)
      return { replies: state.replies, fault: state.fault }
    },
    pending: () => state.keptBytes + (state.reply?.bytes ?? 0),
  }
}

/** After a fault nothing more is read, so nothing is kept in memory. */
function forget(state: State): void {
  state.kept = null
  state.keptBytes = 0
  state.reply = null
}

/** Bytes before the session limit are still parsed, so that the same bytes give the same replies in any chunks. */
function takeBytes(state: State, bytes: Uint8Array): ReplyFault | null {
  const allowed = Math.min(bytes.length, state.limits.sessionBytes - state.sessionBytes)
  state.sessionBytes += allowed
  const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, allowed)

  let start = 0
  for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
    const fault = takeLine(state, chunk, start, end + 1)
    if (fault !== null) return fault
    start = end + 1
  }
  const fault = keepRest(state, chunk, start)
  return fault ?? (allowed < bytes.length ? 'session_too_long' : null)
}

function takeLine(state: State, chunk: Buffer, start: number, end: number): ReplyFault | null {
  const { limits, keptBytes, kept } = state
  const length = keptBytes + end - start
  if (length > limits.lineBytes) return 'line_too_long'
  if (kept === null || keptBytes === 0) return readLine(state, chunk, start, end)

  chunk.copy(kept, keptBytes, start, end)
  state.keptBytes = 0
  return readLine(state, kept, 0, length)
}

function keepRest(state: State, chunk: Buffer, start: number): ReplyFault | null {
  const length = chunk.length - start
  if (length === 0) return null
  // The end of the line has yet to come and would exceed the limit by one byte.
  if (state.keptBytes + length >= state.limits.lineBytes) return 'line_too_long'
  state.kept ??= Buffer.allocUnsafeSlow(state.limits.lineBytes)
  chunk.copy(state.kept, state.keptBytes, start)
  state.keptBytes += length
  return null
}

/** Parses one line, from `start` to after its line feed. RFC 5321 §4.2: the code, a hyphen if more lines follow, the text. */
function readLine(state: State, bytes: Buffer, start: number, end: number): ReplyFault | null {
  let last = end - 1
  while (last > start && bytes[last - 1] === 0x0d) last -= 1

  const code = readCode(bytes, start, last)
  const separator = last === start + 3 ? 0x20 : bytes[start + 3]
  if (code === null || (separator !== 0x20 && separator !== 0x2d)) return 'bad_code'

  state.reply ??= { code, enhanced: null, lines: [], lineCount: 0, length: 0, bytes: 0 }
  const { reply } = state
  if (reply.code !== code) return 'code_mismatch'
  reply.bytes += end - start
  if (reply.bytes > state.limits.replyBytes) return 'reply_too_long'
  if (reply.lineCount === state.limits.replyLines) return 'too_many_lines'
  reply.lineCount += 1

  addLine(reply, readText(bytes, Math.min(start + 4, last), last))
  if (separator === 0x20) {
    state.replies.push({ code, enhanced: reply.enhanced, lines: reply.lines })
    state.reply = null
  }
  return null
}

function readCode(bytes: Buffer, start: number, end: number): number | null {
  if (end < start + 3) return null
  const [first, second, third] = [digit(bytes[start]), digit(bytes[start + 1]), digit(bytes[start + 2])]
  if (first < 2 || first > 5 || second === -1 || third === -1) return null
  return first * 100 + second * 10 + third
}

function digit(byte: number | undefined): number {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39 ? byte - 0x30 : -1
}

/** Text that is safe to show in a terminal or a page: no control characters, no direction marks, no undecodable bytes. */
function readText(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('latin1', start, end)
  if (/^[\x20-\x7e]*$/.test(text)) return text
  return bytes
    .toString('utf8', start, end)
    .replaceAll('\t', ' ')
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}\ufffd]/gu, '?')
}

/** RFC 2034 §4 puts the enhanced code first; older servers write `(#5.1.1)` at any position. */
const ENHANCED = /^\s*#?([245]\.\d{1,3}\.\d{1,3})(?![\w.])[\s:]*/
const ENHANCED_WITH_SIGN = /(?:^|\s)\(?#([245]\.\d{1,3}\.\d{1,3})(?![\w.])\)?/

function addLine(reply: Unfinished, text: string): void {
  const found = ENHANCED.exec(text) ?? (text.includes('#') ? ENHANCED_WITH_SIGN.exec(text) : null)
  const enhanced = found?.[1]
  // RFC 2034 §4: the class equals the first digit of the code. With another class it is ordinary text.
  if (!found || enhanced === undefined || Number(enhanced[0]) !== Math.trunc(reply.code / 100)) {
    keepLine(reply, cut(text))
    return
  }
  reply.enhanced = enhanced
  keepLine(reply, cut(text.slice(0, found.index) + text.slice(found.index + found[0].length)))
}

function keepLine(reply: Unfinished, line: string): void {
  if (reply.length > REPLY_LENGTH_MAX) return
  reply.length += line.length
  reply.lines.push(reply.length > REPLY_LENGTH_MAX ? SHORTENED : line)
}

function cut(text: string): string {
  const trimmed = text.trim()
  if (trimmed.length <= LINE_LENGTH_MAX) return trimmed
  // Half of a surrogate pair is not valid text.
  return trimmed.slice(0, LINE_LENGTH_MAX).replace(/[\ud800-\udbff]$/, '')
}
