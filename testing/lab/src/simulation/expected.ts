import {
  type Existence,
  type SpecialRecipients,
  STATUS_OF,
  type SubStatus,
  VERDICT_OF_TRUTH,
} from './data/behaviours.ts'
import { SITES, type Site } from './data/sites.ts'
import { behaviourOf, type SimulatedDomain } from './domains.ts'

/** The correct conclusion of a client that repeats its probe as often as needed. */
export type Expectation = {
  /** Any of these is correct; mostly there is one. */
  verdicts: { status: (typeof STATUS_OF)[SubStatus]; subStatus: SubStatus }[]
  /**
   * Whether the replies of the server about mailboxes are true. A server that accepts what it later bounces is not
   * truthful.
   */
  truthful: boolean
  /** Whether the real state of this address can be found without sending a message. */
  knowable: boolean
}

type Mailbox = { email: string; exists: Existence; special: SpecialRecipients | undefined }

export function expectationOf(
  { email, exists, special }: Mailbox,
  domain: SimulatedDomain | 'broken' | undefined,
): Expectation {
  if (domain === 'broken') return conclude(['syntax_error'])
  if (domain === undefined) return conclude(['domain_not_found'])

  const { verdicts, replies = {}, everyAddress } = behaviourOf(domain)
  const truthful = everyAddress === 'yes' || replies.no?.startsWith('2') !== true
  if (special !== undefined) return { ...conclude([special.verdict]), truthful }
  if (verdicts !== undefined) return { ...conclude(verdicts), truthful }
  if (needsUtf8(email) && !takesUtf8(domain)) return { ...conclude(['smtputf8_unsupported']), truthful }
  return { ...conclude([VERDICT_OF_TRUTH[exists]]), truthful, knowable: true }
}

/** Of the verdicts for a whole domain, only an invalid one is true for each address. */
function conclude(subStatuses: readonly SubStatus[]): Expectation {
  const verdicts = subStatuses.map((subStatus) => ({ status: STATUS_OF[subStatus], subStatus }))
  return { verdicts, truthful: true, knowable: verdicts.every(({ status }) => status === 'invalid') }
}

/** RFC 6531: a local part beyond ASCII goes only where the server offers SMTPUTF8. */
export function needsUtf8(email: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant, control characters too.
  return /[^\x00-\x7f]/.test(email)
}

function takesUtf8({ site }: SimulatedDomain): boolean {
  return site !== null && ((SITES[site] as Site).capabilities?.includes('SMTPUTF8') ?? false)
}
