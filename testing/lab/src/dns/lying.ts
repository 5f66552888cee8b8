import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { RCODES, readQuestion, TYPES, writeAnswer, writeRecord } from './packet.ts'

/** What a resolver says about every name. `truth`: the response of the honest resolver. */
export type Lie = 'truth' | 'nxdomain' | 'servfail' | 'wildcard' | 'silence'

/** An address that a captive portal would return for every name (RFC 2544). */
const PORTAL = Buffer.from([198, 18, 0, 80])

/** A resolver over UDP that says the same about every name, as those of captive portals and broken networks do. */
export async function startLyingResolver(honestPort: number, first: Lie = 'truth') {
  let lie = first
  let questions = 0
  const socket = createSocket('udp4')
  socket.on('message', (message, { port, address }) => {
    questions += 1
    const send = (reply: Buffer) => socket.send(reply, port, address)
    if (lie === 'truth') forward(message, honestPort, send)
    const reply = writeLie(lie, message)
    if (reply !== undefined) send(reply)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address()
  return {
    port,
    server: `127.0.0.1:${port}`,
    say(next: Lie) {
      lie = next
    },
    /** Messages received so far. */
    countQuestions: () => questions,
    stop: async () => void socket.close(),
  }
}

function writeLie(lie: Lie, message: Buffer): Buffer | undefined {
  const question = readQuestion(message)
  if (question === undefined || lie === 'truth' || lie === 'silence') return undefined
  if (lie !== 'wildcard') return writeAnswer(question, { rcode: RCODES[lie] })
  return writeAnswer(question, {
    answers: question.type === TYPES.a ? [writeRecord({ type: TYPES.a, data: PORTAL })] : [],
  })
}

const FORWARD_WITHIN_MS = 5_000

function forward(message: Buffer, port: number, send: (reply: Buffer) => void): void {
  const upstream = createSocket('udp4')
  const timer = setTimeout(() => upstream.close(), FORWARD_WITHIN_MS)
  upstream.once('message', (reply) => {
    clearTimeout(timer)
    upstream.close()
    send(reply)
  })
  upstream.send(message, port, '127.0.0.1')
}
