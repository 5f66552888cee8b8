import { PROVIDERS } from '../../domain/data/providers.ts'
import type { Reply, Stage } from '../protocol/reply-reader.ts'
import { LAST_RESORT_RULES } from './data/reply-rules-codes.ts'
import { MAILBOX_RULES } from './data/reply-rules-mailbox.ts'
import { PROVIDER_RULES } from './data/reply-rules-providers.ts'
import { OWN_FAULT_RULES } from './data/reply-rules-us.ts'
import { namesIpAddress, textOf, withoutAddresses, withoutDomain, withoutName } from './reply-text.ts'
import { findRetryAfterMs } from './retry-after.ts'
import { type Classification, INVALIDATING, isForStage, type Reason, type ReplyRule, type Scope } from './rules.ts'

export type ReplyContext = {
  stage: Stage
  provider: string
  /** Our own IP addresses and names, which a reply may contain. */
  identity: { addresses: string[]; heloName: string; senderDomain: string }
  /** The recipient, so that its name is not read as part of the server's text. */
  recipient?: string
}

/** Rules that match the text of a reply. Those of the provider come first, then those about us, then those about the mailbox. */
const TEXT_RULES: ReplyRule[] = [...PROVIDER_RULES, ...OWN_FAULT_RULES, ...MAILBOX_RULES]

const RULE_PROVIDERS = new Set(TEXT_RULES.flatMap(({ provider = [] }) => provider))

/** Providers on whose hosts each customer has its own rules. Google marks those (`gcdp`), so its other blocks are its own. */
const MANY_CUSTOMERS = new Set(
  PROVIDERS.filter(({ id, probe }) => probe === 'C' && id !== 'google').map(({ id }) => id),
)

/** Reasons that a reply which names us cannot have. */
const NOT_ABOUT_US = new Set<Reason>([
  ...INVALIDATING,
  'mailbox_full',
  'mailbox_busy',
  'policy_rejected',
  'unclassified',
])

/** Classifies a rejection. Precedence: stage, text, enhanced code, basic code. In doubt the result is not invalid. */
export function classifyReply(reply: Reply, context: ReplyContext): Classification {
  const { recipient = '' } = context
  const said = textOf(reply)
  const named = findOwnName(withoutDomain(said, recipient, '~'), context)
  const words = withoutDomain(withoutAddresses(said, recipient, '~'), recipient, '~')
  const bare = withoutName(words, recipient, '~')
  const reading = classifyText(reply, context, bare, named)
  if (bare === words || !INVALIDATING.has(reading.reason)) return reading

  // The recipient's name may also be a word of the server's sentence, and removing it may change the meaning.
  const whole = classifyText(reply, context, words, named)
  return INVALIDATING.has(whole.reason) ? reading : whole
}

/** The rule that matches the text of a reply, else one that matches its codes. */
export function findRule(reply: Reply, context: ReplyContext, text: string): ReplyRule | undefined {
  return findTextRule(reply, context, text) ?? findLastResort(reply, context, text)
}

function findTextRule(reply: Reply, context: ReplyContext, text: string): ReplyRule | undefined {
  return listTextRules(context, reply.code).find((rule) => isMatch(rule, reply, text))
}

function findLastResort(reply: Reply, { stage }: ReplyContext, text: string): ReplyRule | undefined {
  return LAST_RESORT_RULES.find((rule) => isForStage(rule, stage) && isMatch(rule, reply, text))
}

function classifyText(reply: Reply, context: ReplyContext, text: string, named: Reason | undefined): Classification {
  const textRule = findTextRule(reply, context, text)
  const rule = textRule ?? findLastResort(reply, context, text)
  // A code alone does not outweigh our name in the text. A text about us does, because it is more specific.
  const isSaid = textRule !== undefined || rule?.says !== undefined
  if (named !== undefined && (!rule || !isSaid || isOutweighedByName(rule))) {
    return { reason: named, scope: 'egress', retryAfterMs: findRetryAfterMs(text) }
  }
  if (!rule) return { reason: 'unclassified', scope: 'connection', retryAfterMs: findRetryAfterMs(text) }
  const { reason, retryAfterS } = rule
  const scope = scopeOf(rule, context, named !== undefined || namesIpAddress(text))
  if (INVALIDATING.has(reason)) return { reason, scope, retryAfterMs: null }
  const knownMs = retryAfterS === undefined ? null : retryAfterS * 1_000
  return { reason, scope, retryAfterMs: findRetryAfterMs(text) ?? knownMs }
}

/** A provider's own text for a rejection by policy may name us and still be about one mailbox. */
function isOutweighedByName({ provider, says, reason }: ReplyRule): boolean {
  const isProviderPolicy = provider !== undefined && says !== undefined && reason === 'policy_rejected'
  return NOT_ABOUT_US.has(reason) && !isProviderPolicy
}

/** A block by a host with many customers, without a code, a name of ours or an IP address, is the rule of one customer. */
function scopeOf(rule: ReplyRule, { stage, provider }: ReplyContext, namesUs: boolean): Scope {
  if (rule.scope !== 'tenant') return rule.scope
  const isOneCustomer = rule.provider !== undefined || (MANY_CUSTOMERS.has(provider) && !namesUs)
  return stage === 'rcpt' && isOneCustomer ? 'tenant' : 'egress'
}

/** The reason if the reply names us: our IP address, or our HELO name or sender domain. */
function findOwnName(text: string, { identity }: ReplyContext): Reason | undefined {
  const { addresses, heloName, senderDomain } = identity
  if (addresses.some((address) => isNamed(text, address))) return 'ip_blocked'
  if (isNamed(text, heloName) || isNamed(text, senderDomain)) return 'sender_rejected'
  return undefined
}

/** Whether the text contains the name or IP address as a whole: 192.0.2.10 and 192.0.2.1.example do not contain 192.0.2.1. */
function isNamed(text: string, name: string): boolean {
  const wanted = name.toLowerCase()
  if (wanted === '') return false
  const joint = wanted.includes(':') ? ':' : '.'
  const part = /^[\d.:a-f]+$/.test(wanted) ? /[\da-f]/ : /[\w-]/
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    const before = text.charAt(at - 1)
    const [after = '', next = ''] = text.slice(at + wanted.length)
    const continues = part.test(after) || (after === joint && part.test(next))
    if (!part.test(before) && before !== '.' && !continues) return true
  }
  return false
}

const lists = new Map<string, ReplyRule[]>()

/** The rules that may apply, cached: the table is long, and most rules are for other stages and providers. */
function listTextRules({ stage, provider }: ReplyContext, code: number): ReplyRule[] {
  const known = RULE_PROVIDERS.has(provider) ? provider : ''
  const codeClass = code < 500 ? '4' : '5'
  const key = `${stage} ${known} ${codeClass}`
  const found = lists.get(key)
  if (found) return found

  const rules = TEXT_RULES.filter(
    (rule) =>
      isForStage(rule, stage) &&
      (rule.provider === undefined || rule.provider.includes(known)) &&
      (rule.code === undefined || rule.code.startsWith(codeClass)),
  )
  lists.set(key, rules)
  return rules
}

function isMatch({ code, enhanced, says }: ReplyRule, reply: Reply, text: string): boolean {
  if (code !== undefined && !String(reply.code).startsWith(code)) return false
  if (enhanced !== undefined && !isEnhanced(reply.enhanced, enhanced)) return false
  return says === undefined || says.test(text)
}

function isEnhanced(status: string | null, wanted: string): boolean {
  if (status === null) return false
  const given = wanted.startsWith('x') ? `x${status.slice(1)}` : status
  return wanted.endsWith('*') ? given.startsWith(wanted.slice(0, -1)) : given === wanted
}
