import type { FastifyReply, FastifyRequest } from 'fastify'
import type { People } from '../users.ts'
import { ADDRESS_HEADER, AUTH_PATH } from './data/library.ts'

export type Question = { method: 'GET' | 'POST'; path: string; fields: Record<string, unknown> }

/** Asks the sign-in library on behalf of a request: with its cookies, and with the fields that we have looked at. */
export async function askLibrary(people: People, request: FastifyRequest, question: Question): Promise<Response> {
  const { method, path, fields } = question
  const url = new URL(`http://probity.invalid${AUTH_PATH}${path}`)
  const headers = new Headers({ [ADDRESS_HEADER]: request.ip })
  for (const name of ['cookie', 'user-agent'] as const) {
    const value = request.headers[name]
    if (value !== undefined) headers.set(name, value.slice(0, HEADER_LENGTH_MAX))
  }
  const auth = await people.auth()
  if (method === 'GET') {
    for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, String(value))
    return auth.handler(new Request(url, { headers }))
  }
  headers.set('content-type', 'application/json')
  return auth.handler(new Request(url, { method, headers, body: JSON.stringify(fields) }))
}

/** Cookies of others on the same host may be long; a browser's name for itself is kept with the session. */
const HEADER_LENGTH_MAX = 8_000

/** Hands the library's answer on, cookies and all. */
export async function passOn(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  passOnCookies(reply, response)
  reply.code(response.status).header('content-type', 'application/json; charset=utf-8')
  const text = await response.text()
  return reply.send(text === '' ? '{}' : text)
}

export function passOnCookies(reply: FastifyReply, response: Response): void {
  for (const cookie of response.headers.getSetCookie()) reply.header('set-cookie', cookie)
}
