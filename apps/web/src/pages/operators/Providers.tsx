import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Mails } from 'lucide-react'
import { useState } from 'react'
import { Callout } from '../../ui/Callout.tsx'
import { Card } from '../../ui/Card.tsx'
import { Segments } from '../../ui/Segments.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/States.tsx'
import { type AskedProvider, ProviderDialogs } from './ProviderDialogs.tsx'
import { ProviderTable } from './ProviderTable.tsx'
import { HOURS_USUAL, type Hours } from './providers-search.ts'
import { providersQuery } from './queries.ts'
import { RefreshLine } from './RefreshLine.tsx'
import { useRefreshing } from './use-refreshing.ts'

const CHOICES = [
  { value: '1', label: '1 hour' },
  { value: '24', label: '24 hours' },
  { value: '168', label: '7 days' },
] as const

/** Probe results by provider, and the limits in effect. */
export function Providers() {
  const { hours = HOURS_USUAL } = useSearch({ from: '/shell/operator/providers' })
  const navigate = useNavigate({ from: '/operator/providers' })
  const refreshing = useRefreshing()
  const { data, error, isError, refetch, dataUpdatedAt } = useQuery({
    ...providersQuery(hours),
    refetchInterval: refreshing.everyMs,
  })
  const [asked, setAsked] = useState<AskedProvider>()
  const choose = (text: string) =>
    void navigate({
      search: (now) => ({
        mode: now.mode,
        org: now.org,
        ...(Number(text) !== HOURS_USUAL && { hours: Number(text) as Hours }),
      }),
      replace: true,
      resetScroll: false,
    })
  return (
    <Card
      title="Providers"
      about="SMTP probe results by mailbox provider, in hourly buckets including the current hour. Addresses decided without a probe are not counted."
      actions={<Segments label="Time range" size="sm" value={String(hours)} choices={CHOICES} onChange={choose} />}
    >
      {data === undefined ? (
        isError ? (
          <ErrorState error={error} onRetry={() => void refetch()} what="The providers could not be loaded" />
        ) : (
          <Skeleton lines={6} label="Loading providers" />
        )
      ) : (
        <div className="flex flex-col gap-4">
          <RefreshLine refreshing={refreshing} at={dataUpdatedAt} onRefresh={() => void refetch()} />
          {isError && <Callout kind="warning">The data could not be refreshed. It may be out of date.</Callout>}
          {data.providers.length === 0 ? (
            <EmptyState icon={<Mails aria-hidden="true" />} title="No probes in this period">
              Figures appear within seconds of the first probe.
            </EmptyState>
          ) : (
            <ProviderTable providers={data.providers} onAsk={setAsked} />
          )}
        </div>
      )}
      {asked && <ProviderDialogs asked={asked} onClose={() => setAsked(undefined)} />}
    </Card>
  )
}
