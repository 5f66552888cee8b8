import { inShell } from '../../accounts/keys/validate-snippets.ts'

type Sent = { url: string; headers: Record<string, string>; body: string }

/** Headers that curl sets itself. */
const LEFT_OUT = new Set(['content-length', 'host', 'connection'])

/** A delivery as a curl command that sends exactly the signed bytes. */
export function webhookCurl({ url, headers, body }: Sent): string {
  const sent = Object.entries(headers).filter(([name]) => !LEFT_OUT.has(name.toLowerCase()))
  return [
    `curl ${inShell(url)}`,
    ...sent.map(([name, value]) => `-H ${inShell(`${name}: ${value}`)}`),
    `--data-binary ${inShell(body)}`,
  ].join(' \\\n  ')
}
