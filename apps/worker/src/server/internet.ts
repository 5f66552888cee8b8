import { REFERENCE_HOSTS } from '@probity/engine/smtp/probe/data/reference-hosts'
import { publicInternet } from '@probity/engine/smtp/protocol/address-policy'
import { PROVIDER_LIMITS } from '@probity/engine/smtp/providers/data/limits'
import { CHECK_INTERVALS } from '../probing/egress-monitor.ts'
import type { Surroundings } from '../probing/probers.ts'

const HTTPS_PORT = 443

/** The surroundings in production: public addresses only, and the providers with their limits. */
export function describeInternet(deniedAddresses: string[]): Surroundings {
  return {
    policy: publicInternet(deniedAddresses),
    habits: PROVIDER_LIMITS,
    webhooks: { policy: publicInternet(deniedAddresses, HTTPS_PORT) },
    lookout: { landmarks: REFERENCE_HOSTS, ...CHECK_INTERVALS },
  }
}
