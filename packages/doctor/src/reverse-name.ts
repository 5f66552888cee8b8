import { readAddress } from '@probity/engine/smtp/protocol/address-policy'

/** The bytes of an address as labels, the last first: the first part of its name in reverse zones and in block lists. */
export function reverseLabels(address: string): string {
  const bytes = [...(readAddress(address) ?? [])]
  if (!address.includes(':')) return bytes.slice(-4).toReversed().join('.')
  const digits = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return [...digits].toReversed().join('.')
}

/** The name of the PTR record of an address (RFC 1035 §3.5, RFC 3596 §2.5). */
export function reverseName(address: string): string {
  return `${reverseLabels(address)}.${address.includes(':') ? 'ip6' : 'in-addr'}.arpa`
}
