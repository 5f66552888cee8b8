import type { RequestedFeatures } from '@probity/redis/cache'

/** The optional features that a request enables. */
export type Features = RequestedFeatures

/** Default features. */
export const ALL_FEATURES: Features = { ai: true, catchall: true, mailbox: true }

/** Reads the features from a body or query that is not validated yet. */
export function readFeatures(part: unknown): Features {
  const said = typeof part === 'object' && part !== null ? (part as Record<string, unknown>) : {}
  return { ai: !isFalse(said['ai']), catchall: !isFalse(said['catchall']), mailbox: true }
}

function isFalse(value: unknown): boolean {
  return value === false || value === 'false'
}

/** The maximum age of a recent result in seconds, from a body or a query that is not validated yet; undefined if there is none. */
export function readMaxAge(part: unknown): number | undefined {
  const given = typeof part === 'object' && part !== null && 'max_age_s' in part ? part.max_age_s : undefined
  const seconds = given === undefined ? Number.NaN : Number(given)
  return seconds >= 0 ? seconds : undefined
}

type Used = { catchall: { confidence: number | null }; ai_enhancement: { used: boolean } }

/** The optional features that contributed to a result. */
export function featuresUsed({ catchall, ai_enhancement }: Used) {
  return { catchall_detection: catchall.confidence !== null, ai_enhancement: ai_enhancement.used }
}
