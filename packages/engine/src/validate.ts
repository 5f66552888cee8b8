import { parseAddress } from './address/parse.ts'
import { isRole } from './address/role.ts'
import { suggest } from './address/suggest.ts'
import type { DomainDesk } from './domain/facts.ts'
import type { Lists } from './domain/lists.ts'
import type { MailboxDesk } from './mailbox/desk.ts'
import { decide } from './verdict/decide.ts'
import { domainEvidence, listEvidence, mailboxEvidence, syntaxEvidence } from './verdict/evidence.ts'
import type { Validation } from './verdict/validation.ts'

/** What the engine needs of the world. Without a mailbox desk no mail server is asked. */
export type Network = { domains: DomainDesk; lists: Lists; mailboxes?: MailboxDesk }

export type Attempt = {
  /** How many times the address has been tried, this time included. */
  tries: number
  /** On the clock of `performance.now()`: when the mail server must have answered. */
  deadline: number
}

/** Long enough for a server that answers slowly on purpose, and for a second one after that. */
const ANSWER_WITHIN_MS = 40_000

/** The whole path of an address: read it, ask about its domain, ask its mail server, decide. */
export async function validate(email: string, network: Network, attempt: Partial<Attempt> = {}): Promise<Validation> {
  const { tries = 1, deadline = performance.now() + ANSWER_WITHIN_MS } = attempt
  const began = performance.now()
  const address = parseAddress(email)
  const evidence = [syntaxEvidence(address, performance.now() - began)]
  const isAddress = address.kind === 'address'
  const role = isAddress && isRole(address)
  const known = { email, address, isRole: role, didYouMean: isAddress ? suggest(address) : null, retryAfterMs: null }
  if (address.kind === 'malformed' || address.domain.kind === 'literal') {
    return { ...known, verdict: decide({ address, isRole: role }), evidence }
  }

  const { ascii } = address.domain
  const classes = network.lists.classify(ascii)
  const { facts, source } = await network.domains.lookUp(ascii)
  evidence.push(...domainEvidence(facts, source), listEvidence(classes))
  const findings = { address, isRole: role, mail: facts.mail, isDisposable: classes.isDisposable }
  if (facts.mail.kind !== 'hosts' || network.mailboxes === undefined) {
    return { ...known, verdict: decide(findings), facts, classes, evidence }
  }

  const { provider, mail } = facts
  const recipient = { path: `${address.local}@${ascii}`, needsUtf8: address.needsUtf8 }
  const mailbox = await network.mailboxes.ask({ domain: ascii, hosts: mail.hosts, provider, recipient, deadline })
  evidence.push(...mailboxEvidence(mailbox))
  const retryAfterMs = mailbox.again ? network.mailboxes.nextTryMs(provider, tries, mailbox.again.afterMs) : null
  const verdict = decide({ ...findings, mailbox })
  return { ...known, verdict, facts, classes, mailbox, retryAfterMs, evidence }
}
