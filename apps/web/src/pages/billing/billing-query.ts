import type { Billing, Checkout, PaymentPage, StartCheckout } from '@probity/contract/schemas/billing'
import { type QueryClient, queryOptions, useMutation } from '@tanstack/react-query'
import { describeError } from '../../labels/error-messages.ts'
import { asRequestFailed, callApi, sceneHeaders } from '../../session/client.ts'
import { accountQuery, type Scene, useScene } from '../../session/workspace.ts'
import { useToasts } from '../../ui/Toasts.tsx'
import { formatMoney } from './money.ts'

const POLL_MS = 2_000
/** Payments are usually confirmed within seconds. After this time the page shows a notice and polls less often. */
const USUAL_MS = 120_000
const POLL_LATE_MS = 30_000

function headersOf({ membership, mode }: Scene): Record<string, string> {
  return sceneHeaders({ accountId: membership.account_id, mode })
}

/** Plans, packs and the plan of the account. With `since`, polled until the subscription is active. */
export function billingQuery(scene: Scene, since?: number) {
  return queryOptions({
    queryKey: [...scene.key, 'billing'],
    queryFn: ({ signal }) => callApi<Billing>('/billing', { headers: headersOf(scene), signal }),
    refetchInterval: ({ state }) => since !== undefined && state.data?.subscribed_to === null && pollMs(since),
  })
}

type Awaited = { session: string; since: number; queryClient: QueryClient }

/** Whether the credits of a checkout were added. Then the balance is refetched. */
export function checkoutQuery(scene: Scene, { session, since, queryClient }: Awaited) {
  return queryOptions({
    queryKey: [...scene.key, 'checkout', session],
    queryFn: async ({ signal }) => {
      const path = `/billing/checkout/${encodeURIComponent(session)}`
      const checkout = await callApi<Checkout>(path, { headers: headersOf(scene), signal })
      if (checkout.granted) void queryClient.invalidateQueries(accountQuery(scene))
      return checkout
    },
    refetchInterval: ({ state }) => state.data?.granted === false && pollMs(since),
  })
}

function pollMs(since: number): number {
  return isLate(since, Date.now()) ? POLL_LATE_MS : POLL_MS
}

/** Whether the payment takes longer than usual. */
export function isLate(since: number, now: number): boolean {
  return now - since > USUAL_MS
}

/** Opens a page of the payment provider. A failure is shown as a toast. */
function useEgressAddress<T extends object>(path: string) {
  const scene = useScene()
  const tell = useToasts()
  return useMutation({
    mutationFn: (body: T) => callApi<PaymentPage>(path, { method: 'POST', body, headers: headersOf(scene) }),
    onSuccess: ({ url }) => window.location.assign(url),
    onError: (error) => tell.failed(describeError(asRequestFailed(error))),
  })
}

export const useCheckout = () => useEgressAddress<StartCheckout>('/billing/checkout')
export const usePortal = () => useEgressAddress<Record<string, never>>('/billing/portal')

type Plan = Billing['plans'][number]
type Pack = Billing['packs'][number]

/** For example "€49.00 per month". An unknown price is shown at checkout. */
export function priceOf({ amount, currency, interval }: Plan): string {
  if (amount === null || currency === null) return 'Price shown at checkout'
  return `${formatMoney(amount, currency)} per ${interval ?? 'period'}`
}

/** The total price of packs; undefined if the price is unknown. */
export function totalOf({ amount, currency }: Pack, quantity: number): string | undefined {
  return amount === null || currency === null ? undefined : formatMoney(amount * quantity, currency)
}
