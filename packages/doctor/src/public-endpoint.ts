import { randomBytes } from 'node:crypto'
import { connect } from 'node:tls'
import type { Finding } from '@probity/contract/constants/operators'
import { makeDoctorTicket } from '@probity/database/operators/doctor'
import { type CheckContext, fail, guard, pass, reasonOf, unknown, warn } from './check.ts'

const UPLOAD_BYTES = 8_000_000
const ANSWER_WITHIN_MS = 30_000
/** The service sends events 800 ms apart. The first one is not measured: the data behind it flushes it through any buffer. */
const SPREAD_MIN_MS = 400
const DAY_MS = 86_400_000
const CERTIFICATE_DAYS_MIN = 14

/** Sends requests as a client does, through the proxies in front of the service. */
export async function examinePublicEndpoint({
  publicUrl,
  db,
  now,
}: Pick<CheckContext, 'publicUrl' | 'db' | 'now'>): Promise<Finding[]> {
  if (publicUrl === undefined) {
    const saw = 'PROBITY_PUBLIC_URL is not set, so the public URL of the installation is unknown.'
    const says = 'Set it for the API and the worker.'
    return [unknown('public-url', { saw, says, lines: ['PROBITY_PUBLIC_URL=https://probity.your-domain'] })]
  }
  const subject = publicUrl.replace(/(?<!\/)\/+$/, '')
  const reached = await judgeAddress(subject, now)
  if (reached.status === 'fail') return [reached]
  const ticket = () => makeDoctorTicket(db)
  const found = await Promise.all([
    guard(['upload'], async () => [await judgeUpload(subject, await ticket())]),
    guard(['event-stream'], async () => [await judgeStream(subject, await ticket())]),
  ])
  return [reached, ...found.flat()]
}

async function judgeAddress(subject: string, now: () => number): Promise<Finding> {
  const signal = AbortSignal.timeout(ANSWER_WITHIN_MS)
  const answer = await fetch(`${subject}/livez`, { signal, redirect: 'manual' }).then(
    async (response) => ({ status: response.status, text: (await response.text()).slice(0, 200) }),
    (error: unknown) => ({ error: reasonOf(error) }),
  )
  if ('error' in answer) {
    const says =
      'Check that the name resolves to the proxy, that the proxy is running, and that its certificate is valid for the name.'
    const lines = [`curl -v ${subject}/livez`]
    return fail('public-url', { subject, saw: `The URL is unreachable: ${answer.error}.`, says, lines })
  }
  if (!answer.text.includes('"alive"')) {
    const says = 'Configure the proxy to forward all paths to the API. For nginx:'
    const saw = `Another server responds at this URL: /livez returned ${answer.status}.`
    return fail('public-url', { subject, saw, says, lines: ['location / { proxy_pass http://127.0.0.1:3000; }'] })
  }
  return subject.startsWith('https:') ? judgeCertificate(subject, now) : judgePlain(subject)
}

function judgePlain(subject: string): Finding {
  const { hostname } = new URL(subject)
  const saw = 'The URL responds without TLS.'
  if (hostname === 'localhost' || hostname.startsWith('127.') || hostname === '[::1]')
    return pass('public-url', { subject, saw })
  const says = 'Terminate TLS at a reverse proxy such as Caddy, and update PROBITY_PUBLIC_URL.'
  const lines = [`caddy reverse-proxy --from ${hostname} --to 127.0.0.1:3000`, `PROBITY_PUBLIC_URL=https://${hostname}`]
  return warn('public-url', { subject, saw, says, lines })
}

/** `fetch` has already verified the certificate; this checks its expiry date. */
async function judgeCertificate(subject: string, now: () => number): Promise<Finding> {
  const until = await readExpiry(new URL(subject))
  const days = Math.floor((until - now()) / DAY_MS)
  const saw = `The URL responds, and its certificate is valid for another ${days} days.`
  if (days >= CERTIFICATE_DAYS_MIN) return pass('public-url', { subject, saw })
  return warn('public-url', {
    subject,
    saw,
    says: 'Renew the certificate, and check why automatic renewal failed.',
    lines: ['certbot renew'],
  })
}

function readExpiry({ hostname, port }: URL): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port || 443), servername: hostname })
    socket.setTimeout(ANSWER_WITHIN_MS, () => socket.destroy(new Error('the TLS handshake timed out')))
    socket.once('error', reject)
    socket.once('secureConnect', () => {
      const { valid_to: until } = socket.getPeerCertificate()
      socket.end()
      resolve(Date.parse(until))
    })
  })
}

/** Random bytes, so that no proxy can compress the upload. */
async function judgeUpload(subject: string, ticket: string): Promise<Finding> {
  const response = await fetch(`${subject}/app/api/doctor/upload`, {
    method: 'POST',
    headers: { 'probity-doctor': ticket, 'content-type': 'application/octet-stream' },
    body: randomBytes(UPLOAD_BYTES),
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  }).catch((error: unknown) => reasonOf(error))
  const says =
    'Configure the proxy to accept bodies of 64 MB, because uploads can be 50 MiB. For nginx, in the server block:'
  const lines = ['client_max_body_size 64m;', 'nginx -s reload']
  if (typeof response === 'string') {
    return fail('upload', { subject, saw: `The 8 MB upload failed: ${response}.`, says, lines })
  }
  if (response.status === 413) {
    const by = response.headers.get('server') ?? 'a proxy'
    return fail('upload', { subject, saw: `The 8 MB upload was rejected with 413 by ${by}.`, says, lines })
  }
  const { bytes } = (await response.json().catch(() => ({}))) as { bytes?: number }
  if (bytes === UPLOAD_BYTES) return pass('upload', { subject, saw: 'The 8 MB upload succeeded.' })
  const saw = `The 8 MB upload returned ${response.status} from another server.`
  return fail('upload', { subject, saw, says, lines })
}

async function judgeStream(subject: string, ticket: string): Promise<Finding> {
  const response = await fetch(`${subject}/app/api/doctor/events`, {
    headers: { 'probity-doctor': ticket, accept: 'text/event-stream' },
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  })
  const { text, secondAt, endAt } = await readEvents(response)
  const says = 'Disable response buffering in the proxy. For nginx, in the location block:'
  const lines = ['proxy_buffering off;', 'proxy_read_timeout 1h;', 'nginx -s reload']
  if (secondAt === undefined || endAt === undefined) {
    const saw = `The stream ended early: ${response.status}, ${text.length} bytes.`
    return fail('event-stream', { subject, saw, says, lines })
  }
  const spreadMs = endAt - secondAt
  if (spreadMs >= SPREAD_MIN_MS) return pass('event-stream', { subject, saw: 'Events arrive as they are sent.' })
  return fail('event-stream', {
    subject,
    saw: 'Events sent 800 ms apart arrived all at once.',
    says,
    lines,
  })
}

/** The events as text, and when the second and the last one arrived. */
async function readEvents({ body }: Response): Promise<{ text: string; secondAt?: number; endAt?: number }> {
  const read: { text: string; secondAt?: number; endAt?: number } = { text: '' }
  for await (const bytes of body ?? []) {
    read.text += Buffer.from(bytes as Uint8Array).toString('latin1')
    if (read.text.includes('data: 2')) read.secondAt ??= performance.now()
    if (read.text.includes('event: end')) read.endAt ??= performance.now()
  }
  return read
}
