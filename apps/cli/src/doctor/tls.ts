import { connect } from 'node:tls'
import type { Finding } from './finding.ts'

const TIMEOUT_MS = 10_000
const DAY_MS = 24 * 60 * 60 * 1_000
/** Certificates are renewed a month before, so whose has two weeks left is forgotten. */
const DAYS_LEFT_MIN = 14

/** How the way to the service is protected. */
export async function lookAtTls(baseUrl: string): Promise<Finding> {
  const { protocol, hostname, port } = new URL(baseUrl)
  if (protocol === 'http:') {
    const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
    return isLocal
      ? { what: 'TLS', state: 'fine', detail: 'none, and the service is on this machine' }
      : { what: 'TLS', state: 'note', detail: 'none: the key and all addresses can be read on the way' }
  }
  return shakeHands(hostname, port === '' ? 443 : Number(port))
}

function shakeHands(host: string, port: number): Promise<Finding> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, servername: host, timeout: TIMEOUT_MS })
    const end = (finding: Finding) => {
      socket.destroy()
      resolve(finding)
    }
    const fail = (why: string) => end({ what: 'TLS', state: 'wrong', detail: why, exit: 'network' })
    socket.once('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.message))
    socket.once('timeout', () => fail('no answer in time'))
    socket.once('secureConnect', () => {
      const days = Math.floor((Date.parse(socket.getPeerCertificate().valid_to) - Date.now()) / DAY_MS)
      const isShort = days < DAYS_LEFT_MIN
      end({
        what: 'TLS',
        state: isShort ? 'note' : 'fine',
        detail: `${socket.getProtocol() ?? 'TLS'}, the certificate is good for ${days} days`,
      })
    })
  })
}
