import { type Choose, exampleOf } from './examples.ts'
import { type Change, changeValue, type Plan } from './hostile.ts'
import type { KnownIds } from './known-ids.ts'
import { type Operation, WILDCARD } from './operations.ts'

/** A request in the form in which it is sent. */
export type WireRequest = {
  method: string
  path: string
  headers: Record<string, string>
  body: Buffer | undefined
  params: Record<string, string>
}

type Known = Pick<KnownIds, 'paramsFor' | 'valueFor'>

/** Turns a plan into a request: valid by its schema, except for the plan's changes. */
export function buildRequest(operation: Operation, plan: Plan, known: Known): WireRequest {
  const choose = chooser(plan.picks)
  const changes = (part: Change['part']) => plan.changes.filter((change) => change.part === part)
  const params = known.paramsFor(operation, choose)
  // The path is the only input of a page.
  for (const { at, text } of WILDCARD in params ? plan.changes : changes('path')) {
    const name = operation.params[at % Math.max(1, operation.params.length)]
    if (name) params[name] = text
  }
  const path = operation.template.replaceAll(/\{(\w+)\}/g, (_, name) => {
    const written = encode(params[name] ?? '')
    return name === WILDCARD && choose(2) === 0 ? written.replaceAll('%2F', '/') : written
  })
  const query = buildQuery(operation, known, { choose, changes: changes('query') })
  const headers: Record<string, string> = { accept: 'application/json, text/event-stream' }
  for (const { at, text } of changes('header')) {
    const name = HEADERS[at % HEADERS.length]
    // Node refuses to send other characters. Those are tested with a raw socket in apps/api.
    if (name)
      headers[name] = text
        .replaceAll(/[^\x20-\x7e\x80-\xff]/g, '?')
        .trim()
        .slice(0, 2_000)
  }
  const body = buildBody(operation, known, { choose, plan, changes: changes('body') })
  const type = plan.contentType ?? body?.type
  if (body && type) headers['content-type'] = type
  return { method: operation.method, path: path + query, headers, body: body?.bytes, params }
}

/** Headers that routes read. Keys and sessions are not among them: they decide how far a request gets. */
const HEADERS = [
  'idempotency-key',
  'probity-mode',
  'accept',
  'if-none-match',
  'range',
  'traceparent',
  'user-agent',
  'stripe-signature',
]

function chooser(picks: number[]): Choose {
  let at = 0
  return (max) => {
    at += 1
    return (picks[at % picks.length] ?? 0) % max
  }
}

type Parts = { choose: Choose; changes: Change[] }

function buildQuery({ query }: Operation, known: Known, { choose, changes }: Parts): string {
  const fields = query === undefined ? {} : withKnown(exampleOf({ ...query, examples: [] }, choose), known, choose)
  const pairs = Object.entries(fields as object).map(([name, one]) => [name, String(one)] as [string, string])
  for (const { at, action, text } of changes) {
    const pair = pairs[at % Math.max(1, pairs.length)]
    if (pair === undefined || action === 'add') pairs.push([text, text])
    else if (action === 'repeat') pairs.push([pair[0], text])
    else if (action === 'remove') pairs.splice(pairs.indexOf(pair), 1)
    else pair[1] = text
  }
  const written = pairs.map(([name, one]) => `${encode(name)}=${encode(one)}`)
  if (changes.some(({ at }) => at % 10 === 0)) written.push('%', 'a[b]=c', '&', '%zz=%ff')
  return written.length === 0 ? '' : `?${written.join('&')}`
}

type BodyParts = Parts & { plan: Plan }
type Built = { type: string; bytes: Buffer } | undefined

function buildBody({ body, method }: Operation, known: Known, { choose, plan, changes }: BodyParts): Built {
  if (plan.raw !== undefined && method !== 'GET') return { type: body?.type ?? 'application/json', bytes: plan.raw }
  if (body === undefined) return undefined
  if (body.type === 'multipart/form-data') return buildForm(choose, changes)
  let value = withKnown(exampleOf(body.schema, choose), known, choose)
  for (const change of changes) value = changeValue(value, change)
  return { type: body.type, bytes: Buffer.from(JSON.stringify(value) ?? '') }
}

/** A file of addresses, as the form of an upload. */
function buildForm(choose: Choose, changes: Change[]): Built {
  const rows = Array.from({ length: 1 + choose(30) }, (_, n) => `valid+${choose(1_000)}${n}@example.com,${n}`)
  const texts = changes.map(({ text }) => text.toWellFormed())
  const file = ['email,n', ...rows, ...texts].join('\n')
  const name = (texts[0] ?? 'list.csv').replaceAll(/[\r\n"]/g, '_')
  const boundary = 'fuzz-boundary'
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`
  const bytes = Buffer.from(`${head}${file}\r\n--${boundary}--\r\n`)
  return { type: `multipart/form-data; boundary=${boundary}`, bytes }
}

/** Replaces example ids with existing ones. */
function withKnown(value: unknown, known: Known, choose: Choose): unknown {
  if (typeof value !== 'object' || value === null) return value
  const holder = value as Record<string, unknown>
  for (const [name, one] of Object.entries(holder)) {
    holder[name] = typeof one === 'string' ? (known.valueFor(name, choose) ?? one) : withKnown(one, known, choose)
  }
  return holder
}

/** As `encodeURIComponent`, also for unpaired surrogates, whose bytes are sent as invalid UTF-8. */
function encode(text: string): string {
  if (text.isWellFormed()) return encodeURIComponent(text)
  return [...Buffer.from(text, 'utf16le')].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
}
