import type { Billing, Checkout, PaymentPage, StartCheckout } from '@probity/contract/billing'
import { type QueryClient, queryOptions, useMutation } from '@tanstack/react-query'
import { ask } from '../../api/ask.ts'
import { plainWords } from '../../api/plain-words.ts'
import { asRequestFailed, sceneHeaders } from '../../api/probity.ts'
import { type Scene, useScene } from '../../session/scene.ts'
import { accountQuery } from '../../shell/account-query.ts'
import { useToasts } from '../../ui/Toasts.tsx'

const POLL_MS = 2_000
/** A payment arrives within seconds as a rule. After this the page says that it takes longer, and asks less often. */
const USUAL_MS = 120_000
const POLL_LATE_MS = 30_000

function headersOf({ membership, mode }: Scene): Record<string, string> {
  return sceneHeaders({ accountId: membership.account_id, mode })
}

/** What is sold, and what the organisation has. With `since`, asked for until a plan is there that was paid then. */
export function billingQuery(scene: Scene, since?: number) {
  return queryOptions({
    queryKey: [...scene.key, 'billing'],
    queryFn: ({ signal }) => ask<Billing>('/billing', { headers: headersOf(scene), signal }),
    refetchInterval: ({ state }) => since !== undefined && state.data?.subscribed_to === null && pollMs(since),
  })
}

type Awaited = { session: string; since: number; queryClient: QueryClient }

/** Whether the credits of a page that was paid on are there. Once they are, the balance is read anew wherever it is shown. */
export function checkoutQuery(scene: Scene, { session, since, queryClient }: Awaited) {
  return queryOptions({
    queryKey: [...scene.key, 'checkout', session],
    queryFn: async ({ signal }) => {
      const path = `/billing/checkout/${encodeURIComponent(session)}`
      const checkout = await ask<Checkout>(path, { headers: headersOf(scene), signal })
      if (checkout.granted) void queryClient.invalidateQueries(accountQuery(scene))
      return checkout
    },
    refetchInterval: ({ state }) => state.data?.granted === false && pollMs(since),
  })
}

function pollMs(since: number): number {
  return isLate(since, Date.now()) ? POLL_LATE_MS : POLL_MS
}

/** Whether it has taken longer than a payment usually does. */
export function isLate(since: number, now: number): boolean {
  return now - since > USUAL_MS
}

/** Leads to a page of the payment provider. What fails is said at the edge, and nothing was bought. */
function useWayOut<T extends object>(path: string) {
  const scene = useScene()
  const tell = useToasts()
  return useMutation({
    mutationFn: (body: T) => ask<PaymentPage>(path, { method: 'POST', body, headers: headersOf(scene) }),
    onSuccess: ({ url }) => window.location.assign(url),
    onError: (error) => tell.failed(plainWords(asRequestFailed(error))),
  })
}

export const useCheckout = () => useWayOut<StartCheckout>('/billing/checkout')
export const usePortal = () => useWayOut<Record<string, never>>('/billing/portal')
