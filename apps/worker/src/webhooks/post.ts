import { type ClientRequest, type IncomingMessage, request as sendRequest } from 'node:http'
import type { Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import type { DeliveryError } from '@probity/contract/constants/webhooks'
import type { MailDns } from '@probity/engine/domain/resolver'
import type { AddressPolicy } from '@probity/engine/smtp/protocol/address-policy'
import { dialHost } from '@probity/engine/smtp/protocol/dial'

/** Where webhooks may be. Handed in where a worker is started; no setting changes it. */
export type WebhookNetwork = {
  policy: AddressPolicy
  /** Whose certificates are believed, as PEM, instead of everybody whom the world believes. */
  authority?: string
}

/** What came of a request: the status of the answer, or why there is none. */
export type Posted =
  | { kind: 'answered'; status: number; retryAfterS: number }
  | { kind: 'failed'; error: DeliveryError }

export type Post = { url: string; headers: Record<string, string>; body: string }

/** For everything, from the question to DNS to the last byte of the answer. */
const DEADLINE_MS = 15_000

/** Responses are read up to this size and discarded, so that a receiver can complete its response. */
const ANSWER_BYTES_MAX = 64 * 1024

/**
 * Sends one request to a URL that a stranger chose. The name is looked up once, by us, its addresses are judged, the literal is
 * dialled and judged again once connected (`dialHost`), and TLS is for the name. Redirects are not followed: whoever answers with
 * one has failed.
 */
export async function post({ url, headers, body }: Post, around: WebhookNetwork & { dns: MailDns }): Promise<Posted> {
  const deadline = performance.now() + DEADLINE_MS
  const target = URL.parse(url)
  if (target?.protocol !== 'https:' || target.port !== '') return failed('url_refused')
  const dialled = await dialHost(target.hostname, { dns: around.dns, policy: around.policy, egress: {}, deadline })
  if (dialled.kind === 'failed') return failed(dialled.failure === 'proxy_failed' ? 'unreachable' : dialled.failure)

  let late = false
  const timer = setTimeout(() => {
    late = true
    dialled.socket.destroy()
  }, deadline - performance.now())
  try {
    const secured = await secure(dialled.socket, target.hostname, around.authority)
    if (secured.kind === 'failed') return late ? failed('timeout') : secured
    const posted = await exchange(secured.socket, { target, headers, body })
    return late && posted.kind === 'failed' ? failed('timeout') : posted
  } finally {
    clearTimeout(timer)
    dialled.socket.destroy()
  }
}

type Secured = { kind: 'secured'; socket: TLSSocket } | { kind: 'failed'; error: DeliveryError }

function secure(plain: Socket, host: string, authority: string | undefined): Promise<Secured> {
  return new Promise((resolve) => {
    // Said aloud, because a variable of the environment would otherwise turn it off.
    const trust = { rejectUnauthorized: true, ...(authority !== undefined && { ca: authority }) }
    const socket = connectTls({
      socket: plain,
      servername: host,
      minVersion: 'TLSv1.2',
      ALPNProtocols: ['http/1.1'],
      ...trust,
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      resolve(failed(LOST.has(error.code ?? '') ? 'connection_lost' : 'tls_failed'))
    })
    // Ours may be destroyed below it, by the deadline or by the other side, without an error up here.
    plain.once('close', () => {
      socket.destroy()
      resolve(failed('connection_lost'))
    })
    socket.once('secureConnect', () => resolve({ kind: 'secured', socket }))
  })
}

const LOST = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ERR_STREAM_DESTROYED'])

type Exchange = { target: URL; headers: Record<string, string>; body: string }

function exchange(socket: TLSSocket, { target, headers, body }: Exchange): Promise<Posted> {
  return new Promise((resolve) => {
    const request = sendRequest({
      createConnection: () => socket,
      method: 'POST',
      path: `${target.pathname}${target.search}`,
      headers: { host: target.host, 'content-length': Buffer.byteLength(body), connection: 'close', ...headers },
    })
    // Once there is a status, whatever happens to the rest of the answer changes nothing.
    let answered: Posted | undefined
    request.on('error', (error: NodeJS.ErrnoException) => {
      resolve(answered ?? failed(error.code?.startsWith('HPE_') ? 'not_http' : 'connection_lost'))
    })
    request.once('close', () => resolve(answered ?? failed('connection_lost')))
    request.once('response', (response) => {
      const { statusCode: status = 0, headers } = response
      answered = { kind: 'answered', status, retryAfterS: readRetryAfter(headers['retry-after'], status) }
      readSome(request, response)
    })
    request.end(body)
  })
}

function readSome(request: ClientRequest, response: IncomingMessage): void {
  let heard = 0
  response.on('data', (chunk: Buffer) => {
    heard += chunk.length
    if (heard > ANSWER_BYTES_MAX) request.destroy()
  })
  response.on('error', () => {}) // the answer broke off; its status is known
}

function failed(error: DeliveryError): { kind: 'failed'; error: DeliveryError } {
  return { kind: 'failed', error }
}

/** The statuses with which a receiver may ask for time (RFC 6585 §4, RFC 9110 §15.6.4). */
const ASKS_FOR_TIME = new Set([429, 503])

/** For how many seconds a receiver wants to be left alone (RFC 9110 §10.2.3); 0 where it does not say, or says nonsense. */
export function readRetryAfter(header: string | undefined, status: number, now = Date.now()): number {
  if (header === undefined || !ASKS_FOR_TIME.has(status)) return 0
  if (/^\d{1,9}$/.test(header)) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? 0 : Math.max(0, (at - now) / 1000)
}
