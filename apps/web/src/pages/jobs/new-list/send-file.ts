import { RequestFailed, readFailure, unreachable } from '../../../session/ask.ts'

/** The upload may take 300 seconds, and reading the file some more. */
const TIMEOUT_MS = 330_000

type Sending = {
  path: string
  file: File
  headers: Record<string, string>
  signal: AbortSignal
  /** The sent share of the form, from 0 to 1. */
  onProgress(share: number): void
}

/** Uploads a file as a form. Uses XMLHttpRequest, since fetch does not report upload progress. */
export function sendFile<T>({ path, file, headers, signal, onProgress }: Sending): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', `/app/api${path}`)
    request.timeout = TIMEOUT_MS
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total)
    request.onload = () => void readAnswer<T>(request).then(resolve, reject)
    request.onerror = () => reject(unreachable())
    request.ontimeout = () => reject(unreachable())
    request.onabort = () => reject(signal.reason)
    signal.addEventListener('abort', () => request.abort(), { once: true })
    const form = new FormData()
    form.append('file', file, file.name)
    request.send(form)
  })
}

async function readAnswer<T>(request: XMLHttpRequest): Promise<T> {
  const { status, responseText } = request
  const requestId = request.getResponseHeader('request-id')
  const answer = new Response(responseText, { status, ...(requestId && { headers: { 'request-id': requestId } }) })
  if (!answer.ok) throw await readFailure(answer)
  return (await answer.json().catch(() => {
    throw new RequestFailed({
      status,
      code: 'unexpected',
      message: 'The service returned an unreadable response to the upload.',
    })
  })) as T
}
