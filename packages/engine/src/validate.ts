import { suggestFor } from './address/cached-result.ts'
import { parseAddress } from './address/parse.ts'
import { isRole } from './address/role.ts'
import type { DomainLists } from './domain/domain-lists.ts'
import type { DomainLookup } from './domain/facts.ts'
import type { MailboxProber } from './smtp/probe/prober.ts'
import { conclude, DEFAULT_OPTIONS, isOpenToHistory, type ValidationOptions } from './verdict/conclude.ts'
import type { Findings } from './verdict/decide.ts'
import { type HistoryLookup, NO_HISTORY } from './verdict/deliverability.ts'
import { classEvidence, domainEvidence, explain, mailboxEvidence, syntaxEvidence } from './verdict/evidence.ts'
import { type Found, retryProbe, retryUnresponsiveDns, scaleRetry, type Validation } from './verdict/validation.ts'

/** The dependencies of a validation. Without a prober no mail server is probed; without histories reported outcomes do not count. */
export type Network = {
  domains: DomainLookup
  lists: DomainLists
  prober?: MailboxProber
  histories?: HistoryLookup
  /** Everything waits so many times less. */
  timeFactor?: number
}

export type Attempt = {
  /** Attempts with a probe, including this one. */
  attempts: number
  /** Earlier attempts without a response of DNS or the mail server. Without the number, no response is final. */
  noResponses: number
  /** On the clock of `performance.now()`: when the probe must have ended. */
  deadline: number
  options: ValidationOptions
}

/** Long enough for a server that replies slowly on purpose, and for a second one after that. */
const PROBE_WITHIN_MS = 40_000

/** Validates an address: parses it, looks up its domain, probes its mail server and decides. */
export async function validate(email: string, network: Network, attempt: Partial<Attempt> = {}): Promise<Validation> {
  const withinMs = PROBE_WITHIN_MS / (network.timeFactor ?? 1)
  const { attempts = 1, deadline = performance.now() + withinMs, options = DEFAULT_OPTIONS } = attempt
  const began = performance.now()
  const address = parseAddress(email)
  const evidence = [syntaxEvidence(address, performance.now() - began)]
  const isAddress = address.kind === 'address'
  const role = isAddress && isRole(address)
  const known = { email, address, isRole: role, didYouMean: suggestFor(email, address), retry: null }
  if (address.kind === 'malformed' || address.domain.kind === 'literal') {
    return concluded({ ...known, evidence }, network.histories, options)
  }

  const { ascii } = address.domain
  const classes = network.lists.classify(ascii)
  const { facts, source } = await network.domains.lookUp(ascii)
  evidence.push(...domainEvidence(facts, source), classEvidence(classes))
  const unresponsive = scaleRetry(retryUnresponsiveDns(facts, attempt.noResponses), network.timeFactor)
  if (unresponsive) return concluded({ ...known, facts, classes, retry: unresponsive, evidence }, undefined, options)
  if (facts.mail.kind !== 'hosts' || network.prober === undefined) {
    return concluded({ ...known, facts, classes, evidence }, network.histories, options)
  }

  const { provider, mail } = facts
  const recipient = {
    path: `${address.local}@${ascii}`,
    needsUtf8: address.needsUtf8,
    skipsControl: !options.catchall,
  }
  const mailbox = await network.prober.probe({ domain: ascii, hosts: mail.hosts, provider, recipient, deadline })
  evidence.push(...mailboxEvidence(mailbox))
  const afterMs = mailbox.retry ? network.prober.nextRetryMs(provider, attempts, mailbox.retry.afterMs) : null
  const retry = scaleRetry(retryProbe(mailbox, afterMs, attempt.noResponses), network.timeFactor)
  return concluded({ ...known, facts, classes, mailbox, retry, evidence }, network.histories, options)
}

/** The verdict on all findings. Reported outcomes are looked up only where they can change it. */
async function concluded(
  found: Found,
  histories: HistoryLookup | undefined,
  options: ValidationOptions,
): Promise<Validation> {
  const { address, isRole: role, facts, classes, mailbox, evidence } = found
  const findings: Findings = {
    address,
    isRole: role,
    ...(facts && { mail: facts.mail }),
    ...(classes && { isDisposable: classes.isDisposable }),
    ...(mailbox && { mailbox }),
  }
  const isOpen = facts !== undefined && isOpenToHistory(findings)
  const history = (isOpen && (await histories?.find(facts.domain, facts.provider))) || NO_HISTORY
  const verdict = conclude(findings, { provider: facts?.provider ?? '', history, ...(classes && { classes }) }, options)
  return { ...found, verdict, evidence: explain(evidence, verdict, history) }
}
