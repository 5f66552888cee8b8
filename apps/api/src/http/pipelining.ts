import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { whenClosed } from './when-closed.ts'

/** Requests that may wait on a connection behind the one that is processed. A client that sends more is disconnected. */
const PIPELINED_MAX = 32

type Exchange = { request: IncomingMessage; response: ServerResponse }

/**
 * Processes the requests of a connection one after the other. Node hands over all pipelined requests at once, and responses are sent in
 * request
 * order, so every request behind a response that the client does not read would hold a slot until the connection ends.
 */
export function processInOrder(handle: RequestListener): RequestListener {
  /** The waiting requests of each connection that has one in progress. */
  const waiting = new WeakMap<Socket, Exchange[]>()

  function start(socket: Socket, { request, response }: Exchange): void {
    whenClosed(response, () => {
      const next = waiting.get(socket)?.shift()
      if (next && !socket.destroyed) {
        socket.setTimeout(0) // set by the previous response (time-limits.ts): the next handler may take longer
        start(socket, next)
      } else waiting.delete(socket)
    })
    handle(request, response)
  }

  return (request, response) => {
    const { socket } = request
    const queue = waiting.get(socket)
    if (queue === undefined) {
      waiting.set(socket, [])
      start(socket, { request, response })
    } else if (queue.length < PIPELINED_MAX) queue.push({ request, response })
    else socket.destroy()
  }
}
