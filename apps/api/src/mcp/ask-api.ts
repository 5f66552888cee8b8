import type { ProblemBody } from '@probity/contract/problem'
import type { FastifyInstance, FastifyRequest, InjectOptions } from 'fastify'
import { INSIDE } from '../door/note-requests.ts'
import type { Services } from '../services.ts'

/** One message of an agent: who sent it, and what it can be answered with. */
export type Visit = { app: FastifyInstance; services: Services; request: FastifyRequest }

/** The API said no to what a tool asked of it. */
export class Refused extends Error {
  readonly problem: ProblemBody

  constructor(problem: ProblemBody) {
    super(problem.code)
    this.problem = problem
  }
}

type Asked = { method: 'GET' | 'POST'; path: string; payload?: object; headers?: Record<string, string> }

/**
 * Asks our own API what the agent wants to know, with the agent's key and from its network address. So a tool can do nothing that a
 * request could not, and scopes, rates, credits, caps and test mode hold for both.
 */
export async function askApi<Answer>({ app, request }: Visit, asked: Asked): Promise<Answer> {
  const { method, path, payload, headers } = asked
  const key = String(request.headers['x-api-key'])
  const options: InjectOptions = {
    method,
    url: `/api/v1${path}`,
    headers: { ...headers, 'x-api-key': key, [INSIDE.name]: INSIDE.value },
    remoteAddress: request.ip,
    ...(payload !== undefined && { payload }),
  }
  const { statusCode, payload: text } = await app.inject(options)
  const body: unknown = JSON.parse(text)
  if (statusCode >= 400) throw new Refused(body as ProblemBody)
  return body as Answer
}
