import { suggestFor } from './address/cached-result.ts'
import { type Address, type Malformed, parseAddress } from './address/parse.ts'
import { isRole } from './address/role.ts'
import type { DomainDesk } from './domain/facts.ts'
import type { Lists } from './domain/lists.ts'
import type { MailboxDesk } from './mailbox/desk.ts'
import { conclude, isOpenToHistory } from './verdict/conclude.ts'
import type { Findings } from './verdict/decide.ts'
import { classEvidence, domainEvidence, mailboxEvidence, syntaxEvidence } from './verdict/evidence.ts'
import { explain } from './verdict/explain.ts'
import { type HistoryDesk, NO_HISTORY } from './verdict/history.ts'
import { type Manner, USUAL_MANNER } from './verdict/manner.ts'
import type { Found, Validation } from './verdict/validation.ts'

/** What the engine needs of the world. Without a mailbox desk no mail server is asked, without histories nothing is known of outcomes. */
export type Network = { domains: DomainDesk; lists: Lists; mailboxes?: MailboxDesk; histories?: HistoryDesk }

export type Attempt = {
  /** The parsed email, if the caller has parsed it already. */
  address: Address | Malformed
  /** How many times the address has been tried, this time included. */
  tries: number
  /** On the clock of `performance.now()`: when the mail server must have answered. */
  deadline: number
  /** How whoever asks wants it judged. */
  manner: Manner
}

/** Long enough for a server that answers slowly on purpose, and for a second one after that. */
const ANSWER_WITHIN_MS = 40_000

/** The whole path of an address: read it, ask about its domain, ask its mail server, conclude. */
export async function validate(email: string, network: Network, attempt: Partial<Attempt> = {}): Promise<Validation> {
  const { tries = 1, deadline = performance.now() + ANSWER_WITHIN_MS, manner = USUAL_MANNER } = attempt
  const began = performance.now()
  const address = attempt.address ?? parseAddress(email)
  const evidence = [syntaxEvidence(address, performance.now() - began)]
  const isAddress = address.kind === 'address'
  const role = isAddress && isRole(address)
  const known = { email, address, isRole: role, didYouMean: suggestFor(email, address), retryAfterMs: null }
  if (address.kind === 'malformed' || address.domain.kind === 'literal') {
    return concluded({ ...known, evidence }, network, manner)
  }

  const { ascii } = address.domain
  const classes = network.lists.classify(ascii)
  const { facts, source } = await network.domains.lookUp(ascii)
  evidence.push(...domainEvidence(facts, source), classEvidence(classes))
  if (facts.mail.kind !== 'hosts' || network.mailboxes === undefined) {
    return concluded({ ...known, facts, classes, evidence }, network, manner)
  }

  const { provider, mail } = facts
  const recipient = {
    path: `${address.local}@${ascii}`,
    needsUtf8: address.needsUtf8,
    doesWithoutControl: !manner.catchall,
  }
  const mailbox = await network.mailboxes.ask({ domain: ascii, hosts: mail.hosts, provider, recipient, deadline })
  evidence.push(...mailboxEvidence(mailbox))
  const retryAfterMs = mailbox.again ? network.mailboxes.nextTryMs(provider, tries, mailbox.again.afterMs) : null
  return concluded({ ...known, facts, classes, mailbox, retryAfterMs, evidence }, network, manner)
}

/** The verdict on what was found out. What became of other mail to the domain is looked up only where it can matter. */
async function concluded(found: Found, { histories }: Network, manner: Manner): Promise<Validation> {
  const { address, isRole: role, facts, classes, mailbox, evidence } = found
  const findings: Findings = {
    address,
    isRole: role,
    ...(facts && { mail: facts.mail }),
    ...(classes && { isDisposable: classes.isDisposable }),
    ...(mailbox && { mailbox }),
  }
  const isOpen = facts !== undefined && isOpenToHistory(findings)
  const history = (isOpen && (await histories?.look(facts.domain, facts.provider))) || NO_HISTORY
  const verdict = conclude(findings, { provider: facts?.provider ?? '', history, ...(classes && { classes }) }, manner)
  return { ...found, verdict, evidence: explain(evidence, verdict, history) }
}
