import { useQuery } from '@tanstack/react-query'
import { accountQuery } from '../../../session/account-query.ts'
import { useScene } from '../../../session/scene.ts'
import { formatCount } from '../../../ui/format.ts'

/** The processing of a confirmed list, its refunds and its expiration. */
export function WhatNext() {
  const scene = useScene()
  const { data: account } = useQuery(accountQuery(scene))
  const isLive = scene.mode === 'live'
  const days = Math.max(1, account?.retention_days ?? 0)
  return (
    <ol className="flex list-decimal flex-col gap-2 ps-4 text-soft marker:text-faint">
      <li>
        {isLive
          ? 'Credits are reserved now and charged as each address completes.'
          : 'Results are simulated. No mail servers are contacted.'}
      </li>
      {isLive && account?.plan.refund_unknown && <li>Unknown results are refunded.</li>}
      {isLive && <li>Most addresses complete within minutes. Greylisted addresses take longer.</li>}
      <li>You can close the page. Validation continues, and you can pause or cancel the list.</li>
      <li>The download has your original rows in the same order, with result columns appended.</li>
      {account && (
        <li>Addresses and results expire {formatCount(days, 'day')} after you confirm. The summary is kept.</li>
      )}
    </ol>
  )
}
