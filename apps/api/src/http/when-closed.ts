import type { ServerResponse } from 'node:http'

const works = new WeakMap<ServerResponse, (() => void)[]>()

/**
 * Runs when a response is complete, or when its client has disconnected. All parts of the process share one listener per response, since
 * Node warns of a leak at the eleventh.
 */
export function whenClosed(response: ServerResponse, work: () => void): void {
  const known = works.get(response)
  if (known) {
    known.push(work)
    return
  }
  const own = [work]
  works.set(response, own)
  response.once('close', () => {
    for (const one of own) one()
  })
}
