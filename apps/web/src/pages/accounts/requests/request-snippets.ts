import type { Snippet } from '../../../ui/Code.tsx'
import { KEY_VARIABLE } from '../keys/validate-snippets.ts'

type SnippetRequest = {
  host: string
  method: string
  route: string /** In place of the address, which is not stored. */
  email: string
}

/** Code that repeats a logged request. The body is not stored, so it has placeholders. */
export function requestSnippets({ host, method, route, email }: SnippetRequest): Snippet[] {
  const url = `${host}${route.replaceAll(/:(\w+)/g, (_, name: string) => name.toUpperCase())}`
  const sent = sentWith(method, route, email)
  return [
    { language: 'curl', code: curl(method, url, sent) },
    { language: 'TypeScript', code: typeScript(method, url, sent) },
    { language: 'Python', code: python(method, url, sent) },
  ]
}

type Sent =
  | { kind: 'nothing' }
  | { kind: 'query'; query: Record<string, string> }
  | { kind: 'json'; body: object }
  | { kind: 'file' }

function sentWith(method: string, route: string, email: string): Sent {
  const asked = `${method} ${route.slice(route.lastIndexOf('/v1') + '/v1'.length)}`
  if (asked === 'POST /bulk/upload/preview') return { kind: 'file' }
  if (asked === 'GET /validation/single') return { kind: 'query', query: { email } }
  if (method === 'GET' || method === 'DELETE') return { kind: 'nothing' }
  return { kind: 'json', body: BODIES[asked]?.(email) ?? {} }
}

const BODIES: Record<string, (email: string) => object> = {
  'POST /validation/single': (email) => ({ email }),
  'POST /validation/decision': (email) => ({ email }),
  'POST /validation/bulk': (email) => ({ emails: [email] }),
  'POST /bulk/upload/confirm': () => ({ upload_id: 'UPLOAD_ID', email_column: 'email' }),
  'POST /feedback': (email) => ({ messages: [{ email, delivery: 'delivered' }] }),
  'POST /keys': () => ({ name: 'My key' }),
  'POST /webhooks': () => ({ url: 'https://hooks.example.com/' }),
}

function curl(method: string, url: string, sent: Sent): string {
  const whole = sent.kind === 'query' ? `${url}?${new URLSearchParams(sent.query).toString()}` : url
  const isPlain = method === (sent.kind === 'json' || sent.kind === 'file' ? 'POST' : 'GET')
  const lines = [
    `curl ${isPlain ? '' : `-X ${method} `}'${whole}'`,
    `-H "X-API-Key: $${KEY_VARIABLE}"`,
    ...(sent.kind === 'json' ? ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(sent.body)}'`] : []),
    ...(sent.kind === 'file' ? ["-F 'file=@list.csv'"] : []),
  ]
  return lines.join(' \\\n  ')
}

function typeScript(method: string, url: string, sent: Sent): string {
  const whole = sent.kind === 'query' ? `${url}?${new URLSearchParams(sent.query).toString()}` : url
  const type = sent.kind === 'json' ? ", 'Content-Type': 'application/json'" : ''
  return [
    ...(sent.kind === 'file'
      ? [
          "import { openAsBlob } from 'node:fs'",
          '',
          'const form = new FormData()',
          "form.append('file', await openAsBlob('list.csv'), 'list.csv')",
        ]
      : []),
    `const response = await fetch('${whole}', {`,
    `  method: '${method}',`,
    `  headers: { 'X-API-Key': process.env.${KEY_VARIABLE}${type} },`,
    ...(sent.kind === 'json' ? [`  body: JSON.stringify(${JSON.stringify(sent.body)}),`] : []),
    ...(sent.kind === 'file' ? ['  body: form,'] : []),
    '})',
    "console.log(response.status, response.headers.get('request-id'), await response.json())",
  ].join('\n')
}

function python(method: string, url: string, sent: Sent): string {
  return [
    'import os',
    '',
    'import requests',
    '',
    'response = requests.request(',
    `    "${method}",`,
    `    "${url}",`,
    `    headers={"X-API-Key": os.environ["${KEY_VARIABLE}"]},`,
    ...(sent.kind === 'query' ? [`    params=${JSON.stringify(sent.query)},`] : []),
    ...(sent.kind === 'json' ? [`    json=${JSON.stringify(sent.body)},`] : []),
    ...(sent.kind === 'file' ? ['    files={"file": open("list.csv", "rb")},'] : []),
    '    timeout=30,',
    ')',
    'print(response.status_code, response.headers["request-id"], response.json())',
  ].join('\n')
}
