import { Agent, type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { whenDone } from '@probity/lab/when-done'

/** Opens a connection from an address of the loopback network, sends a text and reads nothing. */
export function sendUnread(port: number, localAddress: string, message = ''): Socket {
  const socket = connect({ host: '127.0.0.1', port, localAddress }).pause()
  whenDone(() => socket.destroy())
  socket.on('error', () => {}) // the server may close the connection
  if (message !== '') socket.write(message)
  return socket
}

type RawRequest = { method?: string; path: string; headers?: Record<string, string>; body?: object }
type RawResponse = { status: number; text: string }

/** A client at an address of the loopback network, with connections of its own. */
export function openClient(port: number, localAddress: string) {
  const agent = new Agent({ keepAlive: true })
  whenDone(() => agent.destroy())
  return ({ method = 'GET', path, headers = {}, body }: RawRequest): Promise<RawResponse> =>
    new Promise((resolve, reject) => {
      const type = body === undefined ? {} : { 'content-type': 'application/json' }
      const options = { host: '127.0.0.1', port, localAddress, agent, method, path, headers: { ...headers, ...type } }
      const sent = request(options, (response: IncomingMessage) => {
        text(response).then((said) => resolve({ status: response.statusCode ?? 0, text: said }), reject)
      })
      sent.on('error', reject)
      sent.end(body && JSON.stringify(body))
    })
}
