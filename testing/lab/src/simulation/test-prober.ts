import { setTimeout as sleep } from 'node:timers/promises'
import { resolverAt } from '../dns/start.ts'
import { callServer } from '../mail/test-client.ts'
import type { RunningSimulation } from './start.ts'

/** How far a manual probe got: to a reply, or to the step before. */
export type Heard = {
  kind:
    | 'reply'
    | 'domain_not_found'
    | 'null_mx'
    | 'no_mail_server'
    | 'dns_failed'
    | 'not_routable'
    | 'connection_failed'
    | 'timeout'
  /** The reply to RCPT, or an earlier reply that ended the session. */
  text: string
  /** The IP address of the last server probed. */
  address: string
}

const PATIENCE_MS = 5_000
const TRIES_MAX = 20

/** Probes the mail hosts in order of preference, and retries temporary replies. */
export async function askWorld(running: RunningSimulation, email: string): Promise<Heard> {
  const hosts = await findHosts(running, email.slice(email.lastIndexOf('@') + 1))
  if (typeof hosts === 'string') return { kind: hosts, text: '', address: '' }

  let heard: Heard = { kind: 'not_routable', text: '', address: '' }
  for (const host of hosts) {
    for (const address of await addressesOf(running, host)) {
      if (!running.policy.allows(address)) continue
      heard = await askAgain({ host: address, port: running.smtpPort }, email)
      if (heard.kind === 'reply') return heard
    }
  }
  return heard
}

async function findHosts({ dnsPort }: RunningSimulation, domain: string): Promise<string[] | Heard['kind']> {
  try {
    const found = await resolverAt(dnsPort).resolveMx(domain)
    if (found.length === 1 && found[0]?.exchange === '') return 'null_mx'
    return found.toSorted((a, b) => a.priority - b.priority).map(({ exchange }) => exchange)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOTFOUND') return 'domain_not_found'
    if (code !== 'ENODATA') return 'dns_failed'
    return (await hasAddress(dnsPort, domain)) ? [domain] : 'no_mail_server'
  }
}

async function hasAddress(dnsPort: number, domain: string): Promise<boolean> {
  return (await orNone(resolverAt(dnsPort).resolve4(domain))).length > 0
}

async function addressesOf({ dnsPort }: RunningSimulation, host: string): Promise<string[]> {
  const resolver = resolverAt(dnsPort)
  return [...(await orNone(resolver.resolve4(host))), ...(await orNone(resolver.resolve6(host)))]
}

/** In the simulation a name has addresses of one family or none. */
async function orNone(look: Promise<string[]>): Promise<string[]> {
  try {
    return await look
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENODATA') throw error
    return []
  }
}

const COMES_LATER = /^4(21 4\.3\.2|50 4\.2\.0|51 Internal|50 4\.1\.1 .*in progress)/

async function askAgain(place: { host: string; port: number }, email: string): Promise<Heard> {
  const address = place.host
  for (let tries = 1; ; tries += 1) {
    const text = await Promise.race([askOnce(place, email), sleep(PATIENCE_MS, null, { ref: false })])
    if (text === null) return { kind: 'timeout', text: '', address }
    if (text === '') return { kind: 'connection_failed', text: '', address }
    if (tries === TRIES_MAX || !COMES_LATER.test(text)) return { kind: 'reply', text, address }
    await sleep(500)
  }
}

async function askOnce(place: { host: string; port: number }, email: string): Promise<string> {
  const { hear, ask, say, socket } = callServer(place)
  const isSilent = setTimeout(() => socket.destroy(), PATIENCE_MS + 1_000)
  try {
    const { text: banner } = await hear()
    if (!banner.startsWith('2')) return banner
    const offers = await ask('EHLO client.example')
    if (!offers.startsWith('2')) await ask('HELO client.example')
    const sender = await ask(`MAIL FROM:<sender@client.example>${offers.includes('SMTPUTF8') ? ' SMTPUTF8' : ''}`)
    if (!sender.startsWith('2')) return sender
    const reply = await ask(`RCPT TO:<${email}>`)
    say('QUIT')
    return reply
  } finally {
    clearTimeout(isSilent)
    socket.destroy()
  }
}
