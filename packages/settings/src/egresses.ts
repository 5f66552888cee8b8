import { isIP } from 'node:net'
import { readList } from './formats.ts'
import { BadSettings } from './parse.ts'

/** An egress as the engine takes it: HELO name, MAIL FROM, and source address or proxy. */
type Egress = {
  name: string
  heloName: string
  mailFrom: string
  localAddress?: string
  socks5?: { host: string; port: number; username?: string; password?: string }
}

type Identity = { heloName: string | undefined; mailFrom: string | undefined; egress: string }

/**
 * Reads the egresses. There is no default: a HELO name of a third party gets the egress IP listed on DNSBLs. Without a HELO name and a
 * sender, mail servers are not probed.
 */
export function readEgresses({ heloName, mailFrom, egress }: Identity): Egress[] {
  if (heloName === undefined && mailFrom === undefined && egress === '') return []
  if (mailFrom === undefined || heloName === undefined) {
    const name = heloName !== undefined ? 'SMTP_HELO_NAME' : mailFrom !== undefined ? 'SMTP_MAIL_FROM' : 'SMTP_EGRESS'
    throw new BadSettings([{ name, says: 'PROBITY_SMTP_HELO_NAME and PROBITY_SMTP_MAIL_FROM must be set together.' }])
  }
  const ways = readList(egress)
  if (ways.length === 0) return [{ name: heloName, heloName, mailFrom }]
  return ways.map((way) => readWay(way, mailFrom))
}

function readWay(way: string, mailFrom: string): Egress {
  const cut = way.indexOf('=')
  const name = way.slice(0, Math.max(0, cut))
  const to = way.slice(cut + 1)
  if (/^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/.test(name)) {
    const egress = { name, heloName: name, mailFrom }
    if (isIP(to) > 0) return { ...egress, localAddress: to }
    const proxy = URL.canParse(to) ? new URL(to) : undefined
    if (proxy?.protocol === 'socks5:' && proxy.hostname !== '') return { ...egress, socks5: readProxy(proxy) }
  }
  const says = 'PROBITY_SMTP_EGRESS is not valid. Use host-name=address or host-name=socks5://host:port.'
  throw new BadSettings([{ name: 'SMTP_EGRESS', says }])
}

const SOCKS_PORT = 1080

function readProxy({ hostname, port, username, password }: URL): NonNullable<Egress['socks5']> {
  const login = { username: decodeURIComponent(username), password: decodeURIComponent(password) }
  return { host: hostname, port: port === '' ? SOCKS_PORT : Number(port), ...(username !== '' && login) }
}
