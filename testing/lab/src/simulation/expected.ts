import { type Existence, STATUS_OF, type SubStatus, VERDICT_OF_TRUTH } from './data/behaviours.ts'
import { SITES, type Site } from './data/sites.ts'
import { behaviourOf, type SimulatedDomain } from './domains.ts'

/** What somebody who asks for the recipient, as often as it takes and makes no mistake, may conclude. */
export type Expectation = {
  /** Any of these is right; mostly there is one. */
  verdicts: { status: (typeof STATUS_OF)[SubStatus]; subStatus: SubStatus }[]
  /** Whether all that the server says of mailboxes is so. One that accepts what it will bounce is not truthful. */
  truthful: boolean
  /** Whether the truth about this address can be had without sending it a message. */
  knowable: boolean
}

export function expectationOf(
  email: string,
  exists: Existence,
  domain: SimulatedDomain | 'broken' | undefined,
): Expectation {
  if (domain === 'broken') return conclude(['syntax_error'])
  if (domain === undefined) return conclude(['domain_not_found'])

  const { verdicts, replies = {}, everybody } = behaviourOf(domain)
  const truthful = everybody === 'yes' || replies.no?.startsWith('2') !== true
  if (verdicts !== undefined) return { ...conclude(verdicts), truthful }
  if (needsUtf8(email) && !takesUtf8(domain)) return { ...conclude(['smtputf8_unsupported']), truthful }
  return { ...conclude([VERDICT_OF_TRUTH[exists]]), truthful, knowable: true }
}

/** Of the verdicts that are the same for a whole domain, only the one against it is the truth about each address. */
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
