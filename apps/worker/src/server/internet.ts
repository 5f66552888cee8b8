import { PUBLIC_NAMES } from '@probity/engine/domain/data/known-domains'
import { REFERENCE_HOSTS } from '@probity/engine/smtp/probe/data/reference-hosts'
import { publicInternet } from '@probity/engine/smtp/protocol/address-policy'
import { PROVIDER_LIMITS } from '@probity/engine/smtp/providers/data/limits'
import { CHECK_INTERVALS } from '../probing/egress-monitor.ts'
import type { ProbingEnvironment } from '../probing/probers.ts'

const HTTPS_PORT = 443

/** The production environment: public addresses only, and the real provider limits. */
export function describeInternet(deniedAddresses: string[]): ProbingEnvironment {
  return {
    policy: publicInternet(deniedAddresses),
    providerLimits: PROVIDER_LIMITS,
    webhooks: { policy: publicInternet(deniedAddresses, HTTPS_PORT) },
    egressChecks: { referenceHosts: REFERENCE_HOSTS, ...CHECK_INTERVALS },
    resolverNames: PUBLIC_NAMES,
  }
}
