import { networkInterfaces } from 'node:os'
import { startInterval } from '@probity/concurrency/scheduling'
import { type MailDns, queryDns } from '@probity/engine/domain/resolver'
import {
  type AddressBlock,
  type AddressPolicy,
  isWithin,
  readAddress,
  readBlock,
} from '@probity/engine/smtp/protocol/address-policy'
import type { Egress } from '@probity/engine/smtp/protocol/dial'
import type { Logger } from 'pino'

/** The addresses of this host and of its egresses. */
export type OwnAddresses = {
  /** The same policy without our own addresses. */
  except(policy: AddressPolicy): AddressPolicy
  stop(): Promise<void>
}

/** The address of a HELO name changes when an operator moves the egress. */
const LOOK_UP_EVERY_MS = 5 * 60_000

type Options = { egresses: Egress[]; dns: MailDns; log: Logger; everyMs?: number }

/**
 * An MX record or a webhook URL can point at our public addresses. Connections from our own host can pass firewalls that block other
 * clients,
 * so no own address is dialed: neither those of network interfaces and settings, nor those that the HELO names resolve to.
 */
export async function openOwnAddresses({
  egresses,
  dns,
  log,
  everyMs = LOOK_UP_EVERY_MS,
}: Options): Promise<OwnAddresses> {
  const resolved = new Map<string, string[]>()
  let blocks: AddressBlock[] = []

  async function lookUp(): Promise<void> {
    const names = new Set(egresses.map(({ heloName }) => heloName))
    await Promise.all([...names].map(async (name) => resolved.set(name, await resolve(dns, name, resolved.get(name)))))
    const local = egresses.flatMap(({ localAddress }) => localAddress ?? [])
    blocks = [...resolved.values(), local, listInterfaces()].flat().flatMap((address) => readBlock(address) ?? [])
  }

  await lookUp()
  const interval = startInterval(everyMs, lookUp, {
    onError: (error) => log.warn({ err: error }, 'egress address lookup failed; retrying'),
  })
  return {
    except: (policy) => ({
      get port() {
        return policy.port
      },
      allows(text) {
        const address = readAddress(text)
        return address !== undefined && !blocks.some((block) => isWithin(address, block)) && policy.allows(text)
      },
    }),
    stop: () => interval.stop(),
  }
}

/** All addresses of a name. If DNS does not respond, the previous addresses are kept. */
async function resolve(dns: MailDns, name: string, before: string[] = []): Promise<string[]> {
  const answers = await Promise.all([queryDns(dns.resolve4(name)), queryDns(dns.resolve6(name))])
  const found = answers.flatMap((answer) => (answer.kind === 'records' ? answer.records : []))
  return answers.some(({ kind }) => kind === 'failed') ? [...new Set([...before, ...found])] : found
}

/** Interface addresses of this host without loopback, which the production policy never allows. */
function listInterfaces(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.filter(({ internal }) => !internal).map(({ address }) => address),
  )
}
