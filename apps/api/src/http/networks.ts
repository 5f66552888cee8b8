import { BlockList, isIP } from 'node:net'
import { Problem } from './problem.ts'

/** Rejects clients outside the account's IP allowlist. */
export function refuseForeignNetwork(client: { ip: string }, account: { accountIpAllowList: string[] }): void {
  if (!isFromNetwork(client, account)) throw new Problem('ip_not_allowed')
}

/** Whether the account's IP allowlist admits the client; an empty list admits all. */
export function isFromNetwork({ ip }: { ip: string }, { accountIpAllowList: list }: { accountIpAllowList: string[] }) {
  return list.length === 0 || isOnList(ip, list)
}

/** Whether a list contains this address or a range that includes it. */
export function isOnList(ip: string, list: string[]): boolean {
  return matchRanges(list)(ip)
}

/** Parses the ranges once, for lists that are compared with many addresses. IPv4 written as IPv6 (::ffff:192.0.2.1) counts as IPv4. */
export function matchRanges(list: string[]): (ip: string) => boolean {
  if (list.length === 0) return () => false
  const ranges = new BlockList()
  for (const entry of list) addRange(ranges, entry)
  return (ip) => {
    const address = ip.startsWith('::ffff:') && ip.includes('.') ? ip.slice('::ffff:'.length) : ip
    const family = isIP(address) // 0 for an invalid address from a proxy, on which the class would throw
    return family !== 0 && ranges.check(address, family === 6 ? 'ipv6' : 'ipv4')
  }
}

/** The network that a client's address belongs to: the address itself, or the /64 of an IPv6 address, whose other bits the client chooses. */
export function networkOf(ip: string): string {
  if (!ip.includes(':')) return ip
  if (ip.includes('.')) return ip.slice(ip.lastIndexOf(':') + 1)
  const [front = '', back] = ip.split('::')
  const before = front === '' ? [] : front.split(':')
  const after = back === undefined || back === '' ? [] : back.split(':')
  const zeros = back === undefined ? 0 : Math.max(0, 8 - before.length - after.length)
  const groups = [...before, ...Array.from({ length: zeros }, () => '0'), ...after]
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}

/** Whether every address of a range is in one of the ranges of a list. Ranges of the other address family never count. */
export function isWithin(entry: string, list: string[]): boolean {
  const inner = readRange(entry)
  return list.some((range) => {
    const outer = readRange(range)
    return inner.family === outer.family && inner.prefix >= outer.prefix && isOnList(inner.address, [range])
  })
}

/** The network around that of a client: the /24 of an IPv4 address, the /48 of an IPv6 address. Hosting customers often have one. */
export function wideNetworkOf(ip: string): string {
  const network = networkOf(ip)
  const separator = network.includes(':') ? ':' : '.'
  return network.split(separator).slice(0, 3).join(separator)
}

/** Whether an entry is valid in an IP allowlist: one address, or a range with its prefix length. */
export function isRange(entry: string): boolean {
  try {
    addRange(new BlockList(), entry)
    return true
  } catch {
    return false // the class throws on invalid input
  }
}

function readRange(entry: string): { address: string; family: number; prefix: number } {
  const [address = '', prefix] = entry.split('/')
  const family = isIP(address)
  const bits = family === 6 ? 128 : 32
  return { address, family, prefix: prefix === undefined ? bits : Number(prefix) }
}

function addRange(ranges: BlockList, entry: string): void {
  const [address = '', prefix, more] = entry.split('/')
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
  if (more !== undefined || (prefix !== undefined && !/^\d{1,3}$/.test(prefix))) throw new Error('not a range')
  if (prefix === undefined) ranges.addAddress(address, family)
  else ranges.addSubnet(address, Number(prefix), family)
}
