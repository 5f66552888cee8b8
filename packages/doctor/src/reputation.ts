import type { Finding } from '@probity/contract/constants/operators'
import { type MailDns, queryDns } from '@probity/engine/domain/resolver'
import { fail, pass, unknown, warn } from './check.ts'
import type { Blocklist } from './data/blocklists.ts'
import type { EgressAddress } from './egress.ts'
import { reverseLabels } from './identity.ts'

/** Checks the egress IPs against DNSBLs. A DNSBL that does not respond is reported as `unknown`. */
export async function examineReputation(
  ways: EgressAddress[],
  dns: MailDns,
  blocklists: Blocklist[],
): Promise<Finding[]> {
  const questions = ways.flatMap((way) => blocklists.map((list) => askList(way, list, dns)))
  return Promise.all(questions)
}

async function askList({ egress, address }: EgressAddress, list: Blocklist, dns: MailDns): Promise<Finding> {
  const subject = `${egress.name} · ${list.zone}`
  if (address === undefined) {
    const saw = 'The egress IP is unknown, so DNSBLs cannot be queried.'
    return unknown('blocklists', { subject, saw, says: 'Fix the "port-25" finding of this egress first.' })
  }
  const name = `${reverseLabels(address)}.${list.zone}`
  const answer = await queryDns(dns.resolve4(name))
  if (answer.kind === 'no_name')
    return pass('blocklists', { subject, saw: `${address} is not listed on ${list.name}.` })
  if (answer.kind !== 'records') {
    const saw = `${list.name} could not be queried: ${answer.kind === 'failed' ? answer.failure : 'the response was empty'}.`
    return unknown('blocklists', { subject, saw, says: couldNotAsk(list), lines: [`dig ${name} A`] })
  }
  return judgeRecords({ subject, address, name }, list, answer.records.toSorted())
}

type Asked = { subject: string; address: string; name: string }

function judgeRecords({ subject, address, name }: Asked, list: Blocklist, records: string[]): Finding {
  const refusal = records.map((record) => list.refusals[record]).find((why) => why !== undefined)
  const strange = records.filter((record) => !record.startsWith('127.'))
  if (refusal !== undefined || strange.length > 0) {
    const why = refusal ?? 'the response is outside 127.0.0.0/8, so the resolver probably rewrites responses'
    const saw = `${list.name} could not be queried: ${why} (${records.join(', ')}). This is not a listing.`
    return unknown('blocklists', { subject, saw, says: couldNotAsk(list), lines: [`dig ${name} A`] })
  }
  const listed = list.weight === 'fail' ? fail : warn
  const says = `Find out what was sent from ${address} and stop it, then request delisting. If the IP is relisted repeatedly, replace it.`
  const saw = `${address} is listed on ${list.name} (${records.join(', ')}).`
  return listed('blocklists', { subject, saw, says, lines: [list.removal, `dig ${name} TXT`] })
}

function couldNotAsk({ name }: Blocklist): string {
  return `Use your own resolver, not a public one or that of your hosting provider. ${name} may require a key for high query volumes.`
}
