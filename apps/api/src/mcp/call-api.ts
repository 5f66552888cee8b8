import type { ProblemBody } from '@probity/contract/schemas/problems'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, InjectOptions } from 'fastify'
import type { UserAuthentication } from '../middleware/authentication/session.ts'
import { INSIDE } from '../middleware/request-log/request-log.ts'

export type ToolDependencies = { people: Pick<UserAuthentication, 'secret'>; log: FastifyBaseLogger }

/** Context of a tool call: the HTTP request of the agent and the API that serves it. */
export type ToolContext = { app: FastifyInstance; services: ToolDependencies; request: FastifyRequest }

/** An error response of the API to the request of a tool. */
export class ApiError extends Error {
  readonly problem: ProblemBody

  constructor(problem: ProblemBody) {
    super(problem.code)
    this.problem = problem
  }
}

type ApiRequest = {
  method: 'GET' | 'POST'
  path: string
  query?: Record<string, string | number | undefined>
  payload?: object
  headers?: Record<string, string>
}

/** Calls an operation of our own API. Throws `ApiError` for every status from 400. */
export async function callApi<Body>(context: ToolContext, request: ApiRequest): Promise<Body> {
  return (await inject<Body>(context, request)).body
}

/** One page of a collection of the API, with the total of `X-Total-Count`. */
export type ApiPage<Item> = { data: Item[]; total_count: number; next_skip: number | null }

export async function callApiPage<Item>(
  context: ToolContext,
  request: ApiRequest & { query: { skip?: number; limit: number } },
): Promise<ApiPage<Item>> {
  const { body: data, headers } = await inject<Item[]>(context, request)
  const { skip = 0, limit } = request.query
  const total = Number(headers['x-total-count'])
  return { data, total_count: total, next_skip: skip + limit < total ? skip + limit : null }
}

/**
 * The request has the key and the IP address of the agent. A tool can therefore do nothing that an API request could not, and scopes, rate
 * limits, credits, key caps and test mode apply to both.
 */
async function inject<Body>({ app, request }: ToolContext, { method, path, query, payload, headers }: ApiRequest) {
  const options: InjectOptions = {
    method,
    url: `/api/v1${path}${queryString(query)}`,
    headers: { ...headers, 'x-api-key': String(request.headers['x-api-key']), [INSIDE.name]: INSIDE.value },
    remoteAddress: request.ip,
    ...(payload !== undefined && { payload }),
  }
  const response = await app.inject(options)
  const body: unknown = JSON.parse(response.payload)
  if (response.statusCode >= 400) throw new ApiError(body as ProblemBody)
  return { body: body as Body, headers: response.headers }
}

function queryString(query: ApiRequest['query'] = {}): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value))
  return parameters.size === 0 ? '' : `?${parameters.toString()}`
}
