import type { SiteName } from './data/sites.ts'
import { behaviourOf } from './domains.ts'
import { needsUtf8 } from './expected.ts'
import { domainIn, type MailPopulation } from './population.ts'
import { hashText } from './random.ts'

/** One RCPT command and its client. */
export type Asked = { site: SiteName; takesUtf8: boolean; client: string; sender: string; rcpt: string }

/** The reply of the recipient's domain, as a template for `fill`. */
export type Recipients = { answer(asked: Asked): string }

/** Triplets kept in memory; a new one beyond the limit evicts the oldest, which then has to wait again. */
const TRIPLETS_MAX = 200_000
const WAIT_MIN_MS = 1_000
const WAIT_SPREAD_MS = 2_000

export function openRecipients(simulation: MailPopulation, now: () => number = () => performance.now()): Recipients {
  const waits = new Map<string, number>()
  /** Remaining seconds of a triplet, 0 when it may pass. The delay depends on the recipient, so that runs are alike. */
  const secondsLeft = ({ client, sender, rcpt }: Asked) => {
    const triplet = `${client} ${sender} ${rcpt.toLowerCase()}`
    const until = waits.get(triplet) ?? now() + WAIT_MIN_MS + (hashText(rcpt.toLowerCase()) % WAIT_SPREAD_MS)
    waits.set(triplet, until)
    if (waits.size > TRIPLETS_MAX) waits.delete(waits.keys().next().value ?? '')
    return Math.max(0, Math.ceil((until - now()) / 1_000))
  }

  return {
    answer(asked) {
      const { site, takesUtf8, rcpt } = asked
      const domain = simulation.findDomain(domainIn(rcpt))
      if (domain === undefined || domain.site !== site) return '554 5.7.1 <{rcpt}>: Relay access denied'
      if (needsUtf8(rcpt) && !takesUtf8) return '553 5.6.7 Address needs SMTPUTF8, which is not offered here'

      const { always, greylist, replies = {} } = behaviourOf(domain)
      if (always !== undefined) return always
      const seconds = greylist === undefined ? 0 : secondsLeft(asked)
      if (greylist !== undefined && seconds > 0) return greylist.replace('{seconds}', String(seconds))
      return replies[simulation.truth(rcpt)] ?? ACCEPTED
    },
  }
}

const ACCEPTED = '250 2.1.5 Ok'
