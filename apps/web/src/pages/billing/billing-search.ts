/** The outcome of a checkout and its session id, as the return URL names them. */
const RETURNS = ['paid', 'subscribed', 'canceled'] as const
export type BillingSearch = { checkout?: (typeof RETURNS)[number]; session?: string }

export function readBillingSearch({ checkout, session }: Record<string, unknown>): BillingSearch {
  const returned = RETURNS.find((one) => one === checkout)
  if (returned === undefined) return {}
  return { checkout: returned, ...(typeof session === 'string' && session !== '' && { session }) }
}
