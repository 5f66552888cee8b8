/** Why an installation cannot ask mail servers. */
export const PROBING_REASONS = {
  no_helo_name: 'no worker has a name to ask mail servers by (SMTP_HELO_NAME and SMTP_MAIL_FROM).',
  port_25_closed: 'no mail server of several large providers answers on port 25.',
  intercepted: 'somebody else answers in place of the mail servers: a firewall or a proxy of the network.',
  proxy_failed: 'the proxy that mail servers are asked through does not answer.',
} as const satisfies Record<string, string>

export type ProbingReason = keyof typeof PROBING_REASONS

/** What that means for whoever has addresses validated meanwhile. */
export const WITHOUT_PROBING =
  'This installation cannot reach mail servers at present, so mailboxes are not asked about. Addresses that are clear without that get their verdict as usual; the others stay unknown, none is called invalid for it, and they are not charged.'

/** The reason as the end of a sentence. The list is open: one that was added later has no words here. */
export function probingReason(reason: string | null): string {
  const words: Partial<Record<string, string>> = PROBING_REASONS
  return (reason === null ? undefined : words[reason]) ?? 'the reason is not known.'
}
