import type { Snippet } from '../../../ui/Code.tsx'

type Filled = {
  host: string
  email: string /** Without it the code reads the key from the environment. */
  key?: string | undefined
}

/** One validation in several languages, ready to run against this service. */
export function validateSnippets({ host, email, key }: Filled): Snippet[] {
  return [
    { language: 'curl', code: curl(host, email, key) },
    { language: 'TypeScript', code: typeScript(host, email, key) },
    { language: 'Python', code: python(host, email, key) },
  ]
}

export const KEY_VARIABLE = 'PROBITY_API_KEY'

function curl(host: string, email: string, key: string | undefined): string {
  const header = key === undefined ? `"X-API-Key: $${KEY_VARIABLE}"` : inShell(`X-API-Key: ${key}`)
  return [
    `curl ${inShell(`${host}/api/v1/validation/single`)} \\`,
    `  -H ${header} \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d ${inShell(JSON.stringify({ email }))}`,
  ].join('\n')
}

function typeScript(host: string, email: string, key: string | undefined): string {
  const secret = key === undefined ? `process.env.${KEY_VARIABLE}` : JSON.stringify(key)
  return [
    "import { Probity } from '@probity/sdk'",
    '',
    'const probity = new Probity({',
    `  baseUrl: ${JSON.stringify(host)},`,
    `  apiKey: ${secret},`,
    '})',
    '',
    `const result = await probity.validate(${JSON.stringify(email)})`,
    'console.log(result.status, result.sub_status)',
  ].join('\n')
}

function python(host: string, email: string, key: string | undefined): string {
  const secret = key === undefined ? `os.environ["${KEY_VARIABLE}"]` : JSON.stringify(key)
  return [
    'import json',
    ...(key === undefined ? ['import os'] : []),
    'from urllib.request import Request, urlopen',
    '',
    'request = Request(',
    `    ${JSON.stringify(`${host}/api/v1/validation/single`)},`,
    `    data=json.dumps({"email": ${JSON.stringify(email)}}).encode(),`,
    `    headers={"X-API-Key": ${secret}, "Content-Type": "application/json"},`,
    ')',
    'with urlopen(request, timeout=30) as answer:',
    '    result = json.load(answer)',
    'print(result["status"], result["sub_status"])',
  ].join('\n')
}

/** An address can contain a quotation mark. */
export function inShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
