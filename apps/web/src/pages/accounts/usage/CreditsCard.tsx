import type { Account, Usage } from '@probity/sdk'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { accountQuery, useScene } from '../../../session/workspace.ts'
import { Card } from '../../../ui/Card.tsx'
import { formatDate, formatNumber } from '../../../ui/format.ts'
import { PageFrame } from '../../../ui/States.tsx'
import { type Forecast, forecast, usageQuery } from './usage-query.ts'

const PACES = [7, 30] as const
const DAYS_LOOKED_AT = Math.max(...PACES)

/** The credit balance, and when it is expected to run out. */
export function CreditsCard() {
  const query = useQuery(accountQuery(useScene()))
  return (
    <Card title="Credits">
      <PageFrame query={query} failed="The credits could not be loaded" lines={2}>
        {(account) => <Balance account={account} />}
      </PageFrame>
    </Card>
  )
}

function Balance({ account: { credits, plan } }: { account: Account }) {
  const { available, reserved, used, unlimited } = credits
  return (
    <div className="flex flex-col gap-4">
      <dl className="grid grid-cols-1 gap-4 sm:grid-cols-3">
        <Figure name="Available">{unlimited ? 'Unlimited' : formatNumber(available)}</Figure>
        <Figure name="Reserved for lists">{formatNumber(reserved)}</Figure>
        <Figure name="Used">{formatNumber(used)}</Figure>
      </dl>
      {unlimited ? <p className="text-soft">This account has unlimited credits.</p> : <RunOut available={available} />}
      <p className="max-w-prose text-[0.8125rem] text-faint">
        One address costs one credit. Duplicate addresses in a list are free.
        {plan.refund_unknown && ' Credits for unknown results are refunded.'} Test mode is free.
      </p>
    </div>
  )
}

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-[0.8125rem] text-faint">{name}</dt>
      <dd className="text-xl font-semibold tracking-[-0.02em] tabular-nums">{children}</dd>
    </div>
  )
}

/** Empty without usage data: the card below shows the error. */
function RunOut({ available }: { available: number }) {
  const { data } = useQuery(usageQuery(useScene(), DAYS_LOOKED_AT, 'day'))
  if (data?.days === undefined) return null
  if (available === 0) return <p className="text-soft">No credits left. Paid requests are rejected.</p>
  const forecasts = forecastsOf(available, data.days)
  if (forecasts.every(({ perDay }) => perDay === 0)) {
    return <p className="text-soft">No credits were used in the last {DAYS_LOOKED_AT} days.</p>
  }
  return (
    <ul aria-label="Forecast" className="flex flex-col gap-1 text-soft">
      {forecasts.map((one) => (
        <li key={one.days}>{sentenceOf(one)}</li>
      ))}
    </ul>
  )
}

function forecastsOf(available: number, history: NonNullable<Usage['days']>): Forecast[] {
  return PACES.map((days) => forecast(available, history, { days, now: new Date() }))
}

function sentenceOf({ days, perDay, until }: Forecast): string {
  if (perDay === 0) return `No credits were used in the last ${days} days.`
  const pace = `Based on the last ${days} days (${perDay < 1 ? 'less than 1' : `about ${formatNumber(Math.round(perDay))}`} per day)`
  return until
    ? `${pace}, credits last until about ${formatDate(until)}.`
    : `${pace}, credits last for more than two years.`
}
