import type { MailboxAnswer } from '@probity/engine/mailbox/answer'
import type { Network } from '@probity/engine/validate'
import { inSpan, NO_SPAN, type Span } from '@probity/telemetry/span'
import { providerLabel } from './meters.ts'

/** What an address is validated with, so that its trace shows when DNS and mail servers were asked, and for how long. */
export function tracedNetwork(network: Network, span: Span): Network {
  if (span === NO_SPAN) return network
  const { domains, mailboxes } = network
  return {
    ...network,
    domains: {
      lookUp: (domain) =>
        inSpan(span, 'dns', async (asking) => {
          const found = await domains.lookUp(domain)
          const { mail, provider } = found.facts
          const outcome = mail.kind === 'hosts' ? 'hosts' : mail.reason
          asking.note({ 'dns.outcome': outcome, 'dns.source': found.source, provider: providerLabel(provider) })
          return found
        }),
    },
    ...(mailboxes && {
      mailboxes: {
        ...mailboxes,
        ask: (question) =>
          inSpan(span, 'smtp', async (asking) => {
            const answer = await mailboxes.ask(question)
            asking.note({ ...describe(answer), provider: providerLabel(question.provider) })
            return answer
          }),
      },
    }),
  }
}

/** How far the conversation got, by stages and codes. The words of servers may hold what was asked. */
function describe({ finding, dialogue, acceptAll }: MailboxAnswer) {
  const why = finding.kind === 'refused' ? finding.reason : 'why' in finding ? finding.why : ''
  return {
    'smtp.finding': finding.kind,
    'smtp.why': why,
    'smtp.replies': dialogue.map(({ stage, code }) => `${stage} ${code}`).join(', '),
    'smtp.accept_all': acceptAll,
  }
}
