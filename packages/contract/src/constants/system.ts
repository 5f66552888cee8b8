/** Reasons why an installation cannot probe mail servers. */
export const PROBING_REASONS = {
  no_helo_name: 'no worker has an egress (PROBITY_SMTP_HELO_NAME and PROBITY_SMTP_MAIL_FROM are not set).',
  port_25_closed: 'the mail servers of several large providers do not respond on port 25.',
  intercepted: 'a middlebox, such as a firewall or a proxy, intercepts port 25.',
  proxy_failed: 'the egress proxy does not respond.',
} as const satisfies Record<string, string>

export type ProbingReason = keyof typeof PROBING_REASONS

/** Effect on validations in the meantime. */
export const WITHOUT_PROBING =
  'This installation cannot reach mail servers at the moment, so mailboxes are not probed. Addresses that need no probe get their verdict as usual. All others are unknown, never invalid, and are not charged.'

/** Effect of a resolver that failed its check. */
export const WITHOUT_RESOLVER =
  'A DNS resolver of this installation currently fails its check. Addresses whose domain seems not to exist, or to have no mail server, are unknown, never invalid, and are not charged. All others get their verdict as usual.'

/** The reason as the end of a sentence. Values may be added, so unknown ones have a default text. */
export function probingReason(reason: string | null): string {
  const words: Partial<Record<string, string>> = PROBING_REASONS
  return (reason === null ? undefined : words[reason]) ?? 'the cause is not known.'
}

/** Whether mail providers limit the probes of this installation. */
export const HEALTH_STATUSES = {
  normal: 'no known provider limits probes.',
  limited: 'the providers in `providers` limit probes until a known time.',
  unknown: 'the state cannot be read at the moment.',
} as const satisfies Record<string, string>

const NAMED_MAX = 2

/** Describes the state of the providers. `timeOf` formats a time for the reader. */
export function healthMessage(
  health: { status: string; providers: { name: string; retry_at: string }[] },
  timeOf: (retryAt: string) => string,
) {
  const { status, providers } = health
  const [first] = providers
  if (status === 'normal') return 'No mailbox provider limits probes at the moment.'
  if (status !== 'limited' || first === undefined)
    return 'The state of the mailbox providers is not known at the moment.'
  const limit = providers.length === 1 ? 'limits' : 'limit'
  return `${nameAll(providers)} ${limit} probes: expect more unknown results until about ${timeOf(first.retry_at)}.`
}

function nameAll(providers: { name: string }[]): string {
  const named = providers.slice(0, NAMED_MAX).map(({ name }) => name)
  const others = providers.length - named.length
  if (others > 0) return `${named.join(', ')} and ${others === 1 ? 'one other provider' : `${others} other providers`}`
  return named.join(' and ')
}
