import type { RateState } from '@probity/redis/request-rate'

/** RateLimit and RateLimit-Policy as structured fields (draft-ietf-httpapi-ratelimit-headers-10). */
export function rateHeaders({ policy, remaining, resetS }: RateState): Record<string, string> {
  return {
    'ratelimit-policy': `"${policy.name}";q=${policy.quota};w=${policy.windowS}`,
    ratelimit: `"${policy.name}";r=${remaining};t=${resetS}`,
  }
}
