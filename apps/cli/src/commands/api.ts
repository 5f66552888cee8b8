import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { ProblemDetails } from '@probity/sdk'
import { Argument, type Command, InvalidArgumentError } from 'commander'
import { CliError } from '../cli-error.ts'
import { formatPairs } from '../output/format.ts'
import { createAction, logRequest, type Run, type Stage } from '../run.ts'
import { getKey } from '../settings.ts'
import { addExamples, addOutputOptions, readInput } from './options.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
type Method = (typeof METHODS)[number]

type Field = readonly [name: string, value: unknown]
type Flags = { field?: Field[]; typedField?: Field[]; header?: [string, string][]; input?: string }

/** Until the headers of the response; reading the body has no limit. */
const TIMEOUT_MS = 60_000

export function addApi(program: Command, stage: Stage): void {
  const command = program
    .command('api')
    .description('Send a request to any path of the API and print the response body.')
    .addArgument(new Argument('<method>', 'HTTP method: GET, POST, PUT, PATCH or DELETE').argParser(readMethod))
    .argument('<path>', 'path below /api/v1, such as /policies')
    .option(
      '-f, --field <key=value>',
      'string: query parameter of GET and DELETE, else JSON body; repeatable',
      readField,
    )
    .option('-F, --typed-field <key=value>', 'same with a JSON value, such as limit=5; repeatable', readTypedField)
    .option('-H, --header <name:value>', 'request header; repeatable', readHeader)
    .option('--input <file>', 'file with the request body; - for standard input')
  addOutputOptions(command, 'json').action(createAction(stage, callApi))
  addExamples(command, [
    ['probity api GET /account', 'Print the account.'],
    ['probity api GET /bulk/jobs -f status=completed --format table', 'Print a list as a table.'],
    ['probity api POST /overrides --input overrides.json', 'Send a JSON file.'],
    ['probity api PATCH /account -F retention_days=30', 'Change a setting.'],
  ])
}

async function callApi(run: Run, flags: Flags, method: Method, path: string): Promise<void> {
  const response = await send(run, { method, path, flags })
  const type = response.headers.get('content-type') ?? ''
  if (response.status === 204) return
  if (!/[/+]json\b/.test(type)) return run.output.writeChunks(readBody(response))
  const body: unknown = await response.json()
  if (Array.isArray(body) && body.every(isObject)) return run.output.writeAll(body, { columns: columnsOf(body) })
  if (isObject(body)) return run.output.writeOne(body, (object) => formatPairs(Object.entries(object).map(pairOf)))
  await run.output.writeChunks(Readable.from([`${JSON.stringify(body)}\n`]))
}

type ApiCall = { method: Method; path: string; flags: Flags }

async function send(run: Run, { method, path, flags }: ApiCall): Promise<Response> {
  const { signal, settings } = run
  const fields = [...(flags.field ?? []), ...(flags.typedField ?? [])]
  const hasQuery = method === 'GET' || method === 'DELETE'
  const body = readBodyOf(flags, hasQuery ? [] : fields)
  const url = urlOf(settings.baseUrl, path, hasQuery ? fields : [])
  const headers = new Headers({ accept: 'application/json, */*' })
  if (body !== undefined) headers.set('content-type', 'application/json')
  for (const [name, value] of flags.header ?? []) headers.set(name, value)
  headers.set('x-api-key', getKey(settings).text)
  const deadline = new AbortController()
  const timer = setTimeout(
    () => deadline.abort(new DOMException('no response within 60 s', 'TimeoutError')),
    TIMEOUT_MS,
  )
  const startedAt = performance.now()
  try {
    // A redirect is not followed: the key would be sent to its target.
    const init = { method, headers, redirect: 'manual', signal: AbortSignal.any([signal, deadline.signal]) } as const
    const response = await fetch(url, body === undefined ? init : { ...init, body })
    const { status } = response
    const requestId = response.headers.get('request-id') ?? undefined
    logRequest(run.terminal, { method, url: url.href, status, requestId, durationMs: performance.now() - startedAt })
    if (response.ok) return response
    throw await readProblem(response)
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof TypeError) && !(error instanceof DOMException)) throw error
    const { ConnectionError } = await import('@probity/sdk')
    throw new ConnectionError('The service cannot be reached.', error)
  } finally {
    clearTimeout(timer)
  }
}

/** The URL below /api/v1. Paths that leave it are rejected, since the key is sent along. */
function urlOf(baseUrl: string, path: string, query: readonly Field[]): URL {
  const root = `${baseUrl.replace(/(?<!\/)\/+$/, '')}/api/v1/`
  const url = new URL(`${root}${path.replace(/^\/+/, '').replace(/^api\/v1\//, '')}`)
  if (!url.href.startsWith(new URL(root).href)) throw new CliError('usage', 'The path must be below /api/v1.')
  for (const [name, value] of query) url.searchParams.append(name, textOf(value))
  return url
}

function readBodyOf({ input }: Flags, fields: readonly Field[]): string | undefined {
  if (input !== undefined && fields.length > 0) {
    throw new CliError('usage', 'Pass either --input or fields as the request body.')
  }
  if (input !== undefined) return readInput(input)
  return fields.length === 0 ? undefined : JSON.stringify(Object.fromEntries(fields))
}

async function readProblem(response: Response) {
  const { ProbityApiError } = await import('@probity/sdk')
  const { status, headers } = response
  const isProblem = headers.get('content-type')?.includes('application/problem+json') === true
  const problem = isProblem ? ((await response.json()) as ProblemDetails) : undefined
  const detail = problem?.detail ?? `The service responded with ${status}.`
  const requestId = headers.get('request-id') ?? undefined
  const fields = { code: problem?.code ?? `http_${status}`, status, detail, headers, requestId, problem }
  return new ProbityApiError({ ...fields, retryable: false, retryAfterSeconds: undefined })
}

async function* readBody({ body }: Response) {
  if (body !== null) yield* body as ReadableStream<Uint8Array>
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The fields of the first object that are not objects themselves. */
function columnsOf(items: readonly Record<string, unknown>[]) {
  const names = Object.entries(items[0] ?? {}).flatMap(([name, value]) => (isObject(value) ? [] : [name]))
  return names.map((name) => ({ head: name, cell: (item: Record<string, unknown>) => textOf(item[name]) }))
}

function pairOf([name, value]: [string, unknown]): [string, string] {
  return [name, textOf(value)]
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function readMethod(text: string): Method {
  const method = METHODS.find((one) => one === text.toUpperCase())
  if (method === undefined) throw new InvalidArgumentError(`Must be one of ${METHODS.join(', ')}.`)
  return method
}

function readField(text: string, earlier: Field[] = []): Field[] {
  const [name, value] = splitAt(text, '=', 'Must be key=value.')
  return [...earlier, [name, value]]
}

function readTypedField(text: string, earlier: Field[] = []): Field[] {
  const [name, value] = splitAt(text, '=', 'Must be key=value.')
  try {
    return [...earlier, [name, JSON.parse(value)]]
  } catch {
    throw new InvalidArgumentError('The value must be JSON, such as 5, true, null or ["a"].')
  }
}

function readHeader(text: string, earlier: [string, string][] = []): [string, string][] {
  const [name, value] = splitAt(text, ':', 'Must be name:value.')
  if (!/^[\w-]+$/.test(name)) throw new InvalidArgumentError('The name of a header has letters, digits and hyphens.')
  return [...earlier, [name, value.trim()]]
}

function splitAt(text: string, separator: string, message: string): [string, string] {
  const at = text.indexOf(separator)
  if (at < 1) throw new InvalidArgumentError(message)
  return [text.slice(0, at), text.slice(at + 1)]
}
