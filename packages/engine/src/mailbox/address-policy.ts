import { type AddressBlock, isWithin, readAddress, readBlock } from './address-bytes.ts'
import { CLOUD_SERVICES, PUBLIC_BLOCKS, SPECIAL_BLOCKS } from './data/special-addresses.ts'

/** Which addresses may be dialled, and on which port. An object of this kind is handed in where a worker is started. */
export type AddressPolicy = {
  port: number
  /** Whether a literal IPv4 or IPv6 address may be connected to. */
  allows(address: string): boolean
}

/** RFC 5321 §4.5.4.2: where mail servers talk to each other. No other port of a mail host is ever asked. */
const SMTP_PORT = 25

/**
 * Hosts on the public internet and nothing else: who runs a domain chooses the addresses behind its MX records and would have us
 * look around in our own network. An IPv4-mapped address is judged as the IPv4 address it is; every other form that carries one
 * (NAT64, 6to4, Teredo, IPv4-compatible, SIIT) is refused, whatever it carries.
 *
 * `alsoDenied` takes addresses and CIDR blocks: our own public addresses, and the prefix of our NAT64 if it is one of our own
 * (RFC 6052 §2.2), since behind it stands all of IPv4, our private networks included. Webhooks are held to the same, on a port of
 * their own.
 */
export function publicInternet(alsoDenied: string[] = [], port = SMTP_PORT): AddressPolicy {
  const open = PUBLIC_BLOCKS.map(getBlock)
  const denied = [...SPECIAL_BLOCKS, ...CLOUD_SERVICES].map(({ block }) => getBlock(block))
  denied.push(...alsoDenied.map(getBlock))
  return {
    port,
    allows(text) {
      const address = readAddress(text)
      if (address === undefined) return false
      return open.some((block) => isWithin(address, block)) && !denied.some((block) => isWithin(address, block))
    },
  }
}

/** Throws where there is none: an entry that is passed over would leave open what its author meant to close. */
function getBlock(text: string): AddressBlock {
  const block = readBlock(text)
  if (block === undefined) throw new Error(`"${text}" is neither an IP address nor a block in CIDR notation.`)
  return block
}
