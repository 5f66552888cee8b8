import { BlockList, isIP } from 'node:net'
import { Format } from 'typebox/format'

/** A connection URL of one of the named kinds. For the settings' own schemas: formats are checked by name. */
export const URL_FORMATS = { postgres: 'postgres-url', redis: 'redis-url' } as const

Format.Set(URL_FORMATS.postgres, (text) => /^postgres(ql)?:\/\/./.test(text) && URL.canParse(text))
Format.Set(URL_FORMATS.redis, (text) => /^rediss?:\/\/./.test(text) && URL.canParse(text))

/** A setting that names several things, separated by commas. */
export function readList(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8)
LOOPBACK.addAddress('::1', 'ipv6')

/** Whether a host, as it is in a URL or in HOST, is this machine. RFC 6761 section 6.3 reserves localhost and the names below it. */
export function isLoopbackHost(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, '$1')
  const family = isIP(address)
  if (family === 0) return /^(.+\.)?localhost$/i.test(host)
  return LOOPBACK.check(address, family === 6 ? 'ipv6' : 'ipv4')
}
