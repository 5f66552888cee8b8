import type { Finding } from '@probity/contract/doctor'
import { ask } from '@probity/engine/domain/ask'
import type { MailDns } from '@probity/engine/domain/resolver'
import type { Blocklist } from './data/blocklists.ts'
import { fail, pass, unknown, warn } from './finding.ts'
import { reverseLabels } from './reverse-name.ts'
import type { WayOut } from './way-out.ts'

/** Whether our addresses are on block lists. "They would not say" is kept apart from both answers. */
export async function examineReputation(ways: WayOut[], dns: MailDns, blocklists: Blocklist[]): Promise<Finding[]> {
  const questions = ways.flatMap((way) => blocklists.map((list) => askList(way, list, dns)))
  return Promise.all(questions)
}

async function askList({ egress, address }: WayOut, list: Blocklist, dns: MailDns): Promise<Finding> {
  const subject = `${egress.name} · ${list.zone}`
  if (address === undefined) {
    const saw = 'It is not known by which address mail servers see this way out, so nobody can be asked about it.'
    return unknown('blocklists', { subject, saw, says: 'See what "port-25" says of this way out first.' })
  }
  const name = `${reverseLabels(address)}.${list.zone}`
  const answer = await ask(dns.resolve4(name))
  if (answer.kind === 'no_name') return pass('blocklists', { subject, saw: `${address} is not on ${list.name}.` })
  if (answer.kind !== 'records') {
    const saw = `${list.name} could not be asked: ${answer.kind === 'failed' ? answer.failure : 'its answer was empty'}.`
    return unknown('blocklists', { subject, saw, says: couldNotAsk(list), lines: [`dig ${name} A`] })
  }
  return judgeRecords({ subject, address, name }, list, answer.records.toSorted())
}

type Asked = { subject: string; address: string; name: string }

function judgeRecords({ subject, address, name }: Asked, list: Blocklist, records: string[]): Finding {
  const refusal = records.map((record) => list.refusals[record]).find((why) => why !== undefined)
  const strange = records.filter((record) => !record.startsWith('127.'))
  if (refusal !== undefined || strange.length > 0) {
    const why = refusal ?? 'an answer that no block list gives; the resolver seems to make answers up'
    const saw = `${list.name} could not be asked: ${why} (${records.join(', ')}). This is no listing.`
    return unknown('blocklists', { subject, saw, says: couldNotAsk(list), lines: [`dig ${name} A`] })
  }
  const listed = list.weight === 'fail' ? fail : warn
  const says = `Find out what was sent from ${address} and end it, then ask to be taken off. An address that is listed again and again is better given back.`
  const saw = `${address} is on ${list.name} (${records.join(', ')}).`
  return listed('blocklists', { subject, saw, says, lines: [list.removal, `dig ${name} TXT`] })
}

function couldNotAsk({ name }: Blocklist): string {
  return `Ask by a resolver of your own, not a public one or that of a hoster; ${name} may want a key for many questions.`
}
