import { networkInterfaces } from 'node:os'
import type { MailDns } from '@probity/engine/domain/resolver'
import { publicInternet } from '@probity/engine/smtp/protocol/address-policy'
import { whenDone } from '@probity/lab/when-done'
import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { openOwnAddresses } from './own-addresses.ts'

const EGRESS = { name: 'out', heloName: 'probe.probity.example', mailFrom: 'bounce@probity.example' }
const OTHER = {
  name: 'two',
  heloName: 'two.probity.example',
  mailFrom: 'bounce@probity.example',
  localAddress: '9.9.9.20',
}

type Zone = Record<string, { a?: string[]; aaaa?: string[] }>
type TestZone = { now: Zone | undefined; asked?: number }

/** A resolver over a zone that a test can change; undefined for a resolver that does not respond. */
function dnsOver(zone: TestZone): MailDns {
  const resolve = (name: string, type: 'a' | 'aaaa') => {
    zone.asked = (zone.asked ?? 0) + 1
    const records = zone.now?.[name]?.[type] ?? []
    const code = zone.now === undefined ? 'ETIMEOUT' : 'ENODATA'
    return records.length > 0 ? Promise.resolve(records) : Promise.reject(Object.assign(new Error(code), { code }))
  }
  const none = () => Promise.reject(new Error('not asked'))
  return {
    resolve4: (name) => resolve(name, 'a'),
    resolve6: (name) => resolve(name, 'aaaa'),
    resolveMx: none,
    resolveTxt: none,
  }
}

async function openTestAddresses(zone: TestZone, everyMs?: number) {
  const dns = dnsOver(zone)
  const own = await openOwnAddresses({
    egresses: [EGRESS, OTHER],
    dns,
    log: pino({ level: 'silent' }),
    ...(everyMs !== undefined && { everyMs }),
  })
  whenDone(() => own.stop())
  return own.except(publicInternet())
}

test('addresses of egresses are denied in every form, and others are not', async () => {
  const policy = await openTestAddresses({
    now: { [EGRESS.heloName]: { a: ['9.9.9.10'], aaaa: ['2620:fe::10'] }, [OTHER.heloName]: { a: ['9.9.9.21'] } },
  })
  expect(policy.port).toBe(25)
  for (const own of ['9.9.9.10', '::ffff:9.9.9.10', '2620:fe::10', '2620:fe:0:0::10', '9.9.9.20', '9.9.9.21']) {
    expect([own, publicInternet().allows(own), policy.allows(own)]).toEqual([own, true, false])
  }
  for (const other of ['9.9.9.9', '9.9.9.11', '2620:fe::11'])
    expect([other, policy.allows(other)]).toEqual([other, true])
  for (const never of ['127.0.0.1', '10.0.0.1', 'probe.probity.example', ''])
    expect([never, policy.allows(never)]).toEqual([never, false])
})

test('addresses of network interfaces are denied', async () => {
  const all = { port: 25, allows: () => true }
  const own = await openOwnAddresses({ egresses: [], dns: dnsOver({ now: {} }), log: pino({ level: 'silent' }) })
  whenDone(() => own.stop())
  const outer = Object.values(networkInterfaces()).flatMap((list = []) => list.filter(({ internal }) => !internal))
  for (const { address } of outer) expect([address, own.except(all).allows(address)]).toEqual([address, false])
  expect(own.except(all).allows('9.9.9.9')).toBe(true)
})

test('address changes of a HELO name are followed, and the last addresses are kept while DNS does not respond', async () => {
  const zone = { now: { [EGRESS.heloName]: { a: ['9.9.9.10'] } } as Zone | undefined, asked: 0 }
  const policy = await openTestAddresses(zone, 10)
  zone.now = undefined
  const before = zone.asked
  await vi.waitFor(() => expect(zone.asked).toBeGreaterThan(before + 8))
  expect(policy.allows('9.9.9.10')).toBe(false)
  zone.now = { [EGRESS.heloName]: { a: ['9.9.9.12'] } }
  await vi.waitFor(() => expect([policy.allows('9.9.9.10'), policy.allows('9.9.9.12')]).toEqual([true, false]))
})
