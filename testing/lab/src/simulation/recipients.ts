import type { RecipientRules } from './data/behaviours.ts'
import type { SiteName } from './data/sites.ts'
import { behaviourOf, type SimulatedDomain, siteOf } from './domains.ts'
import { needsUtf8 } from './expected.ts'
import { domainIn, type MailPopulation } from './population.ts'
import { hashText } from './random.ts'

/** The server of a connection: the site that runs it, its IP address, and the mail host whose address that is. */
export type ServerIdentity = { site: SiteName; address: string; mailHost: string }

/** One RCPT command and its client. */
export type Asked = { server: ServerIdentity; takesUtf8: boolean; client: string; sender: string; rcpt: string }

/** The reply of the recipient's domain, as a template for `fill`. */
export type Recipients = { answer(asked: Asked): string }

type Clock = {
  now?: () => number
  /** All delays are divided by it. */
  timeFactor?: number
}

/** Triplets kept in memory; a new one beyond the limit evicts the oldest, which then has to wait again. */
const TRIPLETS_MAX = 200_000
const WAIT_MIN_MS = 1_000
const WAIT_SPREAD_MS = 2_000

export function openRecipients(simulation: MailPopulation, clock: Clock = {}): Recipients {
  const { now = () => performance.now(), timeFactor = 1 } = clock
  const waits = new Map<string, number>()
  const bans = openBans(now, timeFactor)
  /** Remaining seconds of a triplet, 0 when it may pass. The delay depends on the recipient, so that runs are alike. */
  const secondsLeft = ({ client, sender, rcpt }: Asked) => {
    const triplet = `${client} ${sender} ${rcpt.toLowerCase()}`
    const waitMs = WAIT_MIN_MS + (hashText(rcpt.toLowerCase()) % WAIT_SPREAD_MS)
    const until = waits.get(triplet) ?? now() + waitMs / timeFactor
    waits.set(triplet, until)
    if (waits.size > TRIPLETS_MAX) waits.delete(waits.keys().next().value ?? '')
    return Math.max(0, Math.ceil((until - now()) / 1_000))
  }
  const answerByRules = (asked: Asked, { always, greylist, filter, replies = {} }: RecipientRules) => {
    if (always !== undefined) return always
    const seconds = greylist === undefined ? 0 : secondsLeft(asked)
    if (greylist !== undefined && seconds > 0) return greylist.replace('{seconds}', String(seconds))
    const address = simulation.findAddress(asked.rcpt)
    if (address?.special !== undefined) return address.special.reply
    if (filter !== undefined && isFiltered(filter.of, asked.rcpt, address !== undefined)) return filter.reply
    return replies[simulation.truth(asked.rcpt)] ?? ACCEPTED
  }

  return {
    answer(asked) {
      const { server, takesUtf8, client, rcpt } = asked
      const domain = simulation.findDomain(domainIn(rcpt))
      if (domain === undefined || !isServedAt(domain, server)) return '554 5.7.1 <{rcpt}>: Relay access denied'
      if (needsUtf8(rcpt) && !takesUtf8) return '553 5.6.7 Address needs SMTPUTF8, which is not offered here'

      const rules = rulesAt(domain, server)
      const { ban } = rules
      return ban === undefined
        ? answerByRules(asked, rules)
        : bans.answer(`${client} ${server.address}`, ban, () => answerByRules(asked, rules))
    },
  }
}

const ACCEPTED = '250 2.1.5 Ok'

function isServedAt(domain: SimulatedDomain, { site }: ServerIdentity): boolean {
  return domain.hosts.length === 0 ? domain.site === site : domain.hosts.some((host) => siteOf(domain, host) === site)
}

function rulesAt(domain: SimulatedDomain, { mailHost }: ServerIdentity): RecipientRules {
  const own = domain.hosts.find(({ name }) => name === mailHost)?.rules
  return own === undefined ? behaviourOf(domain) : { ...behaviourOf(domain), ...own }
}

function isFiltered(of: NonNullable<RecipientRules['filter']>['of'], rcpt: string, isListed: boolean): boolean {
  const isGibberish = !/[aeiouy].*@/i.test(rcpt)
  if (of === 'gibberish') return isGibberish
  return !isListed && (of === 'unlisted' || !isGibberish)
}

/** What a server remembers about a client, whatever connection it uses. */
type ClientState = { recipients: number; rejections: number; bannedUntil: number }

function openBans(now: () => number, timeFactor: number) {
  const clients = new Map<string, ClientState>()
  return {
    /** The reply to a recipient of this client, or that of the ban. */
    answer(
      client: string,
      { after, of, forMs, reply }: NonNullable<RecipientRules['ban']>,
      answer: () => string,
    ): string {
      const state = clients.get(client) ?? { recipients: 0, rejections: 0, bannedUntil: 0 }
      clients.set(client, state)
      if (state.bannedUntil > now()) return reply
      if (state[of] >= after) {
        Object.assign(state, { recipients: 0, rejections: 0, bannedUntil: now() + forMs / timeFactor })
        return reply
      }
      const text = answer()
      state.recipients += 1
      if (!text.startsWith('2')) state.rejections += 1
      return text
    },
  }
}
