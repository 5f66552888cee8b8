import { isIP } from 'node:net'
import { InvalidArgumentError } from 'commander'

/** `address` or `address:port`, with brackets around an IPv6 address that has a port. */
export function readDnsServer(text: string, earlier: string[] = []): string[] {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? []
  const address = isIP(text) === 6 ? text : (bracketed ?? plain ?? '')
  if (isIP(address) === 0 || Number(port ?? 53) > 65_535) {
    throw new InvalidArgumentError('Must be an IP address, such as 127.0.0.1 or 127.0.0.1:5353.')
  }
  return [...earlier, text]
}
