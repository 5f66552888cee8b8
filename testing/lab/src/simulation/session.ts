import type { Socket } from 'node:net'
import { recordSession } from '../smtp/record.ts'
import { answerLine, type Conversation, fill, openConversation, type Spoken, type Station } from './conversation.ts'

type Session = {
  socket: Socket
  talk: Conversation
  unread: string
  /** No reply is sent while the greeting or a reply is delayed; lines received meanwhile are kept. */
  isWaiting: boolean
  isOver: boolean
}

const IDLE_MS = 120_000
const LINGER_MS = 2_000
const UNREAD_MAX = 64 * 1024

/**
 * Serves one client; `nth` is the number of earlier connections. All lines received so far are answered at once in one
 * write, since thousands of sessions run at the same time.
 */
export function serveSession(socket: Socket, station: Station, nth: number): void {
  const talk = openConversation(station, socket.remoteAddress ?? '', nth)
  const session: Session = { socket, talk, unread: '', isWaiting: false, isOver: false }
  socket.setEncoding('utf8')
  socket.setNoDelay(true)
  socket.setTimeout(IDLE_MS, () => socket.destroy())
  socket.on('error', () => socket.destroy()) // a client may disconnect at any time
  socket.on('close', () => record(session))
  socket.on('data', (text: string) => take(session, text))
  greet(session, nth)
}

function greet(session: Session, nth: number): void {
  const { settings, timeFactor } = session.talk
  const { silent, busy, greetsAfterMs = 0, banner, closesAfterGreeting } = settings
  session.isWaiting = true
  if (silent) return
  const isBusy = busy !== undefined && nth % busy.every === busy.every - 1
  const text = `${fill(isBusy ? busy.banner : banner, session.talk)}\r\n`
  hold(session, greetsAfterMs / timeFactor, () => {
    if (session.unread !== '') end(session, '554 5.5.1 Error: you talk before you are greeted\r\n')
    else if (text.startsWith('2') && !closesAfterGreeting) session.socket.write(text)
    else end(session, text)
  })
}

function take(session: Session, text: string): void {
  if (session.isOver) return
  session.unread += text
  if (session.unread.length > UNREAD_MAX) session.socket.destroy()
  else if (!session.isWaiting) answerAll(session)
}

/** Answers line by line until none is left or until a reply is delayed. */
function answerAll(session: Session): void {
  let ready = ''
  while (!session.isOver && !session.isWaiting) {
    const spoken = answerNext(session)
    if (spoken === undefined) break
    if (spoken.afterMs === 0 && !spoken.isLast) {
      ready += spoken.text
      continue
    }
    if (ready !== '') session.socket.write(ready)
    ready = ''
    sayLater(session, spoken)
  }
  if (ready !== '') session.socket.write(ready)
}

function answerNext(session: Session): Spoken | undefined {
  const lineEnd = session.unread.indexOf('\r\n')
  if (lineEnd < 0) return undefined
  const line = session.unread.slice(0, lineEnd)
  session.unread = session.unread.slice(lineEnd + 2)
  return answerLine(session.talk, line, session.unread !== '')
}

function sayLater(session: Session, { text, afterMs, isLast }: Spoken): void {
  hold(session, afterMs, () => {
    if (isLast) {
      end(session, text)
      return
    }
    session.socket.write(text)
    answerAll(session)
  })
}

function hold(session: Session, ms: number, act: () => void): void {
  const go = () => {
    session.isWaiting = false
    if (!session.socket.destroyed) act()
  }
  if (ms === 0) {
    go()
    return
  }
  session.isWaiting = true
  setTimeout(go, ms).unref()
}

/**
 * Half-closes and reads on for a moment: a close with unread bytes is a reset, and the client would lose the last
 * reply.
 */
function end(session: Session, text: string): void {
  session.isOver = true
  session.socket.end(text)
  setTimeout(() => session.socket.destroy(), LINGER_MS).unref()
}

/** Recipients that were in transit when the server disconnected count as rejected: the client pipelined too many. */
function record({ talk, unread, isOver }: Session): void {
  const unanswered = isOver && talk.refused > 0 ? (unread.match(/^RCPT /gim)?.length ?? 0) : 0
  recordSession({
    server: talk.server.site,
    verbs: [...talk.verbs],
    refused: talk.refused + unanswered,
    errorsMax: talk.settings.errors?.bears ?? null,
  })
}
