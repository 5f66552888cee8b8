import type { Reply, Stage } from '../protocol/reply-reader.ts'
import { LAST_RESORT_RULES } from './data/reply-rules-codes.ts'
import { MAILBOX_RULES } from './data/reply-rules-mailbox.ts'
import { PROVIDER_RULES } from './data/reply-rules-providers.ts'
import { OWN_FAULT_RULES } from './data/reply-rules-us.ts'
import { textOf, withoutAddresses, withoutDomain, withoutName } from './reply-text.ts'
import { findRetryAfterMs } from './retry-after.ts'
import { type Classification, isForStage, type Reason, type ReplyRule } from './rules.ts'

export type ReplyContext = {
  stage: Stage
  provider: string
  /** What the server may say of us. */
  identity: { addresses: string[]; heloName: string; senderDomain: string }
  /** The recipient asked for, so that its own words are not read as the server's. */
  recipient?: string
}

/** What a reply says in words. A provider's own words go first, then blame on us, then blame on the mailbox. */
const SPOKEN: ReplyRule[] = [...PROVIDER_RULES, ...OWN_FAULT_RULES, ...MAILBOX_RULES]

const PROVIDERS = new Set(SPOKEN.flatMap(({ provider = [] }) => provider))

/** Reasons that end in `invalid`. Whenever a reply may be read otherwise, it is. */
const CONDEMNING = new Set<Reason>(['mailbox_not_found', 'mailbox_disabled', 'mailbox_moved', 'domain_not_hosted'])

/** Reasons that a reply which names us cannot have. */
const NOT_ABOUT_US = new Set<Reason>([...CONDEMNING, 'mailbox_full', 'mailbox_busy', 'policy_rejected', 'unclassified'])

/** What a refusal means. Stage before words, words before the enhanced code, that before the basic code, and doubt before all. */
export function classifyReply(reply: Reply, context: ReplyContext): Classification {
  const { recipient = '' } = context
  const said = textOf(reply)
  const named = nameUs(withoutDomain(said, recipient, '~'), context)
  const words = withoutDomain(withoutAddresses(said, recipient, '~'), recipient, '~')
  const bare = withoutName(words, recipient, '~')
  const reading = readWords(reply, context, bare, named)
  if (bare === words || !CONDEMNING.has(reading.reason)) return reading

  // A word of the sentence may happen to be the recipient's name, and without it the sentence may say something else.
  const whole = readWords(reply, context, words, named)
  return CONDEMNING.has(whole.reason) ? reading : whole
}

/** The row of the tables that a reply's words match, or else its codes. */
export function findRule(reply: Reply, context: ReplyContext, text: string): ReplyRule | undefined {
  return findSpoken(reply, context, text) ?? findLastResort(reply, context, text)
}

function findSpoken(reply: Reply, context: ReplyContext, text: string): ReplyRule | undefined {
  return spokenRules(context, reply.code).find((rule) => isMatch(rule, reply, text))
}

function findLastResort(reply: Reply, { stage }: ReplyContext, text: string): ReplyRule | undefined {
  return LAST_RESORT_RULES.find((rule) => isForStage(rule, stage) && isMatch(rule, reply, text))
}

function readWords(reply: Reply, context: ReplyContext, text: string, named: Reason | undefined): Classification {
  const spoken = findSpoken(reply, context, text)
  const rule = spoken ?? findLastResort(reply, context, text)
  // A code alone does not outweigh our name in the text; words about us do, since they say more than that it is us.
  const isSaid = spoken !== undefined || rule?.says !== undefined
  if (named !== undefined && (!rule || !isSaid || NOT_ABOUT_US.has(rule.reason))) {
    return { reason: named, scope: 'egress', retryAfterMs: findRetryAfterMs(text) }
  }
  if (!rule) return { reason: 'unclassified', scope: 'connection', retryAfterMs: findRetryAfterMs(text) }
  const { reason, scope, retryAfterS } = rule
  if (CONDEMNING.has(reason)) return { reason, scope, retryAfterMs: null }
  const knownMs = retryAfterS === undefined ? null : retryAfterS * 1_000
  return { reason, scope, retryAfterMs: findRetryAfterMs(text) ?? knownMs }
}

/** What the reply is about if it names us: our address, or the names we go by. */
function nameUs(text: string, { identity }: ReplyContext): Reason | undefined {
  const { addresses, heloName, senderDomain } = identity
  if (addresses.some((address) => isNamed(text, address))) return 'ip_blocked'
  if (isNamed(text, heloName) || isNamed(text, senderDomain)) return 'sender_rejected'
  return undefined
}

/** Whether a name or an IP address stands in the text as a whole: 192.0.2.1 is not named by 192.0.2.10, nor by 192.0.2.1.example. */
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

/** The rows that may apply, kept ready: the table is long, and most of it is about other stages and providers. */
function spokenRules({ stage, provider }: ReplyContext, code: number): ReplyRule[] {
  const known = PROVIDERS.has(provider) ? provider : ''
  const codeClass = code < 500 ? '4' : '5'
  const key = `${stage} ${known} ${codeClass}`
  const found = lists.get(key)
  if (found) return found

  const rules = SPOKEN.filter(
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
