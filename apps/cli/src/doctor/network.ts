import { connect } from 'node:tls'

const TIMEOUT_MS = 10_000

export type Reachability =
  | { kind: 'reachable'; ms: number; clockOffsetMs: number | undefined }
  | { kind: 'unreachable'; cause: string }

/** Requests /livez, which needs no key, and compares the clocks. */
export async function reachService(baseUrl: string, signal: AbortSignal): Promise<Reachability> {
  const startedAt = performance.now()
  try {
    const options = { signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]), redirect: 'manual' } as const
    const response = await fetch(new URL('/livez', baseUrl), options)
    const ms = Math.round(performance.now() - startedAt)
    await response.body?.cancel()
    if (!response.ok) return { kind: 'unreachable', cause: `status ${response.status}` }
    return { kind: 'reachable', ms, clockOffsetMs: clockOffset(response.headers.get('date'), ms) }
  } catch (error) {
    signal.throwIfAborted()
    return { kind: 'unreachable', cause: causeOf(error) }
  }
}

/** The header has whole seconds: half a second is added on average. */
function clockOffset(date: string | null, durationMs: number): number | undefined {
  const serverMs = Date.parse(date ?? '')
  return Number.isNaN(serverMs) ? undefined : Date.now() - durationMs / 2 - (serverMs + 500)
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  if (error.name === 'TimeoutError') return `no response in ${TIMEOUT_MS / 1_000} s`
  const { code, message } = (error.cause instanceof Error ? error.cause : error) as NodeJS.ErrnoException
  return code ?? message
}

export type Certificate = { kind: 'valid'; protocol: string; daysLeft: number } | { kind: 'failed'; cause: string }

const DAY_MS = 24 * 60 * 60 * 1_000

export function readCertificate(host: string, port: number): Promise<Certificate> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, servername: host, timeout: TIMEOUT_MS })
    const end = (certificate: Certificate) => {
      socket.destroy()
      resolve(certificate)
    }
    socket.once('error', (error: NodeJS.ErrnoException) => end({ kind: 'failed', cause: error.code ?? error.message }))
    socket.once('timeout', () => end({ kind: 'failed', cause: 'no response in time' }))
    socket.once('secureConnect', () => {
      const daysLeft = Math.floor((Date.parse(socket.getPeerCertificate().valid_to) - Date.now()) / DAY_MS)
      end({ kind: 'valid', protocol: socket.getProtocol() ?? 'TLS', daysLeft })
    })
  })
}

const REGISTRY_TIMEOUT_MS = 2_000

/** The version that npm would install; undefined if the registry does not respond in time or does not have the package. */
export async function findLatestVersion(registry: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const url = new URL('@probity%2fcli/latest', registry.endsWith('/') ? registry : `${registry}/`)
    const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(REGISTRY_TIMEOUT_MS)]) })
    const body = response.ok ? ((await response.json()) as { version?: unknown }) : {}
    return typeof body.version === 'string' ? body.version : undefined
  } catch {
    signal.throwIfAborted()
    return undefined
  }
}
