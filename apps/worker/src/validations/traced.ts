import type { ProbeResult } from '@probity/engine/smtp/probe/result'
import type { Network } from '@probity/engine/validate'
import { inSpan, NO_SPAN, type Span } from '@probity/telemetry/span'
import { providerLabel } from '../server/metrics.ts'

/** Adds spans for DNS lookups and SMTP probes to the trace of a validation. */
export function tracedNetwork(network: Network, span: Span): Network {
  if (span === NO_SPAN) return network
  const { domains, prober } = network
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
    ...(prober && {
      prober: {
        ...prober,
        probe: (question) =>
          inSpan(span, 'smtp', async (asking) => {
            const answer = await prober.probe(question)
            asking.note({ ...describe(answer), provider: providerLabel(question.provider) })
            return answer
          }),
      },
    }),
  }
}

/** Stages and codes of the SMTP session. Reply texts are left out: they can contain the address. */
function describe({ finding, transcript, acceptAll }: ProbeResult) {
  const reason = finding.kind === 'refused' ? finding.reason : 'why' in finding ? finding.why : ''
  return {
    'smtp.finding': finding.kind,
    'smtp.reason': reason,
    'smtp.replies': transcript.map(({ stage, code }) => `${stage} ${code}`).join(', '),
    'smtp.accept_all': acceptAll,
  }
}
