/** How a person comes back from the page on which they were to pay, and the name of that page. */
const RETURNS = ['paid', 'subscribed', 'canceled'] as const
export type BillingSearch = { checkout?: (typeof RETURNS)[number]; session?: string }

export function readBillingSearch({ checkout, session }: Record<string, unknown>): BillingSearch {
  const returned = RETURNS.find((one) => one === checkout)
  if (returned === undefined) return {}
  return { checkout: returned, ...(typeof session === 'string' && session !== '' && { session }) }
}
