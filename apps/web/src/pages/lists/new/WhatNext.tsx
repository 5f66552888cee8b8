import { useQuery } from '@tanstack/react-query'
import { useScene } from '../../../session/scene.ts'
import { accountQuery } from '../../../shell/account-query.ts'
import { formatCount } from '../../../ui/format.ts'

/** What the confirmed list goes through, what comes back, and when all of it is deleted. */
export function WhatNext() {
  const scene = useScene()
  const { data: account } = useQuery(accountQuery(scene))
  const isLive = scene.mode === 'live'
  const days = Math.max(1, account?.retention_days ?? 0)
  return (
    <ol className="flex list-decimal flex-col gap-2 ps-4 text-soft marker:text-faint">
      <li>
        {isLive
          ? 'The credits are set aside, and each is charged when its address has a result.'
          : 'The answers are simulated. No mail server is asked.'}
      </li>
      {isLive && account?.plan.refund_unknown && <li>An address that ends unknown gives its credit back.</li>}
      {isLive && <li>Most addresses are answered within minutes. Servers that ask us to come back take longer.</li>}
      <li>You can close the page. The work goes on, and the list can be paused or canceled.</li>
      <li>You get your file back, with the same rows in the same order and the verdicts behind them.</li>
      {account && (
        <li>The addresses and results are deleted {formatCount(days, 'day')} after you confirm. The summary stays.</li>
      )}
    </ol>
  )
}
